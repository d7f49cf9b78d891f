import Barometry
import Environment
import Foundation
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Cabins in rigs: leaks, hatches, the crew's search, and several forecasters.
struct CabinRigTests {
  static func rig(_ cabin: String, _ expect: String = "", pipeline: String = "leak: {}") throws
    -> Rig
  {
    try Rig(
      text: """
        name: cabin
        duration: 20min
        buses:
          - number: 1
            devices:
              - {address: 0x76, model: bme280, calibration: ../fixtures/calibrations/periph-i2c.yaml, module: b}
        environment:
          cabin:
            modules: [{name: a, volume: 500m3}, {name: b, volume: 400m3}]
            hatches: [{between: [a, b]}]
            \(cabin)
        pipeline: {samples: 1, cycle: 1s, \(pipeline)}
        \(expect)
        """, file: Fixtures.root.appending(path: "rigs/cabin.yaml").path)
  }

  static func events(_ rig: Rig) throws -> (events: [RunEvent], verdict: Verdict) {
    var events: [RunEvent] = []
    let verdict = try RigRun(rig).run { events.append($0) }
    return (events, verdict)
  }

  @Test(
    "the rigs of cabins meet their expectations",
    arguments: ["iss-leak", "iss-quiet", "iss-severe"])
  func rigs(_ name: String) throws {
    let rig = try Rig(path: Fixtures.root.appending(path: "rigs/\(name).yaml").path)
    #expect(!rig.expectations.isEmpty)
    let verdict = try Self.events(rig).verdict
    #expect(verdict.passed, "\(verdict.findings.filter { !$0.passed })")
  }

  @Test(
    "at every time the last reported reserve time is valid, and the call to the safe haven is in time"
  )
  func log() throws {
    let file = Fixtures.root.appending(path: "rigs/iss-severe.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    for hole in [56, 60, 70] {
      let rig = try Rig(
        text: text.replacing("hole: 70mm", with: "hole: \(hole)mm"), file: file.path)
      guard case .cabin(let plan) = rig.environment else { throw CancellationError() }
      let cabin = Cabin(plan)
      // The real reserve time of the cabin, second by second.
      let end = (120..<3600).first {
        cabin.air(in: 0, at: UInt64($0) * 1_000_000_000).pressure <= 490 * 133.322387415
      }
      let limit = Double(try #require(end))
      var said: (bound: Double, time: Double)?
      var lines = 0
      var haven: Double?
      for event in try Self.events(rig).events {
        switch event {
        case .cabin(let report):
          said = report.assessment.reserve.map { ($0.bound, Double(report.time) / 1e9) }
          if said != nil { lines += 1 }
        case .haven(let report): haven = Double(report.time) / 1e9
        case .reading(let reading):
          guard let said else { break }
          let time = Double(reading.time) / 1e9
          let left = said.bound - (time - said.time)
          #expect(left <= limit - time, "hole of \(hole) mm at \(time) s")
          // The reported value is not outdated either.
          #expect(left > 0.7 * (limit - time) - 20, "hole of \(hole) mm at \(time) s")
        default: break
        }
      }
      #expect((2...8).contains(lines), "\(lines) lines")
      let called = try #require(haven)
      #expect(limit - called > min(600, limit - 132), "hole of \(hole) mm: \(limit - called) s")
    }
  }

  @Test(
    "a notification of alarms is sent once for the leak, and once for the call to the safe haven")
  func notified() throws {
    let file = Fixtures.root.appending(path: "rigs/iss-severe.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    let rig = try Rig(
      text: text + "\nnotify: [{on: alarm, run: [logger, \"{name}: {alarm}\"]}]\n", file: file.path)
    let events = try Self.events(rig).events
    let called = events.compactMap { event -> UInt64? in
      if case .haven(let report) = event { report.time } else { nil }
    }
    let leaks = events.compactMap { event -> UInt64? in
      guard case .cabin(let report) = event else { return nil }
      return report.assessment.status == .leak ? report.time : nil
    }
    let reported = events.compactMap { event -> RunEvent.NotificationSent? in
      if case .notification(let sent) = event { sent } else { nil }
    }
    #expect(called.count == 1)
    #expect(reported.map(\.time) == leaks.prefix(1) + called)
    #expect(
      reported.map(\.command) == [
        ["logger", "\(rig.name): leak"], ["logger", "\(rig.name): safe-haven"],
      ])
    #expect(reported.allSatisfy { !$0.wasRun })
  }

  @Test("the search reports on which side of a hatch the leak is", arguments: ["a", "b"])
  func search(_ module: String) throws {
    let rig = try Self.rig(
      "leak: {module: \(module), hole: 12mm, at: 5min}\n    operations: [{at: 8min, do: close, between: [a, b]}]",
      "expect: [{that: leak, by: 6min}, {that: leak, found: \(module)}]")
    let (events, verdict) = try Self.events(rig)
    #expect(verdict.passed, "\(verdict.findings)")
    let steps = events.compactMap { event -> RunEvent.SearchStep.Step? in
      if case .search(let step) = event { step.step } else { nil }
    }
    guard case .moved(let sentence) = try #require(steps.first) else { throw CancellationError() }
    #expect(
      sentence.contains(/^hatch a-b closed, for \d\d\.\d s at most \(half of T1mm\)$/),
      "\(sentence)")
    // The hatch is not opened again in this rig, because it may stay closed once the leak is found.
    #expect(Array(steps.dropFirst()) == [.found(module)])
    let statuses = events.compactMap { event -> LeakAssessment.Status? in
      if case .cabin(let report) = event { report.assessment.status } else { nil }
    }
    #expect(statuses.prefix(3) == [.settling, .stable, .leak])
  }

  @Test(
    "an expectation fails if the event is absent, late, excluded or in a different module",
    arguments: [
      ("leak: {module: a, hole: 12mm, at: 5min}", "{that: leak, never: true}"),
      ("leak: {module: a, hole: 12mm, at: 5min}", "{that: leak, by: 4min}"),
      ("leak: {module: a, hole: 12mm, at: 5min}", "{that: leak, found: b}"),
      ("process: isothermal", "{that: leak, by: 10min}"),
      ("process: isothermal", "{that: safe-haven, by: 10min}"),
      ("leak: {module: a, hole: 90mm}", "{that: safe-haven, never: true}"),
    ])
  func failures(_ cabin: String, _ expectation: String) throws {
    #expect(try !Self.events(Self.rig(cabin, "expect: [\(expectation)]")).verdict.passed)
  }

  @Test("a failing sensor changes the status to fault within two samples, and the status recovers")
  func fault() throws {
    var rig = try Self.rig("process: isothermal")
    try rig.plan(fault: "kind: nack-address, at: 5min, count: 20")
    let statuses = try Self.events(rig).events.compactMap { event -> (UInt64, String)? in
      guard case .cabin(let report) = event else { return nil }
      return (report.time, "\(report.assessment.status.name)")
    }
    #expect(statuses.map(\.1) == ["settling", "stable", "fault", "stable"])
    #expect(statuses[2].0 < 302_000_000_000)
  }

  @Test("sensors in different modules measure the air of their module")
  func modules() throws {
    let rig = try Self.rig(
      "leak: {module: a, hole: 50mm, at: 1min}\n    operations: [{at: 0s, do: close, between: [a, b]}]",
      "expect: [{that: pressure, within: 10Pa, of: 1013.25hPa}, {that: leak, never: true}]")
    #expect(try Self.events(rig).verdict.passed)
  }

  @Test(
    "errors in the description of a cabin are reported",
    arguments: [
      ("leak: {module: c, hole: 12mm}", "unknown module 'c'"),
      ("hatches: [{between: [a]}]", "duplicate key"),
      ("operations: [{at: 1min, do: close, between: [a, c]}]", "unknown module 'c'"),
      ("operations: [{at: 1min, do: opne, between: [a, b]}]", "open"),
      ("leak: {module: a, hole: 12}", "unit"),
    ])
  func mistakes(_ cabin: String, _ message: String) {
    let failure = #expect(throws: Failure.self) { try Self.rig(cabin) }
    #expect(failure?.messages.joined().contains(message) == true, "\(failure?.messages ?? [])")
  }

  @Test("leak detection needs a sample every ten seconds, and the key 'module' needs a cabin")
  func needs() {
    let slow = #expect(throws: Failure.self) {
      try Self.rig("process: isothermal", pipeline: "leak: {}, forecast: an3914")
    }
    #expect(slow?.messages.joined().contains("set 'cycle: 1min'") == true)
    let flat = #expect(throws: Failure.self) {
      try Rig(
        text: SampleRig.text.replacing(
          "model: bme280", with: "model: bme280\n        module: node"),
        file: SampleRig.file)
    }
    #expect(flat?.messages.joined().contains("'module' needs a cabin") == true)
  }

  @Test(
    "several forecasters run on the same data, and each forecast uses the terms of its forecaster")
  func forecasters() throws {
    let text = SampleRig.text
      .replacing("cycle: 30min", with: "cycle: 1min\n  sample_every: 10s\n  keep: 4h")
      .replacing("forecast: thesis", with: "forecast: [thesis, an3914, zambretti, tendency]")
      .replacing("duration: 2h", with: "duration: 5h")
      .replacing(
        "constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}",
        with: "ramp: {from: {pressure: 1015hPa}, to: {pressure: 1005hPa}, over: 5h}")
    let (events, _) = try SampleRig.run(text)
    var words: [Pipeline.Forecaster: Set<String>] = [:]
    for case .otherForecast(let forecast) in events {
      words[forecast.method, default: []].insert(forecast.word)
    }
    #expect(words[.note] == ["rainy"])
    #expect(words[.tendency] == ["7"])
    #expect(words[.zambretti]?.isSubset(of: ["D", "H", "O", "R"]) == true, "\(words)")
    #expect(events.contains { if case .forecast = $0 { true } else { false } })
    let lines = try SampleRig.lines(Rig(text: text, file: SampleRig.file))
    #expect(lines.contains { $0.contains("\"method\":\"zambretti\"") })
  }
}
