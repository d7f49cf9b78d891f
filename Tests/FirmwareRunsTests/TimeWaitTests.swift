import FirmwareRuns
import Foundation
import TestSupport
import Testing

/// Tests of programs under audit that poll values which only change with time.
struct TimeWaitTests {
  /// A microcontroller and one of the waits in `time-waits.c`.
  struct Wait: CustomTestStringConvertible, Sendable {
    let part: String
    let kind: Int
    let what: String

    var testDescription: String { "\(part): \(what)" }

    func image() throws -> URL {
      switch part {
      case "atmega328p":
        try FirmwareBuild.avr("time-waits", flags: ["-DKIND=\(kind)", "avr-board.c", "print.c"])
      case "stm32f411":
        try FirmwareBuild.arm("time-waits", board: part, flags: ["-DKIND=\(kind)", "-DSTM32"])
      default: try FirmwareBuild.arm("time-waits", flags: ["-DKIND=\(kind)"])
      }
    }

    /// Runs the program like an audit, which checks after each second whether an event is pending.
    func run() throws -> Outcome {
      try Firmware.run(image(), on: part) {
        $0.duration = 8_000_000_000
        $0.mayPass = { _ in true }
      }
    }
  }

  private static let passing = [
    Wait(part: "stm32f411", kind: 0, what: "RCC_CR.HSERDY"),
    Wait(part: "stm32f411", kind: 1, what: "RCC_BDCR.LSERDY"),
    Wait(part: "stm32f411", kind: 2, what: "TIM2->CNT"),
    Wait(part: "stm32f411", kind: 3, what: "RTC->TR"),
    Wait(part: "atmega328p", kind: 0, what: "TIFR1.TOV1"),
    Wait(part: "atmega328p", kind: 1, what: "wraps of TCNT2"),
    Wait(part: "nrf52832", kind: 0, what: "RTC0 COUNTER"),
    Wait(part: "nrf52832", kind: 1, what: "TIMER1 by TASKS_CAPTURE"),
  ]

  @Test(
    "under audit, a program that waits for a counter or flag that changes with time continues",
    arguments: passing)
  func passes(_ wait: Wait) throws {
    let outcome = try wait.run()
    let cause = outcome.ending?.cause
    // An ARM image exits, perhaps before its last bytes are sent; an AVR image runs until its duration has elapsed.
    let isThrough = cause == .exit(0) || outcome.output.hasSuffix("before\r\nbehind\r\n")
    #expect(isThrough, "\(String(describing: cause))")
  }

  @Test(
    "under audit, a run ends if its program waits forever",
    arguments: ["stm32f411", "atmega328p", "nrf52832"])
  func endless(_ part: String) throws {
    let outcome = try Wait(part: part, kind: 9, what: "nothing").run()
    guard case .endless(let location)? = outcome.ending?.cause else {
      Issue.record("\(String(describing: outcome.ending))")
      return
    }
    #expect(location.hasPrefix("main") && !outcome.output.contains("behind"))
    #expect((outcome.ending?.time ?? .max) < 2_000_000_000)
  }
}

/// Tests of timer events that are due while the program writes to the timer.
struct TimerEventTests {
  @Test(
    "a compare event that is due during a write to the timer sets its flag",
    arguments: [
      (0, "TIMER1 by TASKS_CAPTURE"), (1, "the same with INTEN"),
      (2, "RTC0 while CC[1] is written"), (3, "TIMER1 while another event is cleared"),
    ])
  func polled(_ kind: Int, _ what: String) throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("timer-events", flags: ["-DKIND=\(kind)"]))
    #expect(outcome.output == "lost 0\r\n", "\(what): \(outcome.failure)")
  }
}

/// Tests of the length of time slices.
struct PaceTests {
  @Test(
    "in real-time mode, events are polled at least every 20 ms, even if the program is inactive")
  func real() {
    var (real, free) = (SliceLength(isReal: true), SliceLength(isReal: false))
    for _ in 0..<30 {
      real.adapt()
      free.adapt()
    }
    #expect(real.length <= 20_000_000)
    #expect(free.length > 1_000_000_000)
  }

  @Test(
    "a real-time run of a program that mostly sleeps takes at least its duration on the wall clock")
  func sleeper() throws {
    let image = try FirmwareBuild.arm("wrong", flags: ["-DKIND=19", "-DWAKES"])
    let clock = ContinuousClock()
    let took = try clock.measure {
      let outcome = try Firmware.run(image) { ($0.duration, $0.isReal) = (4_000_000_000, true) }
      #expect(outcome.ending?.cause == .time)
    }
    #expect(took >= .seconds(4))
  }
}
