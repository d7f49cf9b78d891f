import VirtualI2C

extension BLEAir {
  /// By how much an advertisement may come later than its interval says, in nanoseconds (advDelay, Vol 6, Part B, 4.4.2.2.1).
  private static let delay = 10_000_000.0
  /// How often a radio advertises at most and at least, in nanoseconds; the longest is 2^24 steps of 625 µs.
  private static let periods: ClosedRange<UInt64> = 1_000_000...10_485_760_000_000

  /// When a radio advertises next after a time; `nil` where it does not.
  ///
  /// The delay of each advertisement comes from its number alone, so that nobody has to go through those that nobody hears.
  func nextAdvertisement(of radio: VirtualRadio, after time: UInt64) -> UInt64? {
    guard radio.isOn, let (settings, start, number) = radio.advertising else { return nil }
    let period = min(max(settings.interval, Self.periods.lowerBound), Self.periods.upperBound)
    var index = time > start ? (time - start) / period : 0
    // The delay may take the one before behind the time.
    if index > 0 { index -= 1 }
    while true {
      var chance = SeededGenerator(
        seed: seed ^ radio.address.value, stream: UInt64(number) << 40 | index)
      let next = start + index * period + UInt64(chance.unit() * Self.delay)
      if next > time { return next }
      index += 1
    }
  }

  /// A radio listens from now on.
  func beginScan(_ radio: VirtualRadio) {
    guard !scanners.contains(where: { $0 === radio }) else { return }
    scanners.append(radio)
    for advertiser in radios where advertiser.advertising != nil {
      planAdvertisement(of: advertiser)
    }
  }

  /// A radio advertises from now on.
  func beginAdvertising(_ radio: VirtualRadio) {
    planAdvertisement(of: radio)
    for central in radios where central.initiations.first?.peer == radio.address {
      attempt(central, after: nanoseconds)
    }
  }

  /// Advertisements are planned only where somebody listens.
  private func planAdvertisement(of radio: VirtualRadio) {
    guard !scanners.isEmpty, !radio.isAdvertisingPlanned,
      let time = nextAdvertisement(of: radio, after: nanoseconds)
    else { return }
    radio.isAdvertisingPlanned = true
    let number = radio.advertising?.number
    schedule(at: time) { [unowned self] in
      radio.isAdvertisingPlanned = false
      if radio.advertising?.number == number { sendAdvertisement(of: radio) }
      planAdvertisement(of: radio)
    }
  }

  private func sendAdvertisement(of radio: VirtualRadio) {
    guard let settings = radio.advertising?.settings else { return }
    for scanner in scanners where scanner !== radio {
      guard let signal = signal(from: radio, to: scanner), arrives(at: signal) else { continue }
      hear(settings.data, isScanResponse: false, of: radio, at: scanner, signal)
      // Both the question and its answer must arrive.
      guard scanner.scan?.isActive == true, arrives(at: signal), arrives(at: signal) else {
        continue
      }
      hear(settings.scanResponse, isScanResponse: true, of: radio, at: scanner, signal)
    }
  }

  private func hear(
    _ data: [UInt8], isScanResponse: Bool, of radio: VirtualRadio, at scanner: VirtualRadio,
    _ signal: Double
  ) {
    scanner.tell(
      .advertisement(
        BLEAdvertisement(
          from: radio.address, rssi: strength(of: signal), isConnectable: !isScanResponse,
          isScanResponse: isScanResponse, data: data)))
  }
}
