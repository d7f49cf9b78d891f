import Foundation
import TestSupport
import Testing

@testable import FirmwareRuns

/// Programs that sleep with their interrupts off: for ever, or until something wakes them.
struct SleepTests {
  private func arm(_ kind: Int, _ flags: String...) throws -> Outcome {
    let image = try FirmwareBuild.arm("wrong", flags: ["-DKIND=\(kind)"] + flags)
    return try Firmware.run(image) { $0.duration = 100_000_000 }
  }

  private func avr(_ mode: String, _ flags: String...) throws -> Outcome {
    let image = try FirmwareBuild.avr("avr-sleep", flags: ["-DMODE=SLEEP_MODE_\(mode)"] + flags)
    return try Firmware.run(image, on: "atmega328p") { $0.duration = 2_000_000_000 }
  }

  @Test("WFI and WFE that nothing can end are told when the time is over", arguments: [19, 20])
  func forEver(_ kind: Int) throws {
    let outcome = try arm(kind)
    let message = try #require(outcome.failure.first)
    #expect(
      message.contains(
        "asleep with interrupts off, and nothing that is enabled will wake it, at sleep_masked+"),
      "\(message)")
    #expect(outcome.ending?.status == 1 && outcome.ending?.time == 110_000_000)
    #expect(outcome.failure.last?.hasSuffix("i2c-1 0x76  w d0  r 60") == true)
  }

  @Test("WFI ends though interrupts are off where an enabled one comes, which is no mistake")
  func masked() throws {
    let outcome = try arm(19, "-DWAKES")
    #expect(outcome.output.hasPrefix("before\r\nawake\r\n"))
    #expect(outcome.failure == [] && outcome.ending?.cause == .time)
  }

  @Test("a watchdog that nobody feeds is still to come")
  func watched() throws {
    let outcome = try arm(19, "-DWATCHED")
    #expect(outcome.failure == [] && outcome.ending?.cause == .time)
    #expect(outcome.notices.contains { $0.hasSuffix("s: reset by the watchdog") })
  }

  @Test(
    "on an AVR it is how a program ends or switches itself off: it is said, no more",
    arguments: ["IDLE", "PWR_DOWN"])
  func off(mode: String) throws {
    let outcome = try avr(mode)
    #expect(outcome.failure == [] && outcome.ending?.cause == .time)
    let notes = outcome.notices.filter { $0.hasPrefix("it has switched itself off: ") }
    #expect(notes.count == 1 && notes[0].contains("at main+"), "\(outcome.notices)")
  }

  @Test("an AVR that an interrupt or its watchdog will wake is left alone")
  func wakes() throws {
    let awake = try avr("IDLE", "-DWAKES")
    #expect(awake.failure == [] && awake.notices == [], "\(awake.notices)")
    // Interrupt and reset: the second time that nobody takes the interrupt is a reset; the flag of that holds it on.
    let watched = try avr("PWR_DOWN", "-DWATCHED=(1<<WDIE|1<<WDE)")
    #expect(watched.failure == [])
    #expect(watched.notices.first?.hasSuffix("s: reset by the watchdog") == true)
    #expect(!watched.notices.contains { $0.hasPrefix("it has switched itself off") })
    // The interrupt alone wakes nobody.
    let masked = try avr("PWR_DOWN", "-DWATCHED=(1<<WDIE)")
    #expect(masked.notices.contains { $0.hasPrefix("it has switched itself off: ") })
  }
}
