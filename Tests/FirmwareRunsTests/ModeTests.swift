import Foundation
import TestSupport
import Testing

@testable import FirmwareRuns

/// Modes that are not modelled, of registers that are.
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
    ("atmega328p", 0, "external clock on pin T1 of timer 1 (the register at 0x800081)"),
    ("atmega328p", 1, "input capture of timer 1 (the register at 0x80006f)"),
    ("atmega328p", 2, "output pin OC0A of timer 0 (the register at 0x800044)"),
    ("atmega328p", 3, "output pin OC2B of timer 2 (the register at 0x8000b0)"),
    ("atmega328p", 4, "TWI as a target (TWAR) (the register at 0x8000ba)"),
    ("stm32f411", 2, "SPI as a target (CR1.MSTR is 0) (the register at 0x40013000)"),
    ("stm32f411", 0, "input capture (CCMR1.CCxS) of TIM2 (the register at 0x40000018)"),
    (
      "stm32f411", 1,
      "counting down or center-aligned (CR1.DIR, CMS) of TIM2 (the register at 0x40000000)"
    ),
  ]

  @Test("a mode that is not modelled is reported once, by its name", arguments: modes)
  func reported(_ part: String, _ kind: Int, _ name: String) throws {
    let outcome = try run(part, kind)
    let notices = outcome.notices.filter { $0.contains("not modelled") }
    #expect(notices == ["it uses \(name), which is not modelled"])
    #expect(outcome.ending?.status == 0)
  }

  @Test("with --strict it ends the run, and the function that used it is named", arguments: modes)
  func strict(_ part: String, _ kind: Int, _ name: String) throws {
    let outcome = try run(part, kind, strict: true)
    let message = try #require(outcome.failure.first)
    #expect(message.contains("\(name) is not modelled (--strict), at use_mode"), "\(message)")
    #expect(outcome.ending?.status == 1)
  }

  @Test("what is modelled of a timer is not reported", arguments: ["atmega328p", "stm32f411"])
  func modelled(_ part: String) throws {
    let outcome = try run(part, 9, strict: true)
    #expect(outcome.failure == [] && !outcome.notices.contains { $0.contains("not modelled") })
  }
}
