import Environment
import Glibc
import I2C
import PartFiles
import Parts
import Testing
import VirtualI2C

/// A described part answers what data sheets leave open as its file, a rig, or harshness says.
struct DescribedBehaviorTests {
  @Test("during start-up a described part does not acknowledge its address, or it does")
  func start() throws {
    #expect(throws: I2CError.self) { try DescribedBench("sht4x", isStarted: false).write(0xFD) }
    let bench = try DescribedBench("sht4x", isStarted: false) {
      $0.unknown.accessDuringStart = .taken
    }
    try bench.write(0xFD)
  }

  @Test(
    "a measurement starts with the last byte of its command, or with the STOP after it",
    arguments: [(DescribedBehavior.Trigger.byte, true), (.stop, false)])
  func command(_ trigger: DescribedBehavior.Trigger, _ isReady: Bool) throws {
    let bench = try DescribedBench("sht4x") { $0.unknown.trigger = trigger }
    var time = WireTime(start: bench.clock.nanoseconds, frequency: 100_000)
    #expect(bench.part.start(.write, at: &time))
    #expect(bench.part.write(0xFD, at: &time))
    // A repeated START, long after the command.
    time = WireTime(start: time.nanoseconds + 20_000_000, frequency: 100_000)
    #expect(bench.part.start(.read, at: &time) == isReady)
    bench.part.stop(at: &time)
    time = WireTime(start: time.nanoseconds + 20_000_000, frequency: 100_000)
    // A result that has been read is not read again.
    #expect(bench.part.start(.read, at: &time) == !isReady)
  }

  @Test(
    "a written register starts a measurement with its last byte, or with the STOP after it",
    arguments: [(DescribedBehavior.Trigger.byte, [0x05, 0x83]), (.stop, [0x85, 0x83])])
  func register(_ trigger: DescribedBehavior.Trigger, _ read: [UInt8]) throws {
    let bench = try DescribedBench("ads1115") { $0.unknown.trigger = trigger }
    var time = WireTime(start: bench.clock.nanoseconds, frequency: 100_000)
    #expect(bench.part.start(.write, at: &time))
    for byte: UInt8 in [0x01, 0x85, 0x83] { #expect(bench.part.write(byte, at: &time)) }
    // The highest bit is 0 during a conversion.
    #expect(bench.part.start(.read, at: &time))
    #expect([bench.part.read(at: &time), bench.part.read(at: &time)] == read)
    bench.part.stop(at: &time)
    #expect(try bench.register(0x01, 2) == [0x05, 0x83])
  }

  @Test("the result of a command can be read once, or again")
  func secondRead() throws {
    for behavior in DescribedBehavior.SecondRead.allCases {
      let bench = try DescribedBench("sht4x") { $0.unknown.secondRead = behavior }
      try bench.write(0xFD)
      bench.wait(milliseconds: 10)
      let first = try bench.read(6)
      if behavior == .again {
        #expect(try bench.read(6) == first)
      } else {
        #expect(throws: I2CError.self) { try bench.read(6) }
      }
    }
  }

  @Test("a read without a command is not acknowledged, or returns ones or zeros")
  func idleRead() throws {
    #expect(throws: I2CError.self) { try DescribedBench("sht4x").read(2) }
    for (empty, byte) in [(DescribedBehavior.Emptiness.ones, UInt8(0xFF)), (.zeros, 0x00)] {
      let bench = try DescribedBench("sht4x") {
        ($0.unknown.idleRead, $0.unknown.pastEnd) = (.empty, empty)
      }
      #expect(try bench.read(2) == [byte, byte])
    }
  }

  @Test("data for a read-only register of a described part are acknowledged or not")
  func readOnly() throws {
    try DescribedBench("tmp102").write(0x00, 0x12, 0x34)
    let bench = try DescribedBench("tmp102") { $0.unknown.readOnlyWrite = .nack }
    #expect(throws: I2CError.self) { try bench.write(0x00, 0x12, 0x34) }
    try bench.write(0x00)
    try bench.write(0x01, 0x60, 0xA0)
  }

  @Test("reserved bits of a described part keep their value, or read back as written")
  func reservedBits() throws {
    for (behavior, word) in [
      (DescribedBehavior.ReservedWrite.kept, [UInt8(0x00), 0x08]), (.taken, [0xF8, 0x08]),
    ] {
      let bench = try DescribedBench("mcp9808") { $0.unknown.reservedWrite = behavior }
      try bench.write(0x01, 0xF8, 0x08)
      #expect(try bench.register(0x01, 2) == word)
    }
  }

  @Test(
    "a register that the file lacks reads ones or zeros, and so do the bytes after the last one")
  func emptiness() throws {
    let ones = try DescribedBench("lm75")
    #expect(try ones.register(0x0A, 2) == [0xFF, 0xFF])
    let zeros = try DescribedBench("lm75") { $0.unknown.reservedRegisters = .zeros }
    #expect(try zeros.register(0x0A, 2) == [0x00, 0x00])
    for (empty, byte) in [(DescribedBehavior.Emptiness.ones, UInt8(0xFF)), (.zeros, 0x00)] {
      let bench = try DescribedBench("sht4x") { $0.unknown.pastEnd = empty }
      try bench.write(0x89)
      #expect(try bench.read(8).suffix(2) == [byte, byte])
    }
  }

  @Test(
    "a harsh part keeps the answers that its file documents, and gives the harsh ones otherwise")
  func harsh() throws {
    func harsh(_ name: String) throws -> DescribedBehavior {
      var options = DescribedOptions(try #require(PartFile.builtIn(name)).description)
      options.turnHarsh()
      return options.unknown
    }
    let documented = try harsh("sht3x")
    #expect(documented.secondRead == .idle && documented.idleRead == .nack)
    #expect(documented.pastEnd == .zeros && documented.trigger == .stop)
    let open = try harsh("sht4x")
    #expect(open.secondRead == .again && open.idleRead == .empty)
  }

  @Test(
    "a heater that is on for a limited time warms by its power, is measured at its end, and cools",
    arguments: [(UInt8(0x39), 60.0, 1.0), (0x2F, 33, 1), (0x1E, 6, 1), (0x32, 60, 0.1)])
  func heating(_ command: UInt8, _ rise: Double, _ seconds: Double) throws {
    let bench = try DescribedBench(
      "sht4x", in: Air(pressure: 101_325, temperature: 20, humidity: 50))
    func measure(_ command: UInt8, after milliseconds: Double) throws -> Double {
      try bench.write(command)
      bench.wait(milliseconds: milliseconds)
      let bytes = try bench.read(2)
      return Double(UInt16(bytes[0]) << 8 | UInt16(bytes[1])) * 175 / 65535 - 45
    }
    let reached = rise * (1 - exp(-seconds / 0.5))
    #expect(abs(try measure(command, after: seconds * 1000) - 20 - reached) < 0.01)
    // A tenth of a second and the duration of a measurement later.
    bench.wait(milliseconds: 100)
    let left = reached * exp(-0.107 / 0.5)
    #expect(abs(try measure(0xFD, after: 10) - 20 - left) < 0.2)
    bench.wait(milliseconds: 10_000)
    #expect(abs(try measure(0xFD, after: 10) - 20) < 0.01)
  }

  @Test(
    "the built-in drivers read every described part although it is harsh",
    arguments: DescribedPartTests.parts)
  func driver(_ name: String) throws {
    let bench = try DescribedBench(name, isStarted: false) { $0.turnHarsh() }
    let model = bench.model
    let driver = model.driver(model.usualSettings, bench.adapter, bench.clock, at: bench.address)
    try driver.start()
    let sample = try driver.sample()
    for value in model.description.values {
      guard case .air(let quantity) = value.source.elements[0] else { continue }
      let read = try #require(sample[quantity])
      #expect(abs(read - bench.part.air.air(at: 0)[quantity]) <= value.scale.elements[0] / 2 + 1e-9)
    }
  }
}
