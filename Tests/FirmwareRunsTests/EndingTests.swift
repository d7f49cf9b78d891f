import FirmwareRuns
import Foundation
import Images
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Tests of the ways a firmware run ends.
struct EndingTests {
  private func wrong(_ kind: Int, _ change: (inout FirmwareOptions) -> Void = { _ in }) throws
    -> Outcome
  {
    try Firmware.run(
      FirmwareBuild.arm("wrong", flags: ["-DKIND=\(kind)", "-Wno-infinite-recursion"]), change)
  }

  @Test("an image prints text and exits with a status by semihosting")
  func exit() throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("hello"))
    #expect(outcome.output == "hello from firmware\r\n")
    #expect(outcome.ending?.cause == .exit(7) && outcome.ending?.status == 7)
  }

  @Test("an image reads the sensor of the built-in rig until its duration has elapsed")
  func reader() throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("reader"))
    let lines = outcome.output.split(separator: "\r\n")
    #expect(lines.count == 10)
    #expect(
      Set(lines) == ["temperature 21.00 C, pressure 1013.24 hPa, humidity 50.00 %"])
    #expect(outcome.ending?.cause == .time && outcome.ending?.time == 10_010_000_000)
  }

  @Test("a serial line that matches a pattern ends the run, and later output is discarded")
  func line() throws {
    let pattern = try #require(SerialPattern("/humidity [0-9.]+ %/"))
    let outcome = try Firmware.run(FirmwareBuild.arm("reader")) { $0.endings = [pattern] }
    #expect(outcome.output.split(separator: "\r\n").count == 1)
    #expect(outcome.ending?.cause == .line("humidity [0-9.]+ %"))
    #expect(SerialPattern("(") == nil)
  }

  @Test("output after the line that ends the run is discarded, however long its transmission takes")
  func nothingBehind() throws {
    let pattern = try #require(SerialPattern("/humidity [0-9.]+ %/"))
    let runs = try [3, 7, 3600].map { seconds in
      try Firmware.run(FirmwareBuild.arm("reader")) {
        ($0.endings, $0.duration) = ([pattern], seconds * 1_000_000_000)
      }
    }
    #expect(runs.allSatisfy { $0.ending == runs[0].ending })
    let results = runs.map { run in
      run.events.map { if case .footprint = $0 { "footprint" } else { "\($0)" } }
    }
    #expect(results.allSatisfy { $0 == results[0] })
  }

  @Test("runaway code is reported with its caller and the last transfers")
  func runsOff() throws {
    let outcome = try wrong(1)
    #expect(outcome.ending?.status == 1)
    #expect(outcome.failure[0].contains("execution has reached an address without code"))
    #expect(outcome.failure[0].contains("at 0x60000, called from jump_away+"))
    #expect(outcome.failure.last?.hasSuffix("i2c-1 0x76  w d0  r 60") == true)
  }

  @Test(
    "runaway AVR code is reported with its address, the last function and its caller",
    arguments: [
      (1, "execution has reached erased flash, at 0x6000, called from jump_away", ""),
      (
        2,
        "execution has reached erased flash, at 0x7000; the last function on its stack is main+",
        ""
      ),
      (3, "execution has reached erased flash, at 0x", ", after the end of behind"),
      (4, "0xFFFF is not a valid instruction, at main", ""),
    ])
  func strays(_ kind: Int, _ text: String, _ end: String) throws {
    let outcome = try Firmware.run(
      FirmwareBuild.avr("avr-stray", flags: ["-DKIND=\(kind)"]), on: "atmega328p")
    let message = try #require(outcome.failure.first)
    #expect(message.contains(text) && (end == "" || message.hasSuffix(end)), "\(message)")
    #expect(outcome.ending?.status == 1 && outcome.ending?.reason == message)
  }

  @Test(
    "on an AVR, a wait with interrupts disabled gives a notice, and an endless loop is a failure",
    arguments: [0, 1, 2])
  func waits(_ kind: Int) throws {
    let outcome = try Firmware.run(
      FirmwareBuild.avr("avr-wait", flags: ["-DKIND=\(kind)"]), on: "atmega328p"
    ) { $0.duration = 1_000_000_000 }
    let words = "a loop with interrupts disabled, which did not end within one more second"
    #expect(outcome.ending?.status == (kind == 2 ? 1 : 0))
    #expect(outcome.failure.contains { $0.contains("\(words), at main") } == (kind == 2))
    let notes = outcome.notices.filter { $0.contains("\(words) (a wait, a delay, ") }
    #expect(notes.count == (kind == 2 ? 0 : 1), "\(outcome.notices)")
    #expect(notes.allSatisfy { $0.contains(", at main") })
  }

  @Test("a return from main is reported for avr-libc")
  func returned() throws {
    let outcome = try Firmware.run(
      FirmwareBuild.avr("avr-hello", flags: ["-DRETURNS"]), on: "atmega328p")
    let message = try #require(outcome.failure.first)
    #expect(message.contains("main has returned: "), "\(message)")
    #expect(message.contains("at __stop_program"), "\(message)")
  }

  @Test("a store to flash is reported with the name of the flash controller")
  func flashStore() throws {
    let message = try wrong(18).failure[0]
    #expect(
      message.contains(
        "a store to flash, which NVMC had not enabled, address 0x40000)"),
      "\(message)")
    #expect(message.contains("at touch_flash+"), "\(message)")
    #expect(!message.contains("bus error"), "\(message)")
  }

  @Test("variables that the image loads into RAM are reported, because they are lost at power-on")
  func loadedIntoRAM() throws {
    let image = try FirmwareBuild.arm("rtt", flags: ["-DRESTART"], script: "nrf52832-ram.ld")
    let notices = try Firmware.run(image).notices
    let lost = notices.filter { $0.contains(" are loaded into RAM, as a debugger does") }
    #expect(lost.count == 1, "\(notices)")
    let usual = try Firmware.run(FirmwareBuild.arm("rtt", flags: ["-DRESTART"])).notices
    #expect(!usual.contains { $0.contains("loaded into RAM") }, "\(usual)")
  }

  @Test("a stack overflow is reported with the function that filled the stack")
  func stack() throws {
    let message = try wrong(2).failure[0]
    #expect(message.contains("stack overflow: the stack pointer is 0x"))
    #expect(message.hasSuffix("at descend, the most frequent function on the stack"))
  }

  @Test("a lockup is reported with the instruction of the first fault")
  func lockUp() throws {
    let message = try wrong(3).failure[0]
    #expect(
      message.contains(
        "the core has locked up (lockup): a fault inside HardFault, a load or store with a bus error"
      ), "\(message)")
    #expect(message.contains("bus error, address 0x70000020"))
  }

  @Test(
    "an endless loop with interrupts disabled is reported at the end of the run, but a delay is not"
  )
  func loop() throws {
    let outcome = try wrong(4) { $0.duration = 20_000_000 }
    #expect(
      outcome.failure[0].contains(
        "a loop with interrupts disabled, which did not end within one more second, at spin_masked"
      ))
    let endless = try wrong(16) { $0.duration = 20_000_000 }
    #expect(endless.failure[0].contains("an endless loop with interrupts disabled, at main"))
    #expect(endless.ending?.time == 30_000_000)
    let delay = try wrong(14) { $0.duration = 20_000_000 }
    #expect(delay.ending?.cause == .time && delay.ending?.time == 30_000_000)
    let patient = try wrong(9) { $0.duration = 20_000_000 }
    #expect(patient.ending?.cause == .time)
  }

  @Test("an unhandled fault ends the run immediately, with address and function")
  func fault() throws {
    // With any flags: GE is stored in the frame as well.
    #expect(try wrong(17).failure[0].contains("at touch_nothing"))
    let outcome = try wrong(5)
    #expect(
      outcome.failure[0].contains(
        "a fault that the program does not handle (bus error, address 0x70000010)"))
    #expect(outcome.failure[0].contains("at touch_nothing"))
    #expect((outcome.ending?.time ?? .max) < 20_000_000)
  }

  @Test(
    "a branch without the Thumb bit is reported with its target and its caller if known",
    arguments: [
      (22, "at 0x20004000, called from jump_even+"), (23, "at bus_start (0x"),
    ])
  func jump(_ kind: Int, _ location: String) throws {
    let outcome = try wrong(kind)
    let message = try #require(outcome.failure.first)
    #expect(message.contains("(the Thumb bit is 0), \(location)"), "\(message)")
    #expect(kind != 23 || message.contains("; R14 names main+"), "\(message)")
    let notice = try #require(outcome.notices.first { $0.contains("a fault of the program") })
    #expect(notice.contains(location), "\(notice)")
  }

  @Test("a fault is reported when it happens, even if its handler never ends")
  func faultInLoop() throws {
    let outcome = try wrong(15) { $0.duration = 3_000_000_000 }
    let notices = outcome.events.compactMap { event -> RunEvent.Notice? in
      if case .notice(let notice) = event { notice } else { nil }
    }
    let notice = try #require(notices.first { $0.text.contains("a fault of the program") })
    #expect(notice.time < 20_000_000)
    #expect(
      notice.text.contains("CFSR 0x8200 (bus error, address 0x70000010), at touch_nothing+"))
    #expect(
      outcome.failure[0].contains(
        "a fault whose handler was still running at the end of the run (bus error"))
    #expect(outcome.ending?.status == 1)
  }

  @Test("the first three resets are reported individually, and the last notice gives the total")
  func resets() throws {
    let outcome = try wrong(7) { $0.duration = 100_000_000 }
    #expect(outcome.notices.count == 4)
    #expect(outcome.notices[0].hasSuffix("s: reset by the program"))
    #expect(outcome.notices[3].hasSuffix(" in total"))
  }

  @Test("a breakpoint instruction is reported with its number")
  func breakpoint() throws {
    #expect(
      try wrong(8).failure[0].contains("a breakpoint instruction (BKPT 1) was reached, at main"))
  }

  @Test("two runs of the same image report the same events")
  func same() throws {
    let image = try FirmwareBuild.arm("reader")
    let (one, other) = (try Firmware.run(image), try Firmware.run(image))
    #expect(one.events.map(\.json.compact) == other.events.map(\.json.compact))
    #expect(one.events.count > 10)
  }
}
