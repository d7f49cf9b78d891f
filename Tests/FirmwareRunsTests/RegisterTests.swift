import FirmwareRuns
import Foundation
import Support
import TestSupport
import Testing

/// Tests of unmodelled registers and their names.
struct RegisterTests {
  static let svd = """
    <?xml version="1.0"?>
    <!-- a comment > -->
    <device schemaVersion="1.1"><peripherals>
      <peripheral><name>EGU</name><baseAddress>0x40013000</baseAddress>
        <registers>
          <register><name>CONTROL</name><addressOffset>0xFF0</addressOffset></register>
          <register><dim>3</dim><dimIncrement>4</dimIncrement><name>EVENTS[%s]</name>
            <addressOffset>0x100</addressOffset></register>
          <cluster><name>PSEL</name><addressOffset>0x500</addressOffset>
            <register><name>TXD</name><addressOffset>4</addressOffset></register></cluster>
        </registers></peripheral>
      <peripheral derivedFrom="EGU"><name>EGU2</name><baseAddress>0x40023000</baseAddress></peripheral>
    </peripherals></device>
    """

  @Test("an SVD file gives the names of registers in arrays, clusters and derived peripherals")
  func names() throws {
    let names = try RegisterNames(Self.svd, path: "a.svd")
    #expect(names.name(at: 0x4001_3FF0) == "EGU.CONTROL")
    #expect(names.name(at: 0x4001_3108) == "EGU.EVENTS[2]")
    #expect(names.name(at: 0x4001_3505) == "EGU.PSEL.TXD")
    #expect(names.name(at: 0x4002_3FF0) == "EGU2.CONTROL")
    #expect(names.name(at: 0x4001_310C) == nil)
  }

  @Test(
    "a file that is not CMSIS-SVD is rejected",
    arguments: ["", "text", "<a>", "<a></b>", "<a/>", "<device><peripherals/></device>"])
  func damaged(text: String) {
    let failure = #expect(throws: Failure.self) { try RegisterNames(text, path: "a.svd") }
    #expect(failure?.exitStatus == 65)
  }

  @Test("a damaged SVD file neither crashes nor hangs its reader")
  func mutations() throws {
    var generator = Seeded("SVD files")
    for _ in 0..<Repetitions.mutations {
      let bytes = Mutator.mutated(Array(Self.svd.utf8), using: &generator)
      _ = try? RegisterNames(String(decoding: bytes, as: UTF8.self), path: "a")
    }
  }

  @Test("an unmodelled register is reported once, with its name if known")
  func told() throws {
    let image = try FirmwareBuild.arm("wrong", flags: ["-DKIND=6", "-Wno-infinite-recursion"])
    let plain = try Firmware.run(image)
    #expect(plain.output == "before\r\nbehind\r\n")
    #expect(plain.outputBeforeNotices == ["before\r\n"])
    #expect(
      plain.notices == [
        "the program writes the register at 0x40013ff0, which is not modelled and keeps the value written"
      ])
    let names = try RegisterNames(Self.svd, path: "a.svd")
    let named = try Firmware.run(image) { $0.registers = names }
    #expect(named.notices[0].hasPrefix("the program writes EGU.CONTROL (0x40013ff0), which"))
    let strict = try Firmware.run(image) {
      $0.registers = names
      $0.isStrict = true
    }
    #expect(strict.ending?.status == 1 && strict.output == "before\r\n")
    #expect(
      strict.failure[0].contains("EGU.CONTROL (0x40013ff0) is not modelled (--strict), at main"))
  }
}

/// Tests of unmodelled modes of modelled registers.
struct ModeTests {
  private func run(
    _ part: String, _ kind: Int, strict: Bool = false
  ) throws -> Outcome {
    let image =
      part == "atmega328p"
      ? try FirmwareBuild.avr("modes", flags: ["-DKIND=\(kind)", "avr-board.c", "print.c"])
      : try FirmwareBuild.arm("modes", board: part, flags: ["-DKIND=\(kind)"])
    return try Firmware.run(image, on: part) {
      $0.duration = 100_000_000
      $0.isStrict = strict
    }
  }

  static let modes = [
    ("atmega328p", 0, "noise canceler of the input capture of timer 1 (the register at 0x800081)"),
    ("atmega328p", 4, "TWI as a target (TWAR) (the register at 0x8000ba)"),
    ("stm32f411", 2, "SPI as a target (CR1.MSTR is 0) (the register at 0x40013000)"),
    ("stm32f411", 0, "a trigger that is no timer's (SMCR.TS) of TIM2 (the register at 0x40000008)"),
    ("stm32f411", 1, "the XOR of three inputs (CR2.TI1S) of TIM2 (the register at 0x40000004)"),
  ]

  @Test("an unmodelled mode of a peripheral is reported once, by its name", arguments: modes)
  func reported(_ part: String, _ kind: Int, _ name: String) throws {
    let outcome = try run(part, kind)
    let notices = outcome.notices.filter { $0.contains("not modelled") }
    #expect(notices == ["the program uses \(name), which is not modelled"])
    #expect(outcome.ending?.status == 0)
  }

  @Test(
    "with --strict an unmodelled mode ends the run, and the message names the function that used it",
    arguments: modes)
  func strict(_ part: String, _ kind: Int, _ name: String) throws {
    let outcome = try run(part, kind, strict: true)
    let message = try #require(outcome.failure.first)
    #expect(message.contains("\(name) is not modelled (--strict), at use_mode"), "\(message)")
    #expect(outcome.ending?.status == 1)
  }

  @Test(
    "modelled functions of a timer are not reported as unmodelled",
    arguments: ["atmega328p", "stm32f411"])
  func modelled(_ part: String) throws {
    let outcome = try run(part, 9, strict: true)
    #expect(outcome.failure == [] && !outcome.notices.contains { $0.contains("not modelled") })
  }
}
