import Barometry
import Foundation
import Parts
import Reports
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Alarms of a cabin pressure outside the habitable range, and errors in cabins.
struct CabinAlarmTests {
  static func rig(
    _ millimetres: Double, leak: String = "", pipeline: String = "leak: {}", rest: String = "",
    minutes: Int = 5
  ) throws -> Rig {
    try Rig(
      text: """
        name: alarm
        duration: \(minutes)min
        buses: [{number: 1, devices: [{address: 0x76, model: bme280, noise: datasheet}]}]
        environment:
          cabin:
            air: {pressure: \(millimetres)mmHg, temperature: 22C, humidity: 45%}
            modules: [{name: station, volume: 916m3}]
            \(leak)
        pipeline: {oversampling: {pressure: 16}, samples: 1, cycle: 1s, \(pipeline)}
        notify: [{on: alarm, run: [logger, "{alarm}"]}]
        \(rest)
        """, file: "alarm.yaml")
  }

  /// The events of a run, its text, and the notifications of alarms.
  static func told(_ rig: Rig) throws -> (events: [RunEvent], text: String, alarms: [String]) {
    var (events, text): ([RunEvent], String) = ([], "")
    let report = TextReport(style: Style(isColoured: false), columns: nil) { text += $0 }
    try RigRun(rig).run {
      events.append($0)
      report.take($0)
    }
    let alarms = events.compactMap { event -> String? in
      if case .notification(let sent) = event { sent.command.last } else { nil }
    }
    return (events, text, alarms)
  }

  @Test(
    "a cabin pressure below the limit or far above the normal range raises an alarm and is never 'stable'"
  )
  func still() throws {
    for (pressure, word, alarms) in [
      (400.0, "BELOW LIMIT: below limit, ", ["safe-haven", "below-limit"]),
      (480, "BELOW LIMIT: below limit, ", ["safe-haven", "below-limit"]),
      (900, "OVERPRESSURE: overpressure, ", ["overpressure"]),
      (760, "", []),
    ] {
      let reported = try Self.told(Self.rig(pressure))
      #expect(Set(reported.alarms) == Set(alarms) && reported.alarms.count == alarms.count)
      #expect(reported.text.contains(" stable") == alarms.isEmpty, "\(reported.text)")
      let levels = reported.events.compactMap { event -> RunEvent.CabinReport? in
        if case .level(let report) = event { report } else { nil }
      }
      #expect(levels.count == (alarms.isEmpty ? 0 : 1))
      if let first = levels.first {
        #expect(first.time < 1_000_000_000 && reported.text.contains(word), "\(reported.text)")
        let json = RunEvent.level(first).json.compact
        #expect(json.contains("\"event\":\"pressure-alarm\""))
        #expect(json.contains("\"alarm\":\"\(alarms.last ?? "")\""), "\(json)")
      }
    }
  }

  @Test(
    "a hole that empties the cabin in seconds is reported within two samples, even near vacuum",
    arguments: [200, 500, 1000, 2000])
  func gone(_ hole: Int) throws {
    let reported = try Self.told(
      Self.rig(760, leak: "leak: {module: station, hole: \(hole)mm, at: 1min}"))
    let first = reported.events.compactMap { event -> UInt64? in
      guard case .cabin(let report) = event, report.assessment.status == .leak else { return nil }
      return report.time
    }.first
    // The hole opens between two samples. The first sample afterwards may have changed little; the
    // second proves the leak.
    #expect(try #require(first) < 62_200_000_000, "\(reported.text)")
    let haven = reported.events.compactMap { event -> UInt64? in
      if case .haven(let report) = event { report.time } else { nil }
    }
    #expect(haven.count == 1 && haven[0] == first)
    #expect(reported.alarms.prefix(1) == ["safe-haven"] && reported.alarms.contains("leak"))
    let line = try #require(reported.text.split(separator: "\n").first { $0.contains(" leak, ") })
    #expect(line.contains("SAFE HAVEN: "), "the first word of the log: \(line)")
    #expect(!reported.text.contains("reserve not yet known"), "\(reported.text)")
    for event in reported.events {
      if case .reading(let reading) = event, let pascals = reading.sample.pascals {
        #expect(pascals >= 0 && pascals < 102_000)
      }
      if case .cabin(let report) = event, report.time > first ?? 0 {
        #expect([.leak, .low].contains(report.assessment.status))
        #expect(abs(report.assessment.rate?.value ?? 0) < 101_400)
      }
    }
  }

  @Test("while the cabin pressure is near a limit, a run does not print a line every second")
  func quietLog() throws {
    for hole in [40, 60, 100, 200] {
      let reported = try Self.told(
        Self.rig(560, leak: "leak: {module: station, hole: \(hole)mm, at: 1min}", minutes: 20))
      let reports = reported.events.compactMap { event -> RunEvent.CabinReport? in
        if case .cabin(let report) = event { report } else { nil }
      }
      let crossing = try #require(
        reported.events.compactMap { event -> UInt64? in
          if case .level(let report) = event { report.time } else { nil }
        }.first)
      let last = reports.filter { $0.time > crossing - 60_000_000_000 }
      #expect(last.count <= 6, "hole of \(hole) mm: \(last.map(\.sentence))")
      let reserves = reports.filter { $0.assessment.reserve?.bound ?? 0 > 0 }
      for (one, next) in zip(reserves, reserves.dropFirst()) where one.time > 75_000_000_000 {
        #expect(next.time - one.time > 2_000_000_000, "\(one.sentence) \(next.sentence)")
      }
    }
  }

  @Test("a failed expectation on several sensors names the failing sensor")
  func named() throws {
    func findings(_ devices: String) throws -> [String] {
      let rig = try Rig(
        text: """
          name: several
          duration: 1min
          buses: [{number: 1, devices: [\(devices)]}]
          environment: {constant: {pressure: 1005hPa, temperature: 21C}}
          pipeline: {samples: 1, cycle: 10s, sensors: all}
          expect: [{that: temperature, within: 0.2C, of: environment}]
          """, file: "several.yaml")
      return try RigRun(rig).run().findings.filter { !$0.passed }.map(\.detail)
    }
    let wrong = "{address: 0x77, model: bme280, offset: {temperature: +3C}}"
    let two = try findings("{address: 0x76, model: bme280}, \(wrong)")
    #expect(two.count == 1 && two[0].contains(" C of 0x77 on bus 1 at "), "\(two)")
    let one = try findings(wrong)
    #expect(one.count == 1 && !one[0].contains("bus 1"), "\(one)")
  }

  @Test(
    "a hatch from a module to itself is rejected, and an invalid volume is the only error reported")
  func mistakes() throws {
    let own = #expect(throws: Failure.self) {
      try CabinRigTests.rig("operations: [{at: 1min, do: close, between: [a, a]}]")
    }
    #expect(
      own?.messages.joined().contains("must have two different modules, not 'a' twice") == true)
    let text = try String(
      contentsOf: Fixtures.root.appending(path: "rigs/iss-leak.yaml"), encoding: .utf8)
    let hatch = #expect(throws: Failure.self) {
      try Rig(text: text.replacing("[node, service]", with: "[node, node]"), file: "x.yaml")
    }
    #expect(
      hatch?.messages.joined().contains("must have two different modules, not 'node' twice") == true
    )
    let volume = #expect(throws: Failure.self) {
      try Rig(text: text.replacing("volume: 200m3", with: "volume: 0m3"), file: "x.yaml")
    }
    #expect(volume?.messages.count == 1, "\(volume?.messages ?? [])")
    #expect(volume?.messages.first?.contains("0m3 is out of range for a volume") == true)
  }

  @Test("the call to the safe haven is reported before the pressure alarm")
  func order() throws {
    let lines = try Self.told(Self.rig(480)).text.split(separator: "\n")
    let first = try #require(lines.firstIndex { $0.contains("SAFE HAVEN: ") })
    let level = try #require(lines.firstIndex { $0.contains("BELOW LIMIT: ") })
    #expect(first < level, "\(lines)")
  }

  @Test("below the limit of survival, a run reports that limit instead of the crew's limit")
  func unbearable() throws {
    let leak = "leak: {module: station, hole: 200mm, at: 1min}"
    let reported = try Self.told(Self.rig(560, leak: leak, minutes: 8))
    let reports = reported.events.compactMap { event -> RunEvent.CabinReport? in
      if case .cabin(let report) = event { report } else { nil }
    }
    let low = reports.filter { $0.assessment.pressure < LeakAnalysis.lowerLimit }
    #expect(low.first?.sentence.contains("under 410.4 mmHg, the limit of survival") == true)
    #expect(low.count <= 2, "\(low.map(\.sentence))")
    for report in low { #expect(!report.sentence.contains("490"), "\(report.sentence)") }
    #expect(reported.text.contains("under 490.0 mmHg, no time left"))
  }

  @Test(
    "a rig can expect each alarm of a cabin, and the absence of each alarm",
    arguments: [
      (480.0, "by: 10s", true), (480, "is: below-limit, by: 10s", true),
      (480, "is: overpressure, by: 10s", false), (480, "never: true", false),
      (480, "is: overpressure, never: true", true), (900, "is: overpressure, by: 10s", true),
      (900, "is: below-limit, never: true", true), (760, "never: true", true),
      (760, "by: 10s", false),
    ])
  func expected(_ pressure: Double, _ keys: String, _ passes: Bool) throws {
    let rig = try Self.rig(pressure, rest: "expect: [{that: pressure-alarm, \(keys)}]")
    let verdict = try RigRun(rig).run()
    #expect(verdict.findings.count == 1 && verdict.passed == passes, "\(verdict.findings)")
  }

  @Test(
    "a limit out of range is an error with its position",
    arguments: [
      ("900mmHg", false), ("785mmHg", false), ("784mmHg", true), ("0hPa", false), ("1Pa", false),
      ("410.4mmHg", true), ("653hPa", true),
    ])
  func limits(_ limit: String, isTaken: Bool) throws {
    let pipeline = "leak: {limit: \(limit)}"
    guard !isTaken else {
      _ = try Self.rig(760, pipeline: pipeline)
      return
    }
    let failure = #expect(throws: Failure.self) { try Self.rig(760, pipeline: pipeline) }
    let reported = failure?.findings.first
    #expect(
      failure?.findings.count == 1 && reported?.location?.line == 9, "\(failure?.messages ?? [])")
    #expect(
      reported?.message.contains("limit: '\(limit)' is not a valid pressure limit of a cabin")
        == true)
  }

  @Test(
    "an error that several expectations share is reported only once",
    arguments: [
      (
        "{that: leak, by: 1min}, {that: safe-haven, never: true}", "need 'leak: {}' in the pipeline"
      ),
      (
        "{that: forecast, never: [rainy]}, {that: forecast, reaches: [stable]}",
        "needs 'forecast: thesis'"
      ),
      ("{that: faults, all: fired}, {that: faults, all: fired}", "needs 'faults' in the rig"),
    ])
  func once(_ expectations: String, _ words: String) {
    let failure = #expect(throws: Failure.self) {
      try Self.rig(760, pipeline: "keep: 1h", rest: "expect: [\(expectations)]")
    }
    #expect(
      failure?.messages.filter { $0.contains(words) }.count == 1, "\(failure?.messages ?? [])")
  }

  @Test(
    "an expected alarm is rejected if it cannot fail or if the rig has no leak detection"
  )
  func idle() {
    for (keys, pipeline, words) in [
      ("is: below-limit", "leak: {}", "set 'by' or 'never'"),
      ("never: true", "keep: 1h", "need 'leak: {}' in the pipeline"),
      ("is: too-low, never: true", "leak: {}", "below-limit"),
      ("by: 1min, never: true", "leak: {}", "'by' and 'never' exclude each other"),
    ] {
      let failure = #expect(throws: Failure.self) {
        try Self.rig(760, pipeline: pipeline, rest: "expect: [{that: pressure-alarm, \(keys)}]")
      }
      #expect(failure?.messages.joined().contains(words) == true, "\(failure?.messages ?? [])")
    }
  }
}
