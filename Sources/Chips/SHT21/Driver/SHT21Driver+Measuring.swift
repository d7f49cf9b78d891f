import I2C

extension SHT21Driver {
  /// Measures temperature, then humidity.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func measure() throws(SHT21DriverError) -> SHT21Measurement {
    SHT21Measurement(
      rawTemperature: try measureRaw(.temperature), rawHumidity: try measureRaw(.humidity))
  }

  /// Measures one quantity and gives its 16 bits as read, status bits included.
  ///
  /// The status bits are not judged: boards are known that leave bit 1 as it likes (pull request 34
  /// of RobTillaart/SHT2x). The checksum is.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func measureRaw(_ quantity: SHT21Quantity) throws(SHT21DriverError) -> UInt16 {
    switch waiting {
    case .noHold: try measureWithoutHold(quantity)
    case .hold: try measureWithHold(quantity)
    }
  }

  /// Measures while the chip holds the clock.
  ///
  ///     S  40 W A  E3 A  Sr  40 R A  (clock held) [msb] A [lsb] A [checksum] N  P
  private func measureWithHold(_ quantity: SHT21Quantity) throws(SHT21DriverError) -> UInt16 {
    var data: InlineArray<3, UInt8> = [0, 0, 0]
    do throws(I2CError) {
      var bytes = data.mutableSpan
      try adapter.readRegisters(
        from: SHT21Command(measuring: quantity, holdingClock: true).rawValue, count: 3,
        into: &bytes, at: address)
    } catch {
      throw SHT21DriverError(
        .wait, error.kind == .timeOut ? .holdTimedOut(error) : .bus(error))
    }
    return try checked(data)
  }

  /// Measures, waits for the longest time and asks until the chip acknowledges.
  ///
  ///     S  40 W A  F3 A  P   (wait)   S  40 R A  [msb] A [lsb] A [checksum] N  P
  private func measureWithoutHold(_ quantity: SHT21Quantity) throws(SHT21DriverError) -> UInt16 {
    try send(SHT21Command(measuring: quantity, holdingClock: false), .trigger)
    let start = clock.nanoseconds
    clock.wait(nanoseconds: resolution.longestTime(of: quantity))
    var data: InlineArray<3, UInt8> = [0, 0, 0]
    for _ in 0..<Self.pollLimit {
      do throws(I2CError) {
        var bytes = data.mutableSpan
        try adapter.read(into: &bytes, from: address)
      } catch {
        guard error.kind == .addressNack else { throw SHT21DriverError(.read, .bus(error)) }
        clock.wait(nanoseconds: Self.pollInterval)
        continue
      }
      return try checked(data)
    }
    throw SHT21DriverError(.wait, .stillMeasuring(waited: clock.nanoseconds - start))
  }

  private func checked(_ data: InlineArray<3, UInt8>) throws(SHT21DriverError) -> UInt16 {
    let word = UInt16(data[0]) << 8 | UInt16(data[1])
    try check(SHT21Checksum(of: word), against: data[2], .read)
    return word
  }

  /// Compares the checksum of what was read with the one that was read.
  func check(
    _ checksum: SHT21Checksum, against received: UInt8, _ step: SHT21DriverError.Step
  ) throws(SHT21DriverError) {
    guard checksum.value == received else {
      throw SHT21DriverError(
        step, .checksum(expected: checksum.value, received: received))
    }
  }
}
