import BME280
import BME280Model
import Environment
import Foundation
import I2C
import Images
import Machines
import STM32F411
import TestSupport
import Testing
import VirtualI2C

/// Test images on the chip.
struct ImageTests {
  /// A chip with an image in flash and the output of its USART2.
  private final class Bench {
    let machine = STM32F411(seed: 1)
    var text = ""
    var times: [UInt64] = []

    init(_ program: String, flags: [String] = []) throws {
      let image = try FirmwareImage(
        path: FirmwareBuild.arm(program, board: "stm32f411", flags: flags).path)
      for segment in image.segments {
        let memory = machine.memory(at: segment.address)
        #expect(memory?.load(segment.bytes, at: segment.address) == true)
      }
      machine.serialPorts[1].output = { [unowned self] byte, time in
        times.append(time)
        text.unicodeScalars.append(Unicode.Scalar(byte))
      }
      machine.reset(.powerOn)
    }

    var lines: [String] { text.split(separator: "\r\n").map(String.init) }
  }

  private static var calibration: InlineArray<33, UInt8> {
    let bytes: [UInt8] = [
      0x10, 0x6E, 0x6C, 0x66, 0x32, 0x00, 0x5D, 0x95, 0xB8, 0xD5, 0xD0, 0x0B, 0x77, 0x1E, 0x9D,
      0xFF, 0xF9, 0xFF, 0xAC, 0x26, 0x0A, 0xD8, 0xBD, 0x10, 0x00, 0x4B, 0x6E, 0x01, 0x00, 0x13,
      0x05, 0x00, 0x1E,
    ]
    return InlineArray { bytes[$0] }
  }

  @Test("a program checks flash, timers, SysTick, EXTI, bit-banding and the watchdog")
  func parts() throws {
    let bench = try Bench("stm32-parts")
    #expect(bench.machine.run(until: 20_000_000_000) == .reset(.watchdog))
    let first = [
      "identity 1073", "size 512", "slow oscillator 3", "flash 1", "cleared bits only 6",
      "locked 1", "error 1", "compare 1", "updates 5", "ticks 10", "edges 3", "half a word 2",
      "watchdog 0",
    ]
    #expect(bench.lines == first)
    bench.text = ""
    #expect(bench.machine.run(until: 20_000_000_000) == .breakInstruction(number: 0xAB))
    #expect(bench.lines == first.dropLast() + ["watchdog 1"])
    #expect(bench.machine.unmodelledRegisters.accesses == [])
  }

  @Test("the reader image reads the sensor over I2C1, as on the other chips")
  func reader() throws {
    let bench = try Bench("reader", flags: ["-DREADINGS=3"])
    let adapter = VirtualAdapter(clock: bench.machine.clock)
    try adapter.attach(
      VirtualBME280(
        chip: .bme280, nvm: Self.calibration, address: 0x76, air: ScriptedAir(constant: .standard),
        options: SensorOptions()))
    bench.machine.i2cPorts[0].wire = adapter.wire(bench.machine.clock)
    #expect(bench.machine.run(until: 20_000_000_000) == .breakInstruction(number: 0xAB))
    let line = "temperature 21.00 C, pressure 1013.24 hPa, humidity 50.00 %"
    #expect(bench.lines == Array(repeating: line, count: 3))
    #expect(bench.machine.unmodelledRegisters.accesses == [])
    #expect((3_000_000_000...3_300_000_000).contains(bench.machine.clock.nanoseconds))
  }

  @Test("the reader image reports a missing sensor at each reading")
  func noDevice() throws {
    let bench = try Bench("reader", flags: ["-DREADINGS=2"])
    #expect(bench.machine.run(until: 20_000_000_000) == .breakInstruction(number: 0xAB))
    #expect(bench.lines == Array(repeating: "error: the sensor does not answer", count: 2))
  }

  @Test(
    "skipping idle loops changes neither bytes nor times, cycles, instructions or registers",
    arguments: [("stm32-waits", [] as [String]), ("stm32-parts", []), ("reader", ["-DREADINGS=2"])])
  func skipping(program: String, flags: [String]) throws {
    var seen: [[String]] = []
    var reads: [Int] = []
    for skips in [true, false] {
      let bench = try Bench(program, flags: flags)
      let adapter = VirtualAdapter(clock: bench.machine.clock)
      try adapter.attach(
        VirtualBME280(
          chip: .bme280, nvm: Self.calibration, address: 0x76,
          air: ScriptedAir(constant: .standard), options: SensorOptions()))
      bench.machine.i2cPorts[0].wire = adapter.wire(bench.machine.clock)
      bench.machine.skipsIdleLoops = skips
      let stop = bench.machine.run(until: 20_000_000_000)
      let core = bench.machine.core
      seen.append(
        [bench.text, "\(bench.times)", "\(stop)", "\(core.cycles)", "\(core.instructions)"]
          + (0..<17).map { "\(core.readRegister($0))" })
      reads.append(bench.machine.registerReads)
    }
    #expect(seen[0] == seen[1])
    #expect(!seen[0][0].isEmpty)
    #expect(reads[0] < reads[1])
  }

  @Test("stop mode stops SysTick and timers, and an edge or the wake-up timer ends it")
  func stopMode() throws {
    let bench = try Bench("stm32-stop")
    let machine = bench.machine
    #expect(machine.run(until: 3_000_000_000) == .reached)
    #expect(bench.lines == [])
    machine.pins.set(0, to: true)
    let stop = machine.run(until: 10_000_000_000)
    #expect(bench.lines == ["ticks 0", "counted 0", "clock 0", "woken"])
    #expect(stop == .breakInstruction(number: 0xAB))
    #expect((3_100_000_000...4_600_000_000).contains(machine.clock.nanoseconds))
  }

  @Test(
    "energy depends on the clock, sleep and the enabled peripherals; every figure names its source"
  )
  func energy() throws {
    let bench = try Bench("stm32-waits")
    #expect(bench.machine.run(until: 20_000_000_000) == .breakInstruction(number: 0xAB))
    let (ledger, now) = (bench.machine.energy, bench.machine.clock.nanoseconds)
    func state(_ name: String) throws -> Int {
      try #require(ledger.states.firstIndex { $0.name == name })
    }
    let (running, asleep) = (try state("running"), try state("sleep"))
    let awake = ledger.nanoseconds(of: running, at: now)
    let slept = ledger.nanoseconds(of: asleep, at: now)
    // The program sleeps for 50 ms of the second, except for its handler.
    #expect((49_000_000...50_100_000).contains(slept))
    #expect(now - awake - slept < 1000)
    // 84 MHz almost all the time.
    let mean = ledger.charge(of: running, at: now) / (Double(awake) / 1e9)
    #expect((8300...8400).contains(mean), "\(mean)")
    #expect(ledger.nanoseconds(of: try state("TIM2"), at: now) > 800_000_000)
    #expect(ledger.nanoseconds(of: try state("TIM3"), at: now) == 0)
    #expect(ledger.states.allSatisfy { $0.source.hasPrefix("assumption: ") })
  }

  @Test("the energy ledger counts stop mode as the stop state")
  func stopEnergy() throws {
    let bench = try Bench("stm32-stop")
    #expect(bench.machine.run(until: 3_000_000_000) == .reached)
    let (ledger, now) = (bench.machine.energy, bench.machine.clock.nanoseconds)
    let stopped = [2, 3].reduce(0) { $0 + ledger.nanoseconds(of: $1, at: now) }
    #expect(stopped > 2_900_000_000)
    #expect(ledger.states.indices.reduce(0) { $0 + ledger.charge(of: $1, at: now) } < 3000)
  }
}
