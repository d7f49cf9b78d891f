import Foundation
import TestSupport
import Testing

@testable import FirmwareRuns

/// Programs under an audit that wait awake for what only the passage of time changes.
struct TimeWaitTests {
  /// A microcontroller, and one of the waits of `time-waits.c` on it.
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

    /// Runs it as an audit does, which looks after each second whether anything more is to come.
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
    "a program that waits for a counter or a ready flag that time alone changes goes on under audit",
    arguments: passing)
  func passes(_ wait: Wait) throws {
    let outcome = try wait.run()
    let cause = outcome.ending?.cause
    // An ARM image ends by itself, perhaps before its last bytes are sent; an AVR image goes on until its time is over.
    let isThrough = cause == .exit(0) || outcome.output.hasSuffix("before\r\nbehind\r\n")
    #expect(isThrough, "\(String(describing: cause))")
  }

  @Test(
    "a program that waits for what never comes is still ended under audit",
    arguments: ["stm32f411", "atmega328p", "nrf52832"])
  func endless(_ part: String) throws {
    let outcome = try Wait(part: part, kind: 9, what: "nothing").run()
    guard case .endless(let place)? = outcome.ending?.cause else {
      Issue.record("\(String(describing: outcome.ending))")
      return
    }
    #expect(place.hasPrefix("main") && !outcome.output.contains("behind"))
    #expect((outcome.ending?.time ?? .max) < 2_000_000_000)
  }
}
