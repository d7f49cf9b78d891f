import BME280
import BME280Model
import Environment
import Foundation
import I2C
import Images
import Machines
import RP2040
import TestSupport
import Testing
import VirtualI2C

/// Test images on the chip.
struct ImageTests {
  /// A chip with an image in flash and the output of its UART0.
  private final class Bench {
    let machine = RP2040(seed: 1)
    var text = ""

    init(_ program: String, flags: [String] = []) throws {
      let image = try FirmwareImage(
        path: FirmwareBuild.arm(
          program, board: "rp2040", flags: ["-mcpu=cortex-m0plus"] + flags
        ).path)
      for segment in image.segments {
        let memory = machine.memory(at: segment.address)
        #expect(memory?.load(segment.bytes, at: segment.address) == true)
      }
      machine.serialPorts[0].output = { [unowned self] byte, _ in
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

  @Test("the reader image reads the sensor over I2C0, as on the other chips")
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

  @Test("skipping idle loops changes neither the output nor the time of the end")
  func skipping() throws {
    var ends: [[String]] = []
    for skips in [true, false] {
      let bench = try Bench("reader", flags: ["-DREADINGS=1"])
      bench.machine.skipsIdleLoops = skips
      _ = bench.machine.run(until: 5_000_000_000)
      ends.append(bench.lines + ["\(bench.machine.core.cycles)"])
    }
    #expect(ends[0] == ends[1])
  }

  @Test("the boot ROM's functions are found by their codes, compute, and write the flash")
  func rom() throws {
    let bench = try Bench("rp2040-rom")
    #expect(bench.machine.run(until: 5_000_000_000) == .breakInstruction(number: 0xAB))
    #expect(
      bench.lines == [
        "version 3", "missing 0", "population 8", "zeros 15", "reversed 1", "sum 105",
        "operations 32", "product 375", "floor -2", "fixed 832", "quotient 142857", "written 5",
        "cleared only 0", "erased 255",
      ])
    #expect(bench.machine.unmodelledRegisters.accesses == [])
  }

  @Test(
    "an image without a second boot stage runs, with a hint that a real chip would not start it")
  func noBootStage() throws {
    let bench = try Bench("hello")
    var hints: [String] = []
    bench.machine.unmodelledRegisters.didHint = { hints.append($0) }
    bench.machine.memories[0].load([1], at: 0x1000_0000)
    bench.machine.reset(.powerOn)
    #expect(hints.count == 1 && hints[0].contains("second boot stage"))
    #expect(bench.machine.run(until: 1_000_000_000) == .breakInstruction(number: 0xAB))
    #expect(bench.lines == ["hello from firmware"])
  }
}
