import Barometry
import Foundation
import FoundationXML
import Reports
import Rigs
import Runs
import TestSupport
import Testing
import TraceTools

/// The HTML page of a run is self-contained, shows failures, and is accessible.
struct PageTests {
  static func page(_ text: String, trace: Bool = true) throws -> Page {
    let rig = try Rig(text: text, file: SampleRig.file)
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let recorder = PageRecorder()
    let output = try TraceOutput(path)
    try RigRun(rig, options: RigRun.Options(trace: output)).run(recorder.take)
    try output.close()
    return try #require(try Page(recorder, trace: path))
  }

  static let failing = SampleRig.text.replacingOccurrences(
    of: "expect:",
    with: "faults:\n  - {at: 1h, kind: offset, pressure: 3hPa, count: 2}\nexpect:")

  @Test("the page needs no network and no script, and is well-formed")
  func alone() throws {
    for text in [SampleRig.text, Self.failing] {
      let html = try Self.page(text).html
      #expect(!html.contains("http") && !html.contains("<script") && !html.contains("url("))
      // The page is XML except for the doctype and the two void elements of the head.
      let body = html.replacing("<!doctype html>", with: "")
        .replacing(/<meta [^>]*>/, with: "")
      _ = try XMLDocument(xmlString: body)
    }
  }

  @Test("the page shows expected and actual results, and decodes the transfers around a failure")
  func content() throws {
    let html = try Self.page(Self.failing).html
    #expect(html.contains("<span class=\"verdict bad\">failed, 0 of 1</span>"))
    #expect(html.contains("not met") && html.contains("fault offset fired 2 of 2 times"))
    #expect(html.contains("Transfers around: every pressure is within 5 Pa"))
    #expect(html.contains("adc_P"), "the data are decoded")
    let passed = try Self.page(SampleRig.text).html
    #expect(passed.contains("<span class=\"verdict ok\">passed, 1 of 1</span>"))
    #expect(!passed.contains("Transfers around"))
  }

  @Test("five transfers before and five after a failure are shown")
  func around() throws {
    let run = try SampleRig.run(Self.failing)
    let failed = try #require(run.verdict.findings.first { !$0.passed }?.time)
    let html = try Self.page(Self.failing).html
    let lines = try #require(html.firstMatch(of: /<pre>([^<]*)<\/pre>/)).1.split(separator: "\n")
    let times = try lines.map { line in
      try #require(Double(line.prefix { $0 != " " }).map { UInt64($0 * 1e9) })
    }
    #expect(times.count { $0 <= failed } == 5 && times.count { $0 > failed } == 5, "\(lines)")
  }

  @Test("the rate of a leak in the picture equals the rate in the report")
  func leak() throws {
    let file = Fixtures.root.appending(path: "rigs/iss-leak.yaml").path
    // A non-default limit, which a second analysis would not have.
    let rig = try Rig(
      text: Fixtures.text("rigs/iss-leak.yaml").replacing(
        "limit: 490mmHg", with: "limit: 600mmHg"), file: file)
    let recorder = PageRecorder()
    var rates: [Double] = []
    try RigRun(rig).run { event in
      recorder.take(event)
      if case .reading(let reading) = event { rates += reading.leakRate.map { [$0.value] } ?? [] }
    }
    let page = try #require(try Page(recorder, trace: nil))
    let svg = try #require(page.pictureFiles.first { $0.name.hasPrefix("leak") }).svg
    let perMinute = try #require(rates.min()) * 60 / 133.322387415
    let lowest = "lowest \(String(format: "%.2f", perMinute))"
    #expect(svg.contains(lowest), "\(lowest) \(svg.prefix(400))")
  }

  @Test("every picture has a title and a description, on the page and as a separate file")
  func pictures() throws {
    let page = try Self.page(SampleRig.text)
    let files = page.pictureFiles
    #expect(
      files.map(\.name) == [
        "pressure", "pressure-difference", "rate", "temperature", "humidity", "charge", "activity",
      ])
    for (name, svg) in files {
      let document = try XMLDocument(xmlString: svg)
      let root = try #require(document.rootElement())
      #expect(root.name == "svg" && svg.contains("role=\"img\""))
      let texts = root.children?.compactMap { $0 as? XMLElement } ?? []
      #expect(texts.contains { $0.name == "title" && $0.stringValue?.isEmpty == false }, "\(name)")
      let words = texts.first { $0.name == "desc" }?.stringValue ?? ""
      #expect(words.contains("lowest") && words.contains("highest"), "\(name)")
    }
  }

  @Test("a picture in a separate file keeps its colours in a viewer without CSS variables")
  func plainColours() throws {
    let files = try Self.page(SampleRig.text).pictureFiles
    for (name, svg) in files {
      let named = svg.matches(of: /([a-z-]+):var\(--\w+\)/)
      #expect(named.count > 20, "\(name)")
      for match in named {
        let before = svg[..<match.range.lowerBound].suffix(40)
        #expect(
          before.contains(/[{;]([a-z-]+):#[0-9a-f]{3,8};$/)
            && before.hasSuffix(";") && before.contains("\(match.output.1):#"), "\(name): \(before)"
        )
      }
      #expect(svg.contains("{fill:#1b2430;fill:var(--ink)}"), "\(name)")
    }
  }

  @Test("several forecasters are shown side by side")
  func forecasters() throws {
    let text = SampleRig.text.replacing(
      "forecast: thesis", with: "forecast: [thesis, zambretti]\n  keep: 4h"
    )
    .replacing("duration: 2h", with: "duration: 8h")
    let html = try Self.page(text).html
    #expect(html.contains("Forecasters side by side") && html.contains("<th>zambretti</th>"))
    #expect(try !Self.page(SampleRig.text).html.contains("Forecasters side by side"))
  }

  @Test("text of a rig cannot break the page")
  func hostile() throws {
    let text = SampleRig.text.replacing(
      "name: sample", with: "name: \"</title><script>alert(1)</script>&\"")
    let html = try Self.page(text).html
    #expect(!html.contains("<script"))
    #expect(html.contains("&lt;script&gt;"))
  }

  @Test("the page of a long run stays small")
  func size() throws {
    let text = try Fixtures.text("rigs/iss-quiet.yaml").replacing(
      "duration: 6h", with: "duration: 3h")
    let html = try Self.page(text).html
    #expect(html.utf8.count < 300_000, "10,800 readings, \(html.utf8.count) bytes")
  }

  @Test(
    "a program with defects has its own curve, and a table compares its values with correct ones"
  )
  func comparison() throws {
    let file = Fixtures.root.appending(path: "rigs/thesis-bug.yaml")
    let rig = try Rig(path: file.path)
    let recorder = PageRecorder()
    try RigRun(rig).run(recorder.take)
    let page = try #require(try Page(recorder, trace: nil))
    let html = page.html
    #expect(html.contains("Correct, defective and reference values"))
    // From the same bytes, the correct formula gives 995 hPa and that of the thesis 1443 hPa. On a
    // narrow screen each cell has the name of its column.
    #expect(html.contains("<td data-label=\"with defects\" class=\"number bad\">1443."))
    #expect(html.contains("<td data-label=\"reference\" class=\"number\">995.90 hPa</td>"))
    #expect(html.contains(".numbers td::before{content:attr(data-label)"))
    // The temperature of the program with defects is correct.
    #expect(!html.contains(/number bad">\d+\.\d+ C</))
    let pressure = try #require(page.pictureFiles.first { $0.name == "pressure" }).svg
    #expect(pressure.contains("with defects") && pressure.contains("class=\"line wrong\""))
    #expect(html.contains("The program with defects displays 1443.3 hPa instead of 995.9 hPa."))
    #expect(pressure.contains("highest 1443."))
    // A BMP280 does not measure humidity.
    #expect(!page.pictureFiles.contains { $0.name == "humidity" })
    #expect(try Self.page(SampleRig.text).pictureFiles.contains { $0.name == "humidity" })
  }

  @Test("a fault is marked at its bus, with its first and last time")
  func marks() throws {
    let text = SampleRig.text.replacing(
      "expect:",
      with: "faults:\n  - {at: 30min, kind: nack-address, count: 2}\nexpect:")
    let page = try Self.page(text)
    let pressure = try #require(page.pictureFiles.first { $0.name == "pressure" }).svg
    #expect(pressure.contains("0:30:00: fault nack-address, first of 2"))
    #expect(pressure.contains("0:30:10: fault nack-address, last of 2"), "\(pressure.suffix(800))")
    #expect(page.html.contains("<td>0:30:00</td><td>0:30:10</td><td>bus 1"))
    // One of six parts NACKs for a while.
    let several = try Fixtures.text("rigs/many-sensors.yaml")
    let pictures = try Self.page(several).pictureFiles.filter { $0.name.hasPrefix("pressure") }
    let marked = pictures.filter { $0.svg.contains("fault nack-address") }.map(\.name)
    #expect(pictures.count > 2 && marked == ["pressure-2-0x77"], "\(marked)")
  }

  @Test("the picture of the difference between sensor and air shows the expected tolerance")
  func difference() throws {
    let page = try Self.page(Self.failing)
    let svg = try #require(page.pictureFiles.first { $0.name == "pressure-difference" }).svg
    // Two readings with an error of 300 Pa and a tolerance of 5 Pa.
    #expect(svg.contains("highest 30") && svg.contains("band allowed"))
    #expect(svg.contains(">sample: Pressure: sensor minus air</text>"))
    let means = SampleRig.text.replacing("{that: pressure,", with: "{that: pressure, mean: true,")
    #expect(try !Self.page(means).pictureFiles.contains { $0.name.hasSuffix("difference") })
  }

  @Test("failed expectations are listed first")
  func order() throws {
    let text = Self.failing.replacing("expect:", with: "expect:\n  - {that: faults, all: fired}")
    let html = try Self.page(text).html
    let failed = try #require(html.range(of: "not met"))
    let passed = try #require(html.range(of: ">met<"))
    #expect(failed.lowerBound < passed.lowerBound)
    #expect(html.contains("failed, 1 of 2"))
  }

  @Test("the curves of many sensors are in one picture, with the events of each sensor")
  func overlaid() throws {
    let page = try Self.page(Fixtures.text("rigs/many-sensors.yaml"))
    let titles = page.html.matches(of: /<figcaption>([^<]*)</).map { String($0.1) }
    #expect(titles.prefix(2) == ["Pressure, 6 sensors", "Pressure: sensor minus air, 6 sensors"])
    #expect(titles.contains("Relative humidity, 4 sensors"), "two of them are BMP280")
    #expect(page.html.contains("0:10:00  0x77 on bus 2, fault nack-address, first of 3"))
    #expect(page.html.contains(">0x76 on bus 3</text>"))
  }

  @Test("the headline contains the location of a leak and the call to the safe haven")
  func headline() throws {
    let leak = try Self.page(Fixtures.text("rigs/iss-leak.yaml"), trace: false).html
    #expect(leak.contains("<p class=\"headline bad\">The leak is in laboratory.</p>"))
    let severe = try Self.page(Fixtures.text("rigs/iss-severe.yaml"), trace: false).html
    #expect(severe.contains(/headline bad">[^<]*The safe haven was called at 0:0\d:\d\d\./))
    #expect(try !Self.page(SampleRig.text).html.contains("<p class=\"headline"))
  }

  @Test("units have typographic signs such as °C and m³, and forecast bands have labels")
  func words() throws {
    let html = try Self.page(Fixtures.text("rigs/weather-station.yaml"), trace: false).html
    #expect(
      html.contains("within 0.1 °C") && html.contains(">°C</text>") && !html.contains("0.1 C"))
    #expect(html.contains(">good weather</text>") && html.contains(">rainy</text>"))
    #expect(
      try Self.page(Fixtures.text("rigs/iss-leak.yaml"), trace: false).html.contains("916 m³"))
  }

  @Test("on a narrow screen the cells of a table have the names of their columns")
  func narrow() throws {
    let html = try Self.page(Fixtures.text("rigs/iss-leak.yaml"), trace: false).html
    #expect(html.contains(#"<td data-label="T1mm s">60</td><td data-label="mmHg/min">1.00</td>"#))
    #expect(html.contains(/max-width:30rem[^@]*\.numbers td::before\{content:attr\(data-label\)/))
    // The labels of the curves end within the picture: of 800 px, eight letters of 21 px start at 672 px at the latest.
    let picture = try #require(
      html.firstMatch(of: /aria-label="Reserve time by T1mm">.*?<\/svg>/.dotMatchesNewlines()))
    for name in picture.output.matches(of: /<text x="(?<x>[\d.]+)"[^>]*>\d+ mmHg</) {
      #expect(Double(name.x).map { $0 <= 680 } == true, "\(name.output)")
    }
  }

  @Test("hole sizes are computed for the pressure of the cabin, and the page states that pressure")
  func holes() throws {
    let html = try Self.page(Fixtures.text("rigs/iss-leak.yaml"), trace: false).html
    // With a hole of 12.3 mm in 916 m³ the pressure falls by 1 mmHg in 60 s at 760 mmHg.
    let row = try #require(html.firstMatch(of: /<tr><td[^>]*>60<\/td>.*?<\/tr>/)?.output)
    #expect(row.contains(">12.3 mm</td>"), "\(row)")
    #expect(html.contains(/diameter of the hole at 7[56]\d mmHg for the given volume of the cabin/))
  }

  @Test("the labels of an axis do not overlap")
  func axis() throws {
    let page = try Self.page(Fixtures.text("rigs/weather-station.yaml"), trace: false)
    for (name, svg) in page.pictureFiles {
      var free = 0.0
      let pattern =
        /<text x="(?<x>[\d.]+)" y="[\d.]+" text-anchor="(?<anchor>middle|end)">(?<text>\d\d-\d\d [^<]*)</
      let labels = svg.matches(of: pattern)
      #expect(labels.count >= 3, "\(name)")
      for label in labels {
        let width = Double(label.text.count) * 9.6
        let x = try #require(Double(label.x))
        let start = label.anchor == "end" ? x - width : x - width / 2
        #expect(start >= free, "\(name): \(label.text)")
        free = start + width
      }
    }
  }

  @Test("noise is drawn as its range and its mean")
  func spread() throws {
    let page = try Self.page(Fixtures.text("rigs/iss-leak.yaml"), trace: false)
    let humidity = try #require(page.pictureFiles.first { $0.name == "humidity" }).svg
    #expect(humidity.contains("<polygon class=\"spread s0\""))
    let pressure = try #require(page.pictureFiles.first { $0.name == "pressure" }).svg
    #expect(!pressure.contains("<polygon"), "a curve stays a curve")
  }
}
