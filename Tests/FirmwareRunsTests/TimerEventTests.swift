import Foundation
import TestSupport
import Testing

@testable import FirmwareRuns

/// Events of a counter that the program writes to while they come due.
struct TimerEventTests {
  @Test(
    "a compare event that comes due while the program polls the counter by writing to it is set",
    arguments: [
      (0, "TIMER1 by TASKS_CAPTURE"), (1, "the same with INTEN"),
      (2, "RTC0 while CC[1] is written"), (3, "TIMER1 while another event is cleared"),
    ])
  func polled(_ kind: Int, _ what: String) throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("timer-events", flags: ["-DKIND=\(kind)"]))
    #expect(outcome.output == "lost 0\r\n", "\(what): \(outcome.failure)")
  }
}
