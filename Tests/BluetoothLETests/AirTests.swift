import BluetoothLE
import Conformance
import Testing

/// The in-process medium: both roles, range, loss, limits and reproducibility from the seed.
struct AirTests {
  @Test("the simulated radios pass the conformance check", arguments: [0.0, 0.2])
  func conforms(loss: Double) {
    var options = BLEAir.Options()
    options.loss = loss
    let air = BLEAir(seed: 7, options: options)
    let peripheral = air.radio(BLEAddress(0xC4BE_8470_1122), at: BLEPosition(x: 3))
    let deviations = RadioConformance.deviations(
      central: air.radio(BLEAddress(0xC000_0000_0001)), peripheral: peripheral)
    #expect(deviations == [])
  }

  @Test("the conformance check detects a nonconforming radio")
  func checks() {
    let air = BLEAir(seed: 7)
    let central = air.radio(BLEAddress(1))
    let peripheral = air.radio(
      BLEAddress(2), at: BLEPosition(x: 3), BLECapabilities(maximumMTU: 40))
    let deviations = RadioConformance.deviations(central: central, peripheral: peripheral)
    #expect(deviations.contains { $0.hasPrefix("MTU exchange: 40") }, "\(deviations)")
  }

  /// A central and advertising tags, each at its distance.
  private static func hall(
    _ distances: [Double], _ options: BLEAir.Options = .init(), connections: Int = 7
  ) -> (air: BLEAir, central: VirtualRadio, tags: [VirtualRadio]) {
    let air = BLEAir(seed: 1, options: options)
    let central = air.radio(
      BLEAddress(0xC0_0000_0000), BLECapabilities(maximumConnections: connections))
    let tags = distances.enumerated().map { index, distance in
      let tag = air.radio(BLEAddress(0xA0_0000_0000 + UInt64(index)), at: BLEPosition(x: distance))
      tag.handler = { _ in }
      tag.send(.serve(RadioTable.services))
      tag.send(.advertise(BLEAdvertising(data: [2, 1, 6])))
      return tag
    }
    return (air, central, tags)
  }

  private static func outcome(
    _ command: BLECommand, _ radio: VirtualRadio
  ) -> BLEEvent.Kind? {
    let number = radio.send(command)
    while let event = radio.next(by: radio.nanoseconds + 60_000_000_000) {
      switch event.kind {
      case .done(number, _), .failed(number, _): return event.kind
      default: break
      }
    }
    return nil
  }

  private static func connect(_ tag: VirtualRadio, _ central: VirtualRadio) -> BLEEvent.Kind? {
    outcome(.connect(tag.address, timeOut: 5_000_000_000), central)
  }

  @Test("a distant tag is received weakly, and one out of range not at all")
  func reach() {
    let (air, central, tags) = Self.hall([1, 10, 100, 1000])
    central.send(.scan(isActive: false))
    var strengths: [BLEAddress: Int] = [:]
    while let event = central.next(by: 5_000_000_000) {
      if case .advertisement(let advertisement) = event.kind {
        strengths[advertisement.address] = advertisement.rssi
      }
    }
    // 0 dBm, 40 dB over the first metre, 25 dB per tenfold distance, nothing below -94 dBm.
    #expect(tags.map { strengths[$0.address] } == [-40, -65, -90, nil])
    #expect(air.nanoseconds == 5_000_000_000)
  }

  @Test(
    "a dongle rejects connections above its maximum until one of its connections ends")
  func limit() {
    let (air, central, tags) = Self.hall([1, 2, 3], connections: 2)
    var links: [BLEConnection] = []
    for tag in tags.prefix(2) {
      guard case .done(_, .connected(let link)) = Self.connect(tag, central) else { continue }
      links.append(link.connection)
    }
    #expect(links.count == 2)
    let third = Self.connect(tags[2], central)
    guard case .failed(_, .tooManyConnections) = third else {
      Issue.record("\(String(describing: third))")
      return
    }
    _ = Self.outcome(.disconnect(links[0]), central)
    guard case .done(_, .connected) = Self.connect(tags[2], central) else {
      Issue.record("no connection when there is room")
      return
    }
    #expect(air.radios.count == 4)
  }

  @Test(
    "if a tag moves out of range or loses power, the supervision timeout ends the connection",
    arguments: [true, false])
  func supervision(isCarried: Bool) {
    let (air, central, tags) = Self.hall([1])
    _ = Self.connect(tags[0], central)
    let start = air.nanoseconds
    if isCarried { tags[0].position.x = 5000 } else { tags[0].isOn = false }
    var end: BLEEvent?
    while end == nil, let event = central.next(by: start + 60_000_000_000) {
      if case .disconnected(_, reason: 0x08) = event.kind { end = event }
    }
    #expect(end?.time == start + 6_000_000_000)
  }

  @Test("a tag that returns before the timeout stays connected")
  func returns() {
    let (air, central, tags) = Self.hall([1])
    _ = Self.connect(tags[0], central)
    tags[0].position.x = 5000
    air.wait(nanoseconds: 5_900_000_000)
    tags[0].position.x = 1
    air.wait(nanoseconds: 60_000_000_000)
    #expect(central.next(by: 0) == nil)
  }

  @Test("a loss rate of one half drops half of all advertisements")
  func loss() {
    var options = BLEAir.Options()
    options.loss = 0.5
    let (air, central, _) = Self.hall([1], options)
    central.send(.scan(isActive: false))
    var count = 0
    while let event = central.next(by: 100_000_000_000) {
      if case .advertisement = event.kind { count += 1 }
    }
    #expect((430...570).contains(count), "\(count)")
    #expect(air.nanoseconds == 100_000_000_000)
  }

  @Test("the same seed always produces the same events")
  func repeats() {
    func events(seed: UInt64) -> [BLEEvent] {
      var options = BLEAir.Options()
      (options.loss, options.fading) = (0.3, 4)
      let air = BLEAir(seed: seed, options: options)
      let central = air.radio(BLEAddress(1))
      for index in 0..<5 {
        let tag = air.radio(BLEAddress(UInt64(index) + 2), at: BLEPosition(x: Double(index) * 10))
        tag.handler = { _ in }
        tag.send(.advertise(BLEAdvertising(data: [2, 1, 6], scanResponse: [3, 9, 65, 66])))
      }
      central.send(.scan(isActive: true))
      var found: [BLEEvent] = []
      while let event = central.next(by: 3_000_000_000) { found.append(event) }
      return found
    }
    #expect(events(seed: 3) == events(seed: 3))
    #expect(events(seed: 3) != events(seed: 4))
  }
}

/// A small GATT table.
enum RadioTable {
  static let services = [
    GATTService(BLEUUID(0x180F), [GATTCharacteristic(BLEUUID(0x2A19), .read, value: [100])])
  ]
}
