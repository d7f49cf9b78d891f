import FirmwareRuns
import Foundation
import TestSupport
import Testing

/// Tests of programs that sleep with interrupts disabled, forever or until an event wakes them.
struct SleepTests {
  private func arm(_ kind: Int, _ flags: String...) throws -> Outcome {
    let image = try FirmwareBuild.arm("wrong", flags: ["-DKIND=\(kind)"] + flags)
    return try Firmware.run(image) { $0.duration = 100_000_000 }
  }

  private func avr(_ mode: String, _ flags: String...) throws -> Outcome {
    let image = try FirmwareBuild.avr("avr-sleep", flags: ["-DMODE=SLEEP_MODE_\(mode)"] + flags)
    return try Firmware.run(image, on: "atmega328p") { $0.duration = 2_000_000_000 }
  }

  @Test("a WFI or WFE that never ends is reported at the end of the run", arguments: [19, 20])
  func forEver(_ kind: Int) throws {
    let outcome = try arm(kind)
    let message = try #require(outcome.failure.first)
    #expect(
      message.contains(
        "asleep with interrupts disabled, and no enabled source will wake the core, at sleep_masked+"
      ),
      "\(message)")
    #expect(outcome.ending?.status == 1 && outcome.ending?.time == 110_000_000)
    #expect(outcome.failure.last?.hasSuffix("i2c-1 0x76  w d0  r 60") == true)
  }

  @Test("WFI with interrupts masked ends at an enabled interrupt, and is not reported")
  func masked() throws {
    let outcome = try arm(19, "-DWAKES")
    #expect(outcome.output.hasPrefix("before\r\nawake\r\n"))
    #expect(outcome.failure == [] && outcome.ending?.cause == .time)
  }

  @Test("a sleep that a running watchdog will end is not reported as endless")
  func watched() throws {
    let outcome = try arm(19, "-DWATCHED")
    #expect(outcome.failure == [] && outcome.ending?.cause == .time)
    #expect(outcome.notices.contains { $0.hasSuffix("s: reset by the watchdog") })
  }

  @Test(
    "on an AVR, sleep with interrupts disabled counts as power-off and gives only a notice",
    arguments: ["IDLE", "PWR_DOWN"])
  func off(mode: String) throws {
    let outcome = try avr(mode)
    #expect(outcome.failure == [] && outcome.ending?.cause == .time)
    let notes = outcome.notices.filter { $0.hasPrefix("the program has powered off: ") }
    #expect(notes.count == 1 && notes[0].contains("at main+"), "\(outcome.notices)")
  }

  @Test("an AVR that an interrupt or its watchdog will wake is not reported")
  func wakes() throws {
    let awake = try avr("IDLE", "-DWAKES")
    #expect(awake.failure == [] && awake.notices == [], "\(awake.notices)")
    // Interrupt and reset mode: the second timeout without a handler resets the part; the reset flag keeps the watchdog
    // on.
    let watched = try avr("PWR_DOWN", "-DWATCHED=(1<<WDIE|1<<WDE)")
    #expect(watched.failure == [])
    #expect(watched.notices.first?.hasSuffix("s: reset by the watchdog") == true)
    #expect(!watched.notices.contains { $0.hasPrefix("the program has powered off") })
    // The interrupt alone does not wake the core.
    let masked = try avr("PWR_DOWN", "-DWATCHED=(1<<WDIE)")
    #expect(masked.notices.contains { $0.hasPrefix("the program has powered off: ") })
  }
}
