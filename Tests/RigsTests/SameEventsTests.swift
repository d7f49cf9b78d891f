import Foundation
import Reports
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Text, JSON and JSON Lines contain the same events for every rig.
struct SameEventsTests {
  static let rigs: [String] = {
    // Rigs with firmware need an image, and other tests run them.
    ((try? Fixtures.rigs()) ?? []).filter { !$0.hasSuffix("-firmware.yaml") }
  }()

  /// The arrays of the JSON report, by the name of their events on the lines.
  static let arrays = [
    "reading": "readings", "average": "averages", "stand-in": "stand_ins", "forecast": "forecasts",
    "no-forecast": "no_forecasts", "error": "errors", "out-of-reach": "out_of_reach",
    "notification": "notifications", "fault": "faults", "beside": "beside", "cabin": "cabin",
    "search": "search", "safe-haven": "safe_haven",
    "pressure-alarm": "pressure_alarms", "board": "boards", "traffic": "traffic",
    "replay": "replays", "uart": "uart", "pin": "pins", "energy": "energy",
    "footprint": "footprints", "screen": "screens",
  ]
  /// The names of the events in the summary of the text: the start of the words after the number.
  static let words = [
    "reading": "reading", "average": "average", "stand-in": "stand-in", "forecast": "forecast",
    "no-forecast": "missing forecast", "error": "error", "out-of-reach": "value",
    "notification": "notification", "fault": "fault", "beside": "compared result",
    "cabin": "cabin report", "search": "search step", "safe-haven": "call",
    "pressure-alarm": "pressure alarm", "board": "board",
    "uart": "UART line", "pin": "pin change",
  ]

  @Test("json, jsonl and text contain the same events for every rig", arguments: rigs)
  func same(_ name: String) throws {
    try Self.compare(Rig(path: Fixtures.root.appending(path: "rigs/\(name)").path), name)
  }

  @Test(
    "when a backup source replaces a sensor, the formats agree and mark each forecast based on it")
  func backup() throws {
    let weather = FileManager.default.temporaryDirectory
      .appending(path: "weather-\(UUID().uuidString).json").path
    defer { try? FileManager.default.removeItem(atPath: weather) }
    try #"{"current": {"time": 0, "surface_pressure": 1000}}"#.write(
      toFile: weather, atomically: true, encoding: .utf8)
    let text = """
      name: backup
      duration: 4h
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      environment: {constant: {pressure: 1005hPa, temperature: 21.3C}}
      pipeline:
        cycle: 30min
        keep: 3h
        forecast: [thesis, tendency, zambretti]
        backup: {file: \(weather)}
      faults: [{at: 59min, kind: nack-address, count: 1000000}]
      """
    let reported = try Self.compare(Rig(text: text, file: "backup.yaml"), "backup")
    let forecasts = reported.lines.filter { $0.contains(#""event":"forecast""#) }
    #expect(forecasts.contains { $0.contains(#""method":"tendency","stand_ins":"#) })
    #expect(forecasts.contains { $0.contains(#""method":"thesis","stand_ins":"#) })
    #expect(forecasts.contains { !$0.contains("stand_ins") })
    #expect(reported.text.contains("forecast stable, in part from the backup"))
    #expect(forecasts.contains { $0.contains(#""stand_ins_of":"#) })
  }

  @Test("a row of a run says only once that its values are outside the specification")
  func outside() throws {
    let text = """
      name: outside
      duration: 2h
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      environment: {constant: {pressure: 290hPa, temperature: 21.3C}}
      pipeline: {cycle: 30min, forecast: thesis}
      """
    let reported = try Self.compare(Rig(text: text, file: "outside.yaml"), "outside")
    let rows = reported.text.split(separator: "\n").filter {
      $0.contains("290.") && $0.contains("21.30")
    }
    #expect(!rows.isEmpty)
    for row in rows {
      #expect(row.contains("outside the specification: pressure"), "\(row)")
      #expect(!row.contains("outside the specified range"), "\(row)")
    }
  }

  /// Runs a rig and compares the three formats.
  @discardableResult
  static func compare(_ rig: Rig, _ name: String) throws -> (lines: [String], text: String) {
    var (lines, whole, text) = ([String](), "", "")
    let reports: [any RunReport] = [
      JSONLinesReport { lines.append($0.trimmingCharacters(in: .newlines)) },
      JSONReport { whole += $0 }, TextReport(style: Style(isColoured: false)) { text += $0 },
    ]
    try RigRun(rig).run { event in reports.forEach { $0.take(event) } }
    var reported: [String: [NSDictionary]] = [:]
    var last = 0.0
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let event = try #require(object as? [String: Any])
      let kind = try #require(event["event"] as? String)
      reported[kind, default: []].append(event as NSDictionary)
      guard let time = event["t"] as? Double else { continue }
      #expect(time >= last, "\(line)")
      last = time
    }
    let object = try JSONSerialization.jsonObject(with: Data(whole.utf8))
    let json = try #require(object as? [String: Any])
    #expect(reported["rig"]?.first == json["rig"] as? NSDictionary)
    #expect(reported["verdict"]?.first == json["verdict"] as? NSDictionary)
    #expect(Set(reported.keys).isSubset(of: Set(Self.arrays.keys).union(["rig", "verdict"])))
    #expect(Set(json.keys) == Set(Self.arrays.values).union(["rig", "verdict"]))
    let foot = try #require(text.split(separator: "\n").last { $0.contains(" readings, ") })
    let counted = foot.trimmingCharacters(in: .whitespaces).components(separatedBy: ", ")
    for (kind, array) in Self.arrays {
      #expect(json[array] as? [NSDictionary] == reported[kind] ?? [], "\(name): \(kind)")
      // Traffic is not part of the text, and consumption is a separate table.
      guard !["traffic", "replay", "energy"].contains(kind) else { continue }
      let count = reported[kind]?.count ?? 0
      let starts = (Self.words[kind] ?? "").split(separator: "|")
      let parts = counted.filter { part in
        let rest = part.drop { $0.isNumber || $0 == " " }
        return starts.contains { rest.hasPrefix($0) }
      }
      #expect(
        parts.count == (count > 0 || ["reading", "average", "forecast"].contains(kind) ? 1 : 0))
      if let part = parts.first { #expect(part.hasPrefix("\(count) "), "\(name): \(foot)") }
    }
    return (lines, text)
  }

  @Test("the rows of the text are in order of time", arguments: rigs)
  func order(_ name: String) throws {
    let rig = try Rig(path: Fixtures.root.appending(path: "rigs/\(name)").path)
    var text = ""
    let report = TextReport(style: Style(isColoured: false)) { text += $0 }
    try RigRun(rig).run(report.take)
    // The times of the comparison table restart after the chart.
    let rows = text.prefix(while: { $0 != "┤" }).split(separator: "\n")
    let times = rows.compactMap { row in
      row.firstMatch(of: #/^ +(\d+:\d\d:\d\d\.\d|\d\d-\d\d \d\d:\d\d)  /#).map { String($0.1) }
    }
    let end = times.firstIndex { _ in text.contains("defects") } ?? times.count
    #expect(Array(times[..<end]) == times[..<end].sorted(), "\(name)")
    #expect(text.contains("defects") || !times.isEmpty)
  }
}
