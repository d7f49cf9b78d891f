import Rigs
import Runs
import Support
import TestSupport
import Testing

/// A run without a duration continues until it is stopped.
struct EndlessRunTests {
  @Test("a run in virtual time needs a duration, in the rig or on the command line")
  func virtual() throws {
    var rig = try Rig(text: SampleRig.changed("duration: 2h\n", to: ""), file: SampleRig.file)
    #expect(rig.duration == nil)
    let failure = #expect(throws: Failure.self) { try RigRun(rig) }
    #expect(failure?.messages.contains { $0.contains("--for") } == true)
    rig.duration = 2 * 3_600_000_000_000
    #expect(try RigRun(rig).run().passed)
  }

  @Test("in real time a run ends on request, and its expectations are evaluated")
  func real() throws {
    let text = SampleRig.changed("duration: 2h\n", to: "clock: real\n")
      .replacing("samples: 2", with: "samples: 1\n  sample_every: 10ms")
      .replacing("cycle: 30min", with: "cycle: 50ms")
    let rig = try Rig(text: text, file: SampleRig.file)
    var readings = 0
    let run = try RigRun(rig, options: RigRun.Options(mustEnd: { readings >= 3 }))
    let verdict = try run.run { event in
      if case .reading = event { readings += 1 }
    }
    #expect(readings == 3 && run.isStopped)
    #expect(verdict.passed)
  }

  @Test(
    "a sensor that is lost for a whole cycle raises an alarm, and its return raises a second alarm")
  func alarm() throws {
    let text = SampleRig.changed(
      "expect:",
      to: """
        faults:
          - {at: 29min, kind: nack-address, bus: 1, address: 0x76, count: 4}
        notify:
          - {on: alarm, run: [logger, "{name}: {alarm}"]}
        expect:
        """)
    var reported: [[String]] = []
    try RigRun(Rig(text: text, file: SampleRig.file)).run { event in
      if case .notification(let sent) = event, sent.event == "alarm" {
        reported.append(sent.command)
      }
    }
    #expect(reported == [["logger", "sample: sensor-lost"], ["logger", "sample: sensor-back"]])
  }
}
