import I2C
import TestSupport
import Testing
import VirtualI2C

/// A bus behind a bus: the register of the multiplexer, its channels, and the faults behind it.
struct VirtualMultiplexerTests {
  let clock = VirtualClock()
  let adapter: VirtualAdapter
  /// One target with the same address behind each of channels 0 and 1, with different content.
  let behind = [Register(0x76, 0xF0), Register(0x76, 0x3C)]
  let segments: [VirtualSegment]
  let multiplexer: VirtualMultiplexer

  /// A target with one register.
  final class Register: VirtualI2CDevice {
    let address: I2CAddress
    var content: UInt8
    var isPowered = true

    init(_ address: I2CAddress, _ content: UInt8) {
      (self.address, self.content) = (address, content)
    }

    func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool { isPowered }
    func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
      content = byte
      return true
    }
    func read(at time: inout WireTime) -> UInt8 { content }
    func stop(at time: inout WireTime) {}
    func setSupply(_ isOn: Bool, at time: UInt64) { isPowered = isOn }
  }

  init() throws {
    segments = [
      VirtualSegment(),
      VirtualSegment(
        faults: FaultPlan([PlannedFault(kind: .powerLoss(1_000_000), start: 1_000_000_000)])),
    ]
    for (segment, device) in zip(segments, behind) { try segment.attach(device) }
    multiplexer = VirtualMultiplexer(0x70, channels: [segments[0], segments[1]])
    adapter = VirtualAdapter(clock: clock)
    try adapter.attach(multiplexer)
  }

  func read(_ address: I2CAddress = 0x76) throws(I2CError) -> UInt8 {
    var byte: [UInt8] = [0]
    var span = byte.mutableSpan
    try adapter.read(into: &span, from: address)
    return byte[0]
  }

  func select(_ bytes: UInt8...) throws(I2CError) { try adapter.write(bytes.span, to: 0x70) }

  @Test("no channel is selected after power-on, and the register reads as 0")
  func powerOn() throws {
    #expect(try read(0x70) == 0)
    #expect(throws: I2CError.self) { try read() }
  }

  @Test("bit n selects channel n; the register can be read; the last of several bytes counts")
  func selects() throws {
    try select(0x01)
    #expect(try read() == 0xF0)
    try select(0x01, 0x02)
    #expect(try read() == 0x3C)
    #expect(try read(0x70) == 0x02)
    try select(0)
    #expect(throws: I2CError.self) { try read() }
  }

  @Test("a selection takes effect at the stop, so the same transfer does not reach the channel")
  func waitsForStop() throws {
    let segments = [I2CSegment.write(1, to: 0x70), .read(1, from: 0x76)]
    let written: [UInt8] = [0x01]
    var byte: [UInt8] = [0]
    let error = #expect(throws: I2CError.self) {
      var span = byte.mutableSpan
      try adapter.transfer(segments.span, writing: written.span, reading: &span)
    }
    #expect(error?.kind == .addressNack && error?.message == 1)
    #expect(try read() == 0xF0)
  }

  @Test(
    "two targets with one address behind selected channels both take a write; a read is the AND")
  func both() throws {
    try select(0x03)
    #expect(try read() == 0x30)
    try adapter.write(([0x55] as [UInt8]).span, to: 0x76)
    #expect(behind.map(\.content) == [0x55, 0x55])
  }

  @Test("a multiplexer without power answers nothing, and has no selected channel afterwards")
  func supply() throws {
    try select(0x01)
    multiplexer.setSupply(false, at: 0)
    #expect(throws: I2CError.self) { try read(0x70) }
    multiplexer.setSupply(true, at: 0)
    #expect(try read(0x70) == 0)
    #expect(throws: I2CError.self) { try read() }
  }

  @Test("a controller that works byte by byte selects and reads the same")
  func wire() {
    let wire = adapter.wire(clock)
    _ = wire.start(0x70, .write, plan: I2CWirePlan(), at: 0)
    var reply = wire.write(0x02, at: 0)
    reply = wire.stop(at: reply.end)
    reply = wire.start(0x76, .read, plan: I2CWirePlan(), at: reply.end)
    #expect(reply.failure == nil)
    #expect(wire.read(acknowledging: false, at: reply.end).byte == 0x3C)
    _ = wire.stop(at: reply.end)
  }

  @Test("a multiplexer behind a multiplexer needs both selections")
  func nested() throws {
    let inner = VirtualSegment()
    try inner.attach(Register(0x40, 0x99))
    try segments[0].attach(VirtualMultiplexer(0x71, channels: [nil, nil, nil, inner]))
    #expect(throws: I2CError.self) { try adapter.write(([0x08] as [UInt8]).span, to: 0x71) }
    try select(0x01)
    try adapter.write(([0x08] as [UInt8]).span, to: 0x71)
    #expect(try read(0x40) == 0x99)
    try select(0x02)
    #expect(throws: I2CError.self) { try read(0x40) }
  }

  @Test("the faults of a bus behind a multiplexer act on its parts alone")
  func faults() throws {
    clock.wait(nanoseconds: 999_500_000)
    try select(0x03)
    #expect(try read() == 0x30)
    clock.wait(nanoseconds: 1_000_000)
    #expect(try read() == 0xF0, "the part behind channel 1 has no power")
    clock.wait(nanoseconds: 1_000_000)
    #expect(try read() == 0x30)
    #expect(segments[1].faults.faults[0].fired == 1)
  }

  @Test("Linux's driver writes the selection only for another channel, and again after a failure")
  func driver() throws {
    let driver = MultiplexerDriver(adapter, at: 0x70)
    let (first, second) = (driver.channel(0), driver.channel(1))
    func read(_ adapter: some I2CAdapter) throws -> UInt8 {
      var byte: [UInt8] = [0]
      var span = byte.mutableSpan
      try adapter.read(into: &span, from: 0x76)
      return byte[0]
    }
    let byteTime: UInt64 = 90_000
    for (adapter, content, transfers) in [(first, 0xF0, 2), (first, 0xF0, 1), (second, 0x3C, 2)]
      as [(any I2CAdapter, UInt8, UInt64)]
    {
      let start = clock.nanoseconds
      #expect(try read(adapter) == content)
      // Each transfer has an address and a byte, a start and a stop.
      #expect(clock.nanoseconds - start == transfers * (2 * byteTime + 20_000))
    }
    multiplexer.setSupply(false, at: 0)
    #expect(throws: I2CError.self) { try read(first) }
    multiplexer.setSupply(true, at: 0)
    #expect(try read(first) == 0xF0)
    // The driver does not know that a program has changed the selection.
    try select(0x02)
    #expect(try read(first) == 0x3C)
  }
}
