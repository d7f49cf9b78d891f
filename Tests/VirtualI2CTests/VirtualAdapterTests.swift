import I2C
import TestSupport
import Testing
import VirtualI2C

/// The virtual bus: timing, bytes and errors.
struct VirtualAdapterTests {
  let clock = VirtualClock()
  let echo = Echo(0x76)

  func adapter(
    frequency: UInt64 = 400_000, quirks: I2CQuirks = .none,
    functionality: I2CFunctionality = .standard, stretchLimit: UInt64 = 1_000_000_000,
    errnoPolicy: ErrnoPolicy = ErrnoPolicy(), faults: [PlannedFault] = []
  ) throws -> VirtualAdapter {
    let adapter = VirtualAdapter(
      clock: clock, frequency: frequency, functionality: functionality, quirks: quirks,
      stretchLimit: stretchLimit, errnoPolicy: errnoPolicy, faults: FaultPlan(faults))
    try adapter.attach(echo)
    return adapter
  }

  @Test("a register read of one byte at 400 kHz takes 97.5 us")
  func registerReadTime() throws {
    _ = try adapter().readRegister(0xD0, at: 0x76)
    #expect(clock.nanoseconds == 97_500)
  }

  @Test("a probe of an absent address at 400 kHz takes 27.5 us and fails with an address NACK")
  func absentTime() throws {
    let adapter = try adapter()
    #expect(throws: I2CError(.addressNack, message: 0, byte: 0, errno: .enxio)) {
      try adapter.probe(0x77)
    }
    #expect(clock.nanoseconds == 27_500)
  }

  @Test("targets observe the time at which each byte is on the wire")
  func byteTimes() throws {
    try adapter(frequency: 100_000).writeRegister(0xF4, 0x25, at: 0x76)
    // The start and address take 10 bits, each byte 9 more, and the stop 1.
    #expect(echo.times == [100_000, 190_000, 280_000])
    #expect(clock.nanoseconds == 290_000)
  }

  @Test("time does not drift at a frequency that does not divide a second")
  func fractionalBitTime() throws {
    let adapter = try adapter(frequency: 3_400_000)
    for _ in 0..<34 { try adapter.probe(0x76) }
    // 11 bits are 3235.29 ns; each transfer ends on a whole nanosecond.
    #expect(clock.nanoseconds == 34 * 3235)
  }

  @Test("the target receives the bytes before a byte with a NACK")
  func dataNack() throws {
    echo.refusedByte = 2
    let adapter = try adapter()
    let bytes: [UInt8] = [0xA0, 0xA1, 0xA2, 0xA3]
    #expect(throws: I2CError(.dataNack, message: 0, byte: 2, errno: .eio)) {
      try adapter.write(bytes.span, to: 0x76)
    }
    #expect(echo.received == [0xA0, 0xA1])
    #expect(echo.stops == 1)
    #expect(clock.nanoseconds == (1 + 9 + 27 + 1) * 2500)
  }

  @Test("the messages of a transfer are joined by repeated starts and end with one stop")
  func repeatedStart() throws {
    let adapter = try adapter()
    #expect(try adapter.readRegister(0x10, at: 0x76) == 1)
    #expect(echo.starts == [.write, .read])
    #expect(echo.stops == 1)
  }

  @Test("clock stretching extends the transfer")
  func stretching() throws {
    echo.stretch = 1_000
    try adapter().writeRegister(1, 2, at: 0x76)
    #expect(clock.nanoseconds == 29 * 2500 + 2_000)
  }

  @Test("clock stretching beyond the limit times out")
  func stretchedTooLong() throws {
    echo.stretch = 5_000
    let adapter = try adapter(stretchLimit: 4_999)
    #expect(throws: I2CError(.timeOut, message: 0, byte: 0, errno: .etimedout)) {
      try adapter.writeRegister(1, 2, at: 0x76)
    }
  }

  @Test("after a timeout the bus is free when the target releases SCL")
  func givesUp() throws {
    echo.stretch = 10_000_000
    let adapter = try adapter(stretchLimit: 1_000_000)
    #expect(throws: I2CError(.timeOut, errno: .etimedout)) {
      try adapter.writeRegister(1, 2, at: 0x76)
    }
    // The time of a start, two bytes, the limit plus one nanosecond, and a stop.
    #expect(clock.nanoseconds == 1_000_001 + 20 * 2500)
    echo.stretch = 0
    #expect(throws: I2CError(.timeOut, errno: .etimedout)) { try adapter.probe(0x76) }
    #expect(echo.starts == [.write], "the held bus carries no start")
    #expect(clock.nanoseconds == 2_000_001 + 20 * 2500)
    clock.wait(nanoseconds: 7_500_000)
    // SCL rises 10 ms after the second byte; the adapter waits for the remaining time.
    try adapter.probe(0x76)
    #expect(clock.nanoseconds == 10_000_000 + 19 * 2500 + 11 * 2500)
    try adapter.probe(0x76)
    #expect(clock.nanoseconds == 10_000_000 + 19 * 2500 + 22 * 2500)
  }

  @Test(
    "an address NACK returns the errno of the adapter",
    arguments: [I2CErrno.enxio, .eremoteio, .eio])
  func errnoPersonality(_ errno: I2CErrno) throws {
    let adapter = try adapter(errnoPolicy: ErrnoPolicy(addressNack: errno))
    #expect(throws: I2CError(.addressNack, errno: errno)) { try adapter.probe(0x50) }
  }

  @Test("a target may NACK its own address")
  func refusedAddress() throws {
    echo.refusesAddress = true
    let adapter = try adapter()
    #expect(throws: I2CError(.addressNack, errno: .enxio)) { try adapter.probe(0x76) }
  }

  @Test("a transfer that violates an adapter quirk does not reach the wire")
  func quirks() throws {
    let adapter = try adapter(quirks: I2CQuirks(maxReadLength: 18))
    var bytes = [UInt8](repeating: 0, count: 19)
    #expect(throws: I2CError(.unsupported, message: 1, errno: .eopnotsupp)) {
      var buffer = bytes.mutableSpan
      try adapter.readRegisters(from: 0x88, count: 19, into: &buffer, at: 0x76)
    }
    #expect(echo.starts.isEmpty)
    #expect(clock.nanoseconds == 0)
  }

  @Test("two targets at one address are rejected")
  func addressInUse() throws {
    let adapter = try adapter()
    #expect(throws: VirtualAdapter.AttachError.addressInUse(0x76)) {
      try adapter.attach(Echo(0x76))
    }
    try adapter.attach(Echo(0x77))
    #expect(adapter.devices.count == 2)
  }

  @Test("ten-bit addresses and message flags require an adapter with that functionality")
  func flags() throws {
    let adapter = try adapter()
    for flags in [I2CSegment.Flags.tenBit, .noStart, .ignoreNack] {
      let segments = [I2CSegment(address: 0x76, direction: .write, count: 0, flags: flags)]
      #expect(throws: I2CError(.unsupported, errno: .eopnotsupp)) {
        var nothing = MutableSpan<UInt8>()
        try adapter.transfer(segments.span, writing: Span(), reading: &nothing)
      }
    }
  }

  @Test("an adapter that does not know I2C_M_RECV_LEN reads the bytes that the message has")
  func receiveLength() throws {
    let segments = [
      I2CSegment(address: 0x76, direction: .read, count: 1, flags: .receiveLength)
    ]
    var bytes: [UInt8] = [0, 0]
    var buffer = bytes.mutableSpan
    try adapter().transfer(segments.span, writing: Span(), reading: &buffer)
    #expect(bytes[1] == 0)
    let knowing = VirtualAdapter(
      clock: VirtualClock(), functionality: [.standard, .smbusReadBlock])
    #expect(throws: I2CError(.unsupported, errno: .eopnotsupp)) {
      var buffer = bytes.mutableSpan
      try knowing.transfer(segments.span, writing: Span(), reading: &buffer)
    }
  }

  @Test("malformed requests are rejected before they reach the wire")
  func malformed() throws {
    let adapter = try adapter()
    let requests: [[I2CSegment]] = [
      [], [.write(-1, to: 0x76)], [.write(3, to: 0x76)], [.read(1, from: 0x76)],
      [.write(0, to: 0x80)],
    ]
    let two: [UInt8] = [1, 2]
    for segments in requests {
      #expect(throws: I2CError(.invalid, errno: .einval)) {
        var nothing = MutableSpan<UInt8>()
        try adapter.transfer(segments.span, writing: two.span, reading: &nothing)
      }
    }
    #expect(echo.starts.isEmpty)
  }
}
