import I2C
import Machines
import Testing
import VirtualI2C

/// Tests of a bit-banged bus.
struct PinWireTests {
  /// A program that drives two pins, a quarter of a bit at a time.
  private final class Program {
    let bank = PinBank(["SCL", "SDA", "LED"])
    let clock = VirtualClock(nanoseconds: 1_000)
    let target: Echo
    let wire: PinWire
    private let schedule = EventSchedule()
    private let waits: Bool

    /// Creates a program, and a target that stretches the clock before its first byte.
    init(hold: UInt64 = 0, waits: Bool = true) throws {
      let adapter = VirtualAdapter(clock: clock)
      target = Echo(hold: hold)
      self.waits = waits
      try adapter.attach(target)
      let time = MachineClock(frequency: 1_000_000_000) { [clock] in clock.nanoseconds }
      wire = PinWire(
        bank, clock: 0, data: 1, wire: adapter.anyWire(clock), schedule: schedule, time: time)
    }

    private func pass() {
      clock.wait(nanoseconds: 2_500)
      schedule.fire(upTo: clock.nanoseconds)
    }

    private func put(_ pin: Int, _ level: Bool) {
      pass()
      bank.set(pin, level ? .pulled(true) : .driven(false), at: clock.nanoseconds)
    }

    func start() {
      put(1, true)
      put(0, true)
      put(1, false)
      put(0, false)
    }

    func stop() {
      put(1, false)
      put(0, true)
      put(1, true)
    }

    /// Transfers a bit; returns the level of SDA while SCL was high.
    @discardableResult
    func bit(_ level: Bool) -> Bool {
      put(1, level)
      put(0, true)
      for _ in 0..<100_000 where waits && !bank.level(of: 0) { pass() }
      let seen = bank.level(of: 1)
      put(0, false)
      return seen
    }

    /// Writes a byte; returns whether it was acknowledged.
    func write(_ byte: UInt8) -> Bool {
      for index in 0..<8 { bit(byte << UInt8(index) & 0x80 != 0) }
      return !bit(true)
    }

    func read(acknowledging: Bool) -> UInt8 {
      let byte = (0..<8).reduce(UInt8(0)) { byte, _ in byte << 1 | (bit(true) ? 1 : 0) }
      bit(!acknowledging)
      return byte
    }
  }

  /// A target whose reads continue from the byte written first.
  private final class Echo: VirtualI2CDevice {
    let address: I2CAddress = 0x76
    private(set) var seen: [String] = []
    private var next: UInt8?
    private var hold: UInt64

    init(hold: UInt64) { self.hold = hold }

    func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
      seen.append("S \(direction)")
      return true
    }

    func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
      seen.append("\(byte)")
      if next == nil { next = byte }
      return true
    }

    func read(at time: inout WireTime) -> UInt8 {
      seen.append("R")
      time.stretch(nanoseconds: hold)
      hold = 0
      defer { next = (next ?? 0) &+ 1 }
      return next ?? 0xFF
    }

    func stop(at time: inout WireTime) { seen.append("P") }
  }

  @Test("bits on two pins produce the same transfer as a controller")
  func transfers() throws {
    let program = try Program()
    program.start()
    #expect(program.write(0x76 << 1))
    #expect(program.write(0xA5))
    #expect(program.write(0x5A))
    program.start()
    #expect(program.write(0x76 << 1 | 1))
    let bytes = [true, true, false].map { program.read(acknowledging: $0) }
    program.stop()
    #expect(bytes == [0xA5, 0xA6, 0xA7])
    #expect(
      program.target.seen == [
        "S write", "165", "90", "S read", "R", "R", "R", "P",
      ])
  }

  @Test("a program that ignores clock stretching reads wrong bytes")
  func stretching() throws {
    func bytes(_ program: Program) -> [UInt8] {
      program.start()
      #expect(program.write(0x76 << 1) && program.write(0xA5))
      program.start()
      #expect(program.write(0x76 << 1 | 1))
      return [true, true, false].map { program.read(acknowledging: $0) }
    }
    let patient = try Program(hold: 20_000_000)
    let begin = patient.clock.nanoseconds
    #expect(bytes(patient) == [0xA5, 0xA6, 0xA7])
    let length = patient.clock.nanoseconds - begin
    #expect((20_000_000...21_500_000).contains(length))
    patient.stop()
    #expect(patient.write(0x20) == false)
    #expect(try bytes(Program(hold: 20_000_000, waits: false)) != [0xA5, 0xA6, 0xA7])
  }

  @Test("an unused address is not acknowledged, and the next transfer is complete")
  func noDevice() throws {
    let program = try Program()
    program.start()
    #expect(!program.write(0x20 << 1))
    program.stop()
    program.start()
    #expect(program.write(0x76 << 1))
    program.stop()
  }

  @Test("SCL and SDA are high while undriven, and other pins have no effect")
  func idle() throws {
    let program = try Program()
    #expect(program.bank.level(of: 0) && program.bank.level(of: 1))
    program.start()
    for _ in 0..<4 { program.bank.set(2, .driven(true), at: 0) }
    #expect(program.write(0x76 << 1))
    program.stop()
    #expect(program.bank.level(of: 1))
  }
}
