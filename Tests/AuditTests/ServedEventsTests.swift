import Audit
import Rigs
import Runs
import Support
import Testing
import VirtualI2C

/// The events of `exec` used by an audit.
struct ServedEventsTests {
  static func told(_ events: RunEvent...) -> ServedEvents {
    ServedEvents(events.map { Array($0.json.compact.utf8) })
  }

  static func fault(_ fired: Int, of count: Int) -> RunEvent {
    var plan = PlannedFault(kind: .addressNack, start: 0, count: count)
    plan.evidence.count = fired
    let fault = Fault(name: "nack-address", bus: 1, plan: plan).numbered(2)
    return .fault(.init(time: 9, fault: fault))
  }

  @Test(
    "a fault has fired after its planned number of effects, an unlimited fault after the first",
    arguments: [
      (0, 1, false), (1, 3, false), (3, 3, true), (0, 1_000_000, false), (12, 1_000_000, true),
      (0, PlannedFault.unlimited, false), (2, PlannedFault.unlimited, true),
    ])
  func fired(_ count: Int, _ planned: Int, _ hasFired: Bool) {
    #expect(Self.told(Self.fault(count, of: planned)).haveFaultsFired == hasFired)
    let two = Self.told(Self.fault(1, of: 1), Self.fault(count, of: planned), Self.fault(1, of: 1))
    #expect(two.haveFaultsFired == hasFired)
  }

  @Test("only a notice about machine time is reported as a use of wall-clock time by the program")
  func machineTime() {
    for subject in RunEvent.Notice.Subject.allCases {
      let notice = RunEvent.Notice(time: 1, subject: subject, text: "a program")
      let isTime = subject == .machineTime
      #expect(Self.told(.notice(notice)).machineTime == (isTime ? "a program" : nil))
    }
  }

  @Test(
    "exit statuses 69 and 78 are reported as bench failures, 126 and 127 as program failures",
    arguments: [
      (69 as Int32, "bench"), (78, "bench"), (126, "program"), (127, "program"),
    ])
  func failures(_ status: Int32, _ side: String) {
    switch Self.told(.failure(.init(status: status, messages: ["no", "way"]))).failure {
    case .bench(let failure):
      #expect(side == "bench" && failure.exitStatus == status && failure.messages == ["no", "way"])
    case .program(let number, let messages):
      #expect(side == "program" && number == status && messages == ["no", "way"])
    default: Issue.record("no failure")
    }
    #expect(Self.told(.ended(.init(time: 1, status: 69))).failure == nil)
  }

  @Test(
    "invalid and unknown event lines are ignored",
    arguments: ["", "{", "[]", "7", "{\"event\":\"x\"}"])
  func foreign(_ text: String) {
    let told = ServedEvents([Array(text.utf8)])
    #expect(told.haveFaultsFired && told.machineTime == nil && told.failure == nil)
  }
}
