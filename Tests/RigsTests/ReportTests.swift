import Foundation
import FoundationXML
import Reports
import Rigs
import Runs
import Schema
import Support
import TestSupport
import Testing

/// The formats of the reports, on which users rely.
struct ReportTests {
  static func json(_ line: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return try #require(object as? [String: Any])
  }

  @Test("JSON Lines: each event has its documented keys")
  func jsonLines() throws {
    let rig = try Rig(text: SampleRig.text, file: SampleRig.file)
    let lines = try SampleRig.lines(rig)
    #expect(
      lines.first == #"{"event":"rig","name":"sample","seed":3,"clock":"virtual"}"#)
    var keys: [String: Set<String>] = [:]
    for line in lines {
      let object = try Self.json(line)
      keys[try #require(object["event"] as? String)] = Set(object.keys)
    }
    let place: Set = ["event", "t", "bus", "address"]
    let values: Set = ["temperature_c", "pressure_pa", "humidity_rh"]
    #expect(keys["reading"] == place.union(values).union(["raw", "charge_uc"]))
    #expect(keys["average"] == place.union(values).union(["samples"]))
    #expect(keys["forecast"] == place.union(["forecast", "rate_hpa_per_h", "method"]))
    #expect(keys["no-forecast"] == place.union(["reason", "method"]))
    #expect(
      keys["verdict"] == ["event", "t", "passed", "expectations", "failed", "findings"])
    #expect(keys["traffic"] == ["event", "t", "bus", "transfers", "errors", "final"])
    let kinds: Set = [
      "rig", "reading", "average", "forecast", "no-forecast", "traffic", "verdict",
    ]
    #expect(Set(keys.keys) == kinds)
    let verdict = try Self.json(try #require(lines.last))
    #expect(verdict["t"] as? Double == 7200)
    #expect(verdict["passed"] as? Bool == true)
    #expect(verdict["expectations"] as? Int == 1)
  }

  @Test("a reading contains the raw values that it is computed from")
  func reading() throws {
    let rig = try Rig(text: SampleRig.text, file: SampleRig.file)
    let line = try #require(try SampleRig.lines(rig).first { $0.contains("\"reading\"") })
    let object = try Self.json(line)
    #expect(object["address"] as? Int == 118)
    let raw = try #require(object["raw"] as? [String: Int])
    #expect(Set(raw.keys) == ["adc_T", "adc_P", "adc_H"])
    #expect(abs((object["pressure_pa"] as? Double ?? 0) - 100_500) < 4)
  }

  @Test("JSON: one object contains the same events in arrays")
  func json() throws {
    let rig = try Rig(text: SampleRig.text, file: SampleRig.file)
    var output = ""
    let report = JSONReport { output += $0 }
    _ = try RigRun(rig).run(report.take)
    let object = try Self.json(output)
    #expect((object["readings"] as? [Any])?.count == 8)
    #expect((object["averages"] as? [Any])?.count == 4)
    #expect((object["forecasts"] as? [Any])?.count == 3)
    #expect((object["no_forecasts"] as? [Any])?.count == 1)
    #expect((object["faults"] as? [Any])?.isEmpty == true)
    #expect((object["verdict"] as? [String: Any])?["passed"] as? Bool == true)
  }

  @Test("JUnit: each expectation is a test case with its line, and special characters are escaped")
  func junit() throws {
    let text =
      SampleRig.text.replacingOccurrences(of: "name: sample", with: "name: a<b>&\"c\"")
      + "\n  - {that: readings, count: 7}\n"
    let rig = try Rig(text: text, file: SampleRig.file)
    let verdict = try RigRun(rig).run()
    let document = JUnit.text(verdict.inspection(of: rig, seconds: 1.5))
    let parser = XMLCounter()
    #expect(parser.parse(document))
    #expect(
      parser.counts == [
        "testsuites": 1, "testsuite": 1, "testcase": 2, "failure": 1, "system-out": 1,
      ])
    #expect(parser.attributes["testsuite"]?["failures"] == "1")
    #expect(parser.attributes["testsuite"]?["name"] == "a<b>&\"c\"")
    #expect(parser.attributes["testcase"]?["line"] == "20")
    #expect(parser.attributes["failure"]?["message"] == "8 readings")
  }

  @Test("text: a report has the bench, rows, a chart and the verdict, and no colour in a pipe")
  func text() throws {
    let rig = try Rig(path: Fixtures.root.appending(path: "rigs/weather-station.yaml").path)
    var output = ""
    let report = TextReport(style: Style(isColoured: false)) { output += $0 }
    _ = try RigRun(rig).run(report.take)
    #expect(!output.contains("\u{1B}"))
    for part in [
      "bus 1  400 kHz  0x76  BME280  periph-i2c", "from 2013-01-01 06:00:00 UTC, 48 h",
      "01-01 06:30", "hPa │", "forecast =", "480 readings, 96 averages, 95 forecasts",
      "7 of 7 expectations met",
    ] { #expect(output.contains(part), "\(part)") }
    let longest = output.split(separator: "\n").map(\.count).max() ?? 0
    #expect(longest <= 130)
    var coloured = ""
    let bright = TextReport(style: Style(isColoured: true)) { coloured += $0 }
    _ = try RigRun(rig).run(bright.take)
    #expect(coloured.replacing(/\u{1B}\[\d+m/, with: "") == output)
  }
}

/// Counts the elements of an XML document, by an independent parser.
final class XMLCounter: NSObject, XMLParserDelegate {
  var counts: [String: Int] = [:]
  var attributes: [String: [String: String]] = [:]

  func parse(_ document: String) -> Bool {
    let parser = XMLParser(data: Data(document.utf8))
    parser.delegate = self
    return parser.parse()
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    counts[name, default: 0] += 1
    self.attributes[name] = attributes
  }
}
