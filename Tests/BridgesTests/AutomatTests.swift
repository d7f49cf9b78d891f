import Bridges
import I2C
import Testing
import VirtualI2C

/// The Automat board and its adapter: frames byte for byte, the limit, timing and failures.
struct AutomatTests {
  /// A device whose registers contain their own address, for long reads.
  final class Registers: VirtualI2CDevice {
    var address: I2CAddress = 0x76
    var pointer: UInt8 = 0
    var written: [[UInt8]] = []
    private var message: [UInt8] = []
    private var isWriting = false

    func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
      isWriting = direction == .write
      message = []
      return true
    }
    func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
      if message.isEmpty { pointer = byte }
      message.append(byte)
      return true
    }
    func read(at time: inout WireTime) -> UInt8 {
      defer { pointer &+= 1 }
      return pointer
    }
    func stop(at time: inout WireTime) {
      if message.count > 1 { written.append(message) }
      message = []
    }
  }

  /// A board with its bus, and a connection that records its traffic.
  final class Bench: GATTLink {
    let clock = VirtualClock()
    let device = Registers()
    let bus: VirtualAdapter
    let board: AutomatBoard
    let link: SimulatedGATTLink
    var log: [String] = []

    init(_ options: SimulatedGATTLink.Options = .init(), limit: Int = 18) throws {
      bus = VirtualAdapter(clock: clock, frequency: 100_000)
      try bus.attach(device)
      board = AutomatBoard(bus, limit: limit)
      link = SimulatedGATTLink(to: board, clock: clock, options: options, seed: 1)
    }

    func adapter(
      _ pastLimit: AutomatAdapter.PastLimit = .silent, reportsLimit: Bool = true
    ) -> AutomatAdapter {
      AutomatAdapter(self, clock: clock, pastLimit: pastLimit, reportsLimit: reportsLimit)
    }

    func write(_ value: [UInt8], to characteristic: UInt16) throws(GATTError) {
      log.append("\(String(characteristic, radix: 16)) <- \(hex(value))")
      try link.write(value, to: characteristic)
    }

    func read(_ characteristic: UInt16) throws(GATTError) -> [UInt8] {
      let value = try link.read(characteristic)
      log.append("\(String(characteristic, radix: 16)) -> \(hex(value))")
      return value
    }

    private func hex(_ bytes: [UInt8]) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }
  }

  static func read(
    _ adapter: AutomatAdapter, _ register: UInt8, _ count: Int
  ) throws(I2CError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    try adapter.readRegisters(from: register, count: count, into: &span, at: 0x76)
    return bytes
  }

  @Test("the frames equal those of the real board, byte for byte")
  func frames() throws {
    let bench = try Bench()
    let adapter = bench.adapter()
    try adapter.writeRegister(0xF4, 0x25, at: 0x76)
    #expect(try Self.read(adapter, 0x10, 3) == [0x10, 0x11, 0x12])
    #expect(
      bench.log == [
        "ff91 <- 76 f4 25", "ff92 <- 76 10 03", "ff92 -> 76 10 03 10 11 12",
      ])
    #expect(bench.device.written == [[0xF4, 0x25]])
    #expect(bench.board.blinks == 2)
  }

  @Test(
    "a read of 18 bytes succeeds; a longer one times out or, if configured, is rejected at once")
  func limit() throws {
    let bench = try Bench()
    #expect(try Self.read(bench.adapter(), 0, 18).count == 18)
    let before = bench.clock.nanoseconds
    #expect(throws: I2CError(.timeOut, message: 1, errno: .etimedout)) {
      try Self.read(bench.adapter(), 0, 24)
    }
    #expect(bench.clock.nanoseconds - before == 2_000_000_000)
    #expect(bench.log.last == "ff92 -> ")
    #expect(bench.board.tooLong == 1)
    let commands = bench.log.count
    #expect(throws: I2CError(.unsupported, message: 1, errno: .eopnotsupp)) {
      try Self.read(bench.adapter(.error), 0, 19)
    }
    #expect(bench.log.count == commands)
  }

  @Test("the length limits are reported as adapter quirks, unless reportsLimit is false")
  func quirks() throws {
    let bench = try Bench()
    #expect(bench.adapter().quirks.maxReadLength == 18)
    #expect(bench.adapter().quirks.maxWriteLength == 19)
    #expect(bench.adapter(reportsLimit: false).quirks == .none)
  }

  @Test("a write takes two connection intervals (60 ms), and a read takes four (120 ms)")
  func time() throws {
    let bench = try Bench()
    try bench.adapter().writeRegister(0xF4, 0x25, at: 0x76)
    let write = bench.clock.nanoseconds
    #expect(write == 60_000_000 + 290_000)
    _ = try Self.read(bench.adapter(), 0, 8)
    #expect(bench.clock.nanoseconds - write == 120_000_000 + 1_020_000)
  }

  @Test("jitter is reproducible from the seed and never exceeds its limit")
  func jitter() throws {
    var options = SimulatedGATTLink.Options()
    options.jitter = 0.5
    func times() throws -> [UInt64] {
      let bench = try Bench(options)
      return try (0..<20).map { _ in
        let start = bench.clock.nanoseconds
        try bench.adapter().writeRegister(0xF4, 0x25, at: 0x76)
        return bench.clock.nanoseconds - start
      }
    }
    let first = try times()
    #expect(try times() == first)
    #expect(Set(first).count > 10)
    #expect(first.allSatisfy { (60_290_000...90_290_000).contains($0) })
  }

  @Test("during a connection outage the device is missing, and after the outage it responds again")
  func outage() throws {
    var options = SimulatedGATTLink.Options()
    options.outages = [0..<1_000_000_000]
    let bench = try Bench(options)
    #expect(throws: I2CError(.noDevice, errno: .enodev)) { try Self.read(bench.adapter(), 0, 8) }
    bench.clock.wait(nanoseconds: 1_000_000_000)
    #expect(try Self.read(bench.adapter(), 0, 8).count == 8)
    #expect(bench.link.refused == 1)
  }

  @Test("lost answers are counted, although the board has executed the command")
  func losses() throws {
    var options = SimulatedGATTLink.Options()
    options.loss = 1
    let bench = try Bench(options)
    #expect(throws: I2CError(.timeOut, errno: .etimedout)) {
      try bench.adapter().writeRegister(0xF4, 0x25, at: 0x76)
    }
    #expect(bench.device.written == [[0xF4, 0x25]])
    #expect(bench.link.lost == 1)
  }

  @Test(
    "as the battery drains, transfers begin to fail, and at last the connection is lost")
  func battery() throws {
    var options = SimulatedGATTLink.Options()
    options.batteryLife = 3_600_000_000_000
    let bench = try Bench(options)
    #expect(bench.link.battery == 100)
    bench.clock.wait(nanoseconds: 1_800_000_000_000)
    #expect(bench.link.battery == 50)
    bench.clock.wait(nanoseconds: 1_620_000_000_000)
    var failures = 0
    for _ in 0..<20 {
      do throws(I2CError) { _ = try Self.read(bench.adapter(), 0, 1) } catch { failures += 1 }
    }
    #expect((1..<20).contains(failures))
    bench.clock.wait(nanoseconds: 200_000_000_000)
    #expect(throws: I2CError(.noDevice, errno: .enodev)) { try Self.read(bench.adapter(), 0, 1) }
    #expect(bench.link.battery == 0)
  }

  @Test("a read that is not acknowledged times out, and a write that exceeds a frame is rejected")
  func refusals() throws {
    let bench = try Bench()
    bench.device.address = 0x50
    #expect(throws: I2CError(.timeOut, message: 1, errno: .etimedout)) {
      try Self.read(bench.adapter(), 0, 8)
    }
    try bench.adapter().writeRegister(0xF4, 0x25, at: 0x76)
    var unknown = AutomatBoard.UndocumentedBehavior()
    unknown.answersFailedWrites = false
    unknown.failedReadByte = 0xFF
    let other = AutomatBoard(bench.bus, unknown: unknown)
    #expect(throws: GATTError.noResponse) {
      try other.take([0x76, 0xF4, 0x25], for: AutomatFrame.writeCharacteristic)
    }
    try other.take([0x76, 0xF7, 2], for: AutomatFrame.readCharacteristic)
    #expect(
      try other.value(of: AutomatFrame.readCharacteristic) == [0x76, 0xF7, 2, 0xFF, 0xFF])
    let long = [UInt8](repeating: 0, count: 20)
    #expect(throws: I2CError(.unsupported, errno: .eopnotsupp)) {
      try bench.adapter().write(long.span, to: 0x76)
    }
  }

  @Test("malformed frames do not disturb the board")
  func hostile() throws {
    let bench = try Bench()
    for frame in [[], [0x76], [0xFF, 0, 1], [0x76, 0xFF], [UInt8](repeating: 0xFF, count: 20)] {
      try bench.board.take(frame, for: AutomatFrame.writeCharacteristic)
      try bench.board.take(frame, for: AutomatFrame.readCharacteristic)
      _ = try bench.board.value(of: AutomatFrame.readCharacteristic)
    }
    #expect(throws: GATTError.noSuchCharacteristic) { try bench.board.value(of: 0x1234) }
    #expect(try bench.board.value(of: AutomatFrame.batteryCharacteristic) == [100])
  }
}
