import Foundation
import Images
import Rigs
import Runs
import TestSupport
import Testing
import Text

@testable import FirmwareRuns

/// How runs of firmware end, well and badly.
struct EndingTests {
  private func wrong(_ kind: Int, _ change: (inout FirmwareOptions) -> Void = { _ in }) throws
    -> Outcome
  {
    try Firmware.run(
      FirmwareBuild.arm("wrong", flags: ["-DKIND=\(kind)", "-Wno-infinite-recursion"]), change)
  }

  @Test("an image's text comes out, and its status by semihosting")
  func exit() throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("hello"))
    #expect(outcome.output == "hello from firmware\r\n")
    #expect(outcome.ending?.cause == .exit(7) && outcome.ending?.status == 7)
  }

  @Test("an image reads the sensor of the built-in rig until its time is over")
  func reader() throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("reader"))
    let lines = outcome.output.split(separator: "\r\n")
    #expect(lines.count == 10)
    #expect(
      Set(lines) == ["temperature 21.00 C, pressure 1013.24 hPa, humidity 50.00 %"])
    #expect(outcome.ending?.cause == .time && outcome.ending?.time == 10_010_000_000)
  }

  @Test("a line that matches an expression ends the run, and nothing is heard after it")
  func line() throws {
    let pattern = try #require(SerialPattern("/humidity [0-9.]+ %/"))
    let outcome = try Firmware.run(FirmwareBuild.arm("reader")) { $0.endings = [pattern] }
    #expect(outcome.output.split(separator: "\r\n").count == 1)
    #expect(outcome.ending?.cause == .line("humidity [0-9.]+ %"))
    #expect(SerialPattern("(") == nil)
  }

  @Test("what comes behind a line that ends the run is none of it, however long it may last")
  func nothingBehind() throws {
    let pattern = try #require(SerialPattern("/humidity [0-9.]+ %/"))
    let runs = try [3, 7, 3600].map { seconds in
      try Firmware.run(FirmwareBuild.arm("reader")) {
        ($0.endings, $0.duration) = ([pattern], seconds * 1_000_000_000)
      }
    }
    #expect(runs.allSatisfy { $0.ending == runs[0].ending })
    let told = runs.map { run in
      run.events.map { if case .footprint = $0 { "footprint" } else { "\($0)" } }
    }
    #expect(told.allSatisfy { $0 == told[0] })
  }

  @Test("code that runs off is told with its caller and the last transfers")
  func runsOff() throws {
    let outcome = try wrong(1)
    #expect(outcome.ending?.status == 1)
    #expect(outcome.failure[0].contains("it has run off to where there is no code"))
    #expect(outcome.failure[0].contains("at 0x60000, called from jump_away+"))
    #expect(outcome.failure.last?.hasSuffix("i2c-1 0x76  w d0  r 60") == true)
  }

  @Test(
    "code of an AVR that runs off is told with its address, the last function, and who called",
    arguments: [
      (1, "it has run off to where the flash is erased, at 0x6000, called from jump_away", ""),
      (
        2,
        "it has run off to where the flash is erased, at 0x7000; the last function on its stack is main+",
        ""
      ),
      (3, "it has run off to where the flash is erased, at 0x", ", behind the end of behind"),
      (4, "0xFFFF is no instruction of this core, at main", ""),
    ])
  func strays(_ kind: Int, _ text: String, _ end: String) throws {
    let outcome = try Firmware.run(
      FirmwareBuild.avr("avr-stray", flags: ["-DKIND=\(kind)"]), on: "atmega328p")
    let message = try #require(outcome.failure.first)
    #expect(message.contains(text) && (end == "" || message.hasSuffix(end)), "\(message)")
    #expect(outcome.ending?.status == 1 && outcome.ending?.reason == message)
  }

  @Test(
    "a wait of an AVR with interrupts off is said and no mistake, an endless loop is one",
    arguments: [0, 1, 2])
  func waits(_ kind: Int) throws {
    let outcome = try Firmware.run(
      FirmwareBuild.avr("avr-wait", flags: ["-DKIND=\(kind)"]), on: "atmega328p"
    ) { $0.duration = 1_000_000_000 }
    let words = "a loop with interrupts off, which did not end within another second either"
    #expect(outcome.ending?.status == (kind == 2 ? 1 : 0))
    #expect(outcome.failure.contains { $0.contains("\(words), at main") } == (kind == 2))
    let notes = outcome.notices.filter { $0.contains("\(words) (a wait, a delay, ") }
    #expect(notes.count == (kind == 2 ? 0 : 1), "\(outcome.notices)")
    #expect(notes.allSatisfy { $0.contains(", at main") })
  }

  @Test("a main of avr-libc that returns is told as that")
  func returned() throws {
    let outcome = try Firmware.run(
      FirmwareBuild.avr("avr-hello", flags: ["-DRETURNS"]), on: "atmega328p")
    let message = try #require(outcome.failure.first)
    #expect(message.contains("main has returned: "), "\(message)")
    #expect(message.contains("at __stop_program"), "\(message)")
  }

  @Test("a store to flash is told as that, with the controller that alone writes it")
  func flashStore() throws {
    let message = try wrong(18).failure[0]
    #expect(
      message.contains(
        "a store to flash, which NVMC alone writes and had not been told to, address 0x40000)"),
      "\(message)")
    #expect(message.contains("at touch_flash+"), "\(message)")
    #expect(!message.contains("no memory there"), "\(message)")
  }

  @Test("variables that are loaded into RAM, where no supply brings them back, are told")
  func loadedIntoRAM() throws {
    let image = try FirmwareBuild.arm("rtt", flags: ["-DRESTART"], script: "nrf52832-ram.ld")
    let notices = try Firmware.run(image).notices
    let lost = notices.filter { $0.contains(" are loaded into RAM, as a debugger does") }
    #expect(lost.count == 1, "\(notices)")
    let usual = try Firmware.run(FirmwareBuild.arm("rtt", flags: ["-DRESTART"])).notices
    #expect(!usual.contains { $0.contains("loaded into RAM") }, "\(usual)")
  }

  @Test("a stack that overflows is told with the function that filled it")
  func stack() throws {
    let message = try wrong(2).failure[0]
    #expect(message.contains("stack overflow: the stack pointer is 0x"))
    #expect(message.hasSuffix("at descend, which is on the stack most often"))
  }

  @Test("a lock-up is told with the instruction of the first fault")
  func lockUp() throws {
    let message = try wrong(3).failure[0]
    #expect(
      message.contains(
        "the core has locked up (lockup): a fault inside HardFault, a load or store where no memory answers"
      ), "\(message)")
    #expect(message.contains("no memory there, address 0x70000020"))
  }

  @Test(
    "a loop with interrupts off is told when the time is over: endless where it must be, never a delay"
  )
  func loop() throws {
    let outcome = try wrong(4) { $0.duration = 20_000_000 }
    #expect(
      outcome.failure[0].contains(
        "a loop with interrupts off, which did not end within another second either, at spin_masked"
      ))
    let endless = try wrong(16) { $0.duration = 20_000_000 }
    #expect(endless.failure[0].contains("an endless loop with interrupts off, at main"))
    #expect(endless.ending?.time == 30_000_000)
    let delay = try wrong(14) { $0.duration = 20_000_000 }
    #expect(delay.ending?.cause == .time && delay.ending?.time == 30_000_000)
    let patient = try wrong(9) { $0.duration = 20_000_000 }
    #expect(patient.ending?.cause == .time)
  }

  @Test("a fault that nobody handles ends the run at once, with address and function")
  func fault() throws {
    // With any flags: those of GE stand in a frame as well.
    #expect(try wrong(17).failure[0].contains("at touch_nothing"))
    let outcome = try wrong(5)
    #expect(
      outcome.failure[0].contains(
        "a fault that the program does not handle (no memory there, address 0x70000010)"))
    #expect(outcome.failure[0].contains("at touch_nothing"))
    #expect((outcome.ending?.time ?? .max) < 20_000_000)
  }

  @Test(
    "a jump without the Thumb bit is told with where it went, and with its caller as far as that is known",
    arguments: [
      (22, "at 0x20004000, called from jump_even+"), (23, "at bus_start (0x"),
    ])
  func jump(_ kind: Int, _ place: String) throws {
    let outcome = try wrong(kind)
    let message = try #require(outcome.failure.first)
    #expect(message.contains("(not Thumb code: the Thumb bit is 0), \(place)"), "\(message)")
    #expect(kind != 23 || message.contains("; R14 names main+"), "\(message)")
    let notice = try #require(outcome.notices.first { $0.contains("a fault of the program") })
    #expect(notice.contains(place), "\(notice)")
  }

  @Test("a fault is told when it happens, also where its handler goes on without an end")
  func faultInLoop() throws {
    let outcome = try wrong(15) { $0.duration = 3_000_000_000 }
    let notices = outcome.events.compactMap { event -> RunEvent.Notice? in
      if case .notice(let notice) = event { notice } else { nil }
    }
    let notice = try #require(notices.first { $0.text.contains("a fault of the program") })
    #expect(notice.time < 20_000_000)
    #expect(
      notice.text.contains("CFSR 0x8200 (no memory there, address 0x70000010), at touch_nothing+"))
    #expect(
      outcome.failure[0].contains(
        "a fault whose handler had not ended when the time was over (no memory there"))
    #expect(outcome.ending?.status == 1)
  }

  @Test("resets are told, many of them in one sentence")
  func resets() throws {
    let outcome = try wrong(7) { $0.duration = 100_000_000 }
    #expect(outcome.notices.count == 4)
    #expect(outcome.notices[0].hasSuffix("s: reset by the program"))
    #expect(outcome.notices[3].hasPrefix("in all "))
  }

  @Test("a breakpoint instruction is told with its number")
  func breakpoint() throws {
    #expect(try wrong(8).failure[0].contains("a breakpoint instruction (BKPT 1) was met, at main"))
  }

  @Test("two runs tell the same")
  func same() throws {
    let image = try FirmwareBuild.arm("reader")
    let (one, other) = (try Firmware.run(image), try Firmware.run(image))
    #expect(one.events.map(\.json.compact) == other.events.map(\.json.compact))
    #expect(one.events.count > 10)
  }
}
