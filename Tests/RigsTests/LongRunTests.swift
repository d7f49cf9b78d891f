import Foundation
import I2C
import I2CTrace
import Reports
import Rigs
import Runs
import TestSupport
import Testing
import TraceTools

/// Reports of runs of any length stay small, with the same contents.
struct LongRunTests {
  @Test(
    "the curves on the page of a long run have fewer points but keep their extreme values"
  )
  func extremes() throws {
    // A week with a reading every 30 s: 20,160 readings, and one outlier.
    let text = SampleRig.text.replacing("duration: 2h", with: "duration: 7d")
      .replacing("samples: 2", with: "samples: 60\n  sample_every: 30s")
      .replacing(
        "constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}",
        with: "constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}"
      )
      .replacing(
        "expect:", with: "faults:\n  - {at: 50h, kind: offset, pressure: 30hPa, count: 1}\nexpect:")
    let page = try PageTests.page(text, trace: false)
    let pressure = try #require(page.pictureFiles.first { $0.name == "pressure" }?.svg)
    #expect(pressure.contains("highest 1034.9"), "the outlier is kept")
    let line = try #require(pressure.firstMatch(of: /points="([^"]*)"/)?.output.1)
    #expect(line.split(separator: " ").count <= 2 * 720)
  }

  @Test("the JSON of a long run, which is buffered in a file, contains every event")
  func spilled() throws {
    let rig = try Rig(
      text: SampleRig.text.replacing("duration: 2h", with: "duration: 60d"), file: SampleRig.file)
    var (json, lines) = ("", 0)
    let report = JSONReport { json += $0 }
    let linesReport = JSONLinesReport { _ in lines += 1 }
    _ = try RigRun(rig).run { event in
      report.take(event)
      linesReport.take(event)
    }
    #expect(json.utf8.count > 1 << 20)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let reported = object.values.compactMap { ($0 as? [Any])?.count }.reduce(0, +)
    #expect(reported == lines - 2, "all events but the rig and the verdict are in arrays")
  }

  @Test("the dump of a huge message is written in small pieces")
  func hugeMessage() {
    var (largest, total) = (0, 0)
    let header = TraceHeader(
      generator: "test", clock: "virtual", buses: [TraceHeader.Bus(number: 1)])
    var exporter = TraceExporter(.vcd, header, bus: nil) { bytes in
      largest = max(largest, bytes.count)
      total += bytes.count
    }
    let bytes = [UInt8](repeating: 0xA5, count: 20_000)
    exporter.take(
      TracedTransfer(
        time: 0, duration: 2_000_000_000, bus: 1,
        messages: [
          TracedMessage(I2CSegment(address: 0x76, direction: .read, count: bytes.count), bytes)
        ]))
    _ = exporter.finish()
    #expect(total > 1 << 21 && largest < 1 << 17, "\(largest) of \(total)")
  }
}
