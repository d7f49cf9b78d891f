import Files
import Rigs
import Runs
import TestSupport
import Testing

/// A run without a duration goes on until somebody ends it.
struct EndlessRunTests {
  @Test("in virtual time it must be said how long it runs, by the rig or by who runs it")
  func virtual() throws {
    var rig = try Rig(text: SampleRig.changed("duration: 2h\n", to: ""), file: SampleRig.file)
    #expect(rig.duration == nil)
    let failure = #expect(throws: Failure.self) { try RigRun(rig) }
    #expect(failure?.messages.contains { $0.contains("--for") } == true)
    rig.duration = 2 * 3_600_000_000_000
    #expect(try RigRun(rig).run().passed)
  }

  @Test("in real time it ends when it is told to, and is judged")
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

  @Test("a sensor that is lost for a cycle is an alarm, and its return another")
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
    var told: [[String]] = []
    try RigRun(Rig(text: text, file: SampleRig.file)).run { event in
      if case .notification(let sent) = event, sent.event == "alarm" { told.append(sent.command) }
    }
    #expect(told == [["logger", "sample: sensor-lost"], ["logger", "sample: sensor-back"]])
  }
}
