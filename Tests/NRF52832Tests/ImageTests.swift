import BME280
import BME280Model
import Environment
import Foundation
import I2C
import Images
import Machines
import NRF52832
import Support
import TestSupport
import Testing
import VirtualI2C

/// Test images on the chip, with a sensor on both buses.
struct ImageTests {
  private final class Bench {
    let machine = NRF52832(seed: 1)
    var text = ""
    var stops: [MachineStop] = []
    var times: [UInt64] = []

    init(_ program: String, flags: [String] = []) throws {
      let image = try FirmwareImage(path: FirmwareBuild.arm(program, flags: flags).path)
      for segment in image.segments {
        #expect(
          machine.memory(at: segment.address)?.load(segment.bytes, at: segment.address) == true)
      }
      let adapter = VirtualAdapter(clock: machine.clock)
      try adapter.attach(
        VirtualBME280(
          chip: .bme280, nvm: Self.memory, address: 0x76, air: ScriptedAir(constant: .standard),
          options: SensorOptions()))
      for port in machine.i2cPorts { port.wire = adapter.anyWire(machine.clock) }
      machine.serialPorts[0].output = { [unowned self] byte, time in
        times.append(time)
        text.unicodeScalars.append(Unicode.Scalar(byte))
      }
      machine.reset(.powerOn)
    }

    private static var memory: InlineArray<33, UInt8> {
      let bytes: [UInt8] = [
        0x10, 0x6E, 0x6C, 0x66, 0x32, 0x00, 0x5D, 0x95, 0xB8, 0xD5, 0xD0, 0x0B, 0x77, 0x1E, 0x9D,
        0xFF, 0xF9, 0xFF, 0xAC, 0x26, 0x0A, 0xD8, 0xBD, 0x10, 0x00, 0x4B, 0x6E, 0x01, 0x00, 0x13,
        0x05, 0x00, 0x1E,
      ]
      return InlineArray { bytes[$0] }
    }

    /// Runs until the program ends by semihosting, at most for a number of seconds.
    func run(seconds: Double = 60) {
      let stop = machine.run(until: UInt64(seconds * 1e9))
      stops.append(stop)
    }
  }

  @Test("a test image reads the sensor over TWIM and TWI, and prints with UARTE and PPI")
  func twoWays() throws {
    let bench = try Bench("two-ways")
    bench.run()
    #expect(bench.stops == [.breakInstruction(number: 0xAB)])
    #expect(
      bench.text == """
        twim id 60
        twim data 10 6e 6c 66 32 00
        twim absent!
        twi id 60
        twi data 10 6e 6c 66 32 00
        twi absent!

        """)
    #expect(bench.machine.unmodelledRegisters.accesses == [])
  }

  @Test("the reader image reads once a second and sleeps in between")
  func reader() throws {
    let bench = try Bench("reader", flags: ["-DREADINGS=3"])
    bench.run()
    #expect(bench.text.split(separator: "\r\n").count == 3)
    #expect(bench.text.hasPrefix("temperature 21.00 C, pressure 1013.24 hPa"))
    let energy = bench.machine.energy
    let now = bench.machine.clock.nanoseconds
    #expect(now > 3_000_000_000)
    #expect(energy.nanoseconds(of: 0, at: now) < now / 20)
    #expect(bench.machine.unmodelledRegisters.accesses == [])
  }

  @Test("two runs of an image are identical in bytes and cycles")
  func repeats() throws {
    var seen: Set<String> = []
    for _ in 0..<2 {
      let bench = try Bench("reader", flags: ["-DREADINGS=3"])
      bench.run()
      seen.insert("\(bench.text) \(bench.machine.core.cycles)")
    }
    #expect(seen.count == 1)
  }

  @Test(
    "skipping idle loops changes neither bytes nor times, cycles or instructions",
    arguments: [("two-ways", [] as [String]), ("reader", ["-DREADINGS=3"]), ("waiter", [])])
  func skipping(program: String, flags: [String]) throws {
    var seen: [[String]] = []
    for skips in [true, false] {
      let bench = try Bench(program, flags: flags)
      bench.machine.skipsIdleLoops = skips
      bench.run(seconds: 20)
      let core = bench.machine.core
      seen.append(
        [bench.text, "\(bench.times)", "\(bench.stops)", "\(core.cycles)", "\(core.instructions)"]
          + (0..<17).map { "\(core.readRegister($0))" })
    }
    #expect(seen[0] == seen[1])
    #expect(!seen[0][0].isEmpty)
  }

  @Test("skipping idle loops saves at least 95% of the register reads")
  func passing() throws {
    var reads: [Bool: Int] = [:]
    for skips in [true, false] {
      let bench = try Bench("waiter")
      bench.machine.skipsIdleLoops = skips
      bench.run(seconds: 20)
      reads[skips] = bench.machine.registerReads
    }
    let (with, without) = (reads[true] ?? 0, reads[false] ?? 0)
    #expect(with > 0)
    #expect(with * 20 < without)
  }
}
