import I2C
import Testing
import VirtualI2C

/// Each personality returns its own errno for the same failure, and rejects unsupported transfers.
struct PersonalityTests {
  static func adapter(_ personality: Personality, _ kind: PlannedFault.Kind? = nil) throws
    -> VirtualAdapter
  {
    let adapter = VirtualAdapter(
      clock: VirtualClock(), functionality: personality.functionality, quirks: personality.quirks,
      stretchLimit: personality.stretchLimit, errnoPolicy: personality.errnoPolicy,
      faults: FaultPlan(kind.map { [PlannedFault(kind: $0, start: 0)] } ?? []))
    try adapter.attach(Echo(0x76))
    return adapter
  }

  @Test(
    "each kind of failure returns the errno of the adapter's personality",
    arguments: [
      ("raspberry-pi", [I2CErrno.eremoteio, .eremoteio, .eio, .etimedout]),
      ("raspberry-pi-5", [.eremoteio, .eremoteio, .eagain, .etimedout]),
      ("i2c-gpio", [.enxio, .eio, .eio, .etimedout]),
      ("i2c-tiny-usb", [.eremoteio, .eremoteio, .eremoteio, .eremoteio]),
      ("at91", [.eremoteio, .eremoteio, .eagain, .etimedout]),
      ("imx", [.enxio, .enxio, .eagain, .etimedout]),
      ("automat", [.etimedout, .etimedout, .etimedout, .etimedout]),
    ])
  func errno(_ name: String, _ expected: [I2CErrno]) throws {
    let personality = try #require(Personality(named: name))
    let kinds: [PlannedFault.Kind] = [
      .addressNack, .dataNack(byte: 0), .arbitrationLost, .clockStuck(2_000_000_000),
    ]
    for (kind, errno) in zip(kinds, expected) {
      let adapter = try Self.adapter(personality, kind)
      let error = #expect(throws: I2CError.self) { try adapter.writeRegister(1, 2, at: 0x76) }
      #expect(error?.errno == errno, "\(kind)")
    }
  }

  @Test("each personality applies its own limits for the read length and for clock stretching")
  func limits() throws {
    let bridge = try #require(Personality(named: "cp2112"))
    var bytes = [UInt8](repeating: 0, count: 513)
    #expect(throws: I2CError(.unsupported, message: 0, errno: .eopnotsupp)) {
      var span = bytes.mutableSpan
      try Self.adapter(bridge).read(into: &span, from: 0x76)
    }
    for (name, bears) in [("raspberry-pi", false), ("raspberry-pi-5", true)] {
      let personality = try #require(Personality(named: name))
      let adapter = try Self.adapter(personality, .clockStretch(2_000_000))
      #expect(((try? adapter.writeRegister(1, 2, at: 0x76)) != nil) == bears, "\(name)")
    }
  }

  @Test("every personality has a source, and names are unique")
  func sources() {
    #expect(Set(Personality.all.map(\.name)).count == Personality.all.count)
    for personality in Personality.all {
      #expect(
        personality.source.contains("Linux drivers/") || personality.source.contains("firmware")
          || personality.source.contains("general knowledge"), "\(personality.name)")
    }
    #expect(Personality(named: "no-such-adapter") == nil)
  }
}
