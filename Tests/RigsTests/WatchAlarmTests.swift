import Barometry
import Foundation
import Quantities
import Rigs
import Runs
import Support
import Testing
import Watch

/// The first word of a watch is visible on every page and at every size; keys and exports work.
struct WatchAlarmTests {
  static let millimetre = PressureUnit.millimetreOfMercury.pascals

  /// A watch of a cabin with a constant pressure.
  static func still(_ millimetres: Double, seconds: Int = 60) -> (state: WatchState, bells: Int) {
    var state = WatchState(
      .cabin, of: "0x76 on bus 1", WatchSettings(), limit: nil, specified: 30_000...110_000)
    var bells = 0
    for second in 0..<seconds {
      let pascals = millimetres * millimetre + Double(second % 3)
      state.take(WatchScreenTests.reading(pascals, at: second))
      state.pass(to: Double(second), moment: 1_700_000_000_000_000_000)
      if state.takeBell() { bells += 1 }
    }
    return (state, bells)
  }

  @Test(
    "a cabin pressure out of range puts an alarm at the top of the screen and rings a bell once",
    arguments: [
      (400.0, "SAFE HAVEN  BELOW LIMIT", "the lowest survivable pressure"),
      (480, "SAFE HAVEN  BELOW LIMIT", "under the limit of 490.0 mmHg"),
      (900, "OVERPRESSURE", ": overpressure"),
    ])
  func level(_ pressure: Double, _ word: String, _ reason: String) {
    var (state, bells) = Self.still(pressure)
    #expect(bells == 1)
    for (columns, rows) in [(40, 12), (60, 20), (80, 24), (120, 40)] {
      let lines = WatchScreenTests.lines(state, columns, rows)
      #expect(lines[1].trimmingCharacters(in: .whitespaces).hasPrefix(word), "\(lines)")
      let text = lines.joined(separator: "\n")
      #expect(!text.contains("STABLE") && !text.contains("no fall"))
      let flat = lines.map { $0.prefix(columns >= 100 ? 46 : columns) }.joined(separator: " ")
        .replacing(/\s+/, with: " ")
      #expect(flat.contains(reason), "\(columns)x\(rows):\n\(text)")
    }
    #expect(state.takeMark().contains(pressure > 700 ? "OVERPRESSURE" : "BELOW LIMIT"))
  }

  @Test(
    "help, chart and marks leave the first word visible, in every state", arguments: [12, 20, 40])
  func overlays(_ rows: Int) {
    for (state, word) in [
      (WatchScreenTests.state(), "LEAK"), (WatchScreenTests.state(fall: 0), "STABLE"),
      (Self.still(400).state, "SAFE HAVEN  BELOW LIMIT"),
      (WatchScreenTests.state(.weather), "MEASURING"),
    ] {
      for key in state.purpose == .cabin ? "?tn" : "?n" {
        var state = state
        for _ in 0..<(key == "t" ? 1 : 3) {
          _ = state.press(key)
          let lines = WatchScreenTests.lines(state, 40, rows)
          #expect(lines.count == rows && lines[1].hasPrefix(word), "\(key) \(lines)")
          #expect(lines.contains { $0.contains("key: back") })
        }
      }
    }
  }

  @Test("q closes help, chart and marks first, and then the watch")
  func quits() {
    for key in "?tn" as String {
      var state = WatchScreenTests.state()
      _ = state.press(key)
      #expect(state.page != nil)
      guard case .redraw = state.press("q") else {
        Issue.record("q after \(key) does something else")
        continue
      }
      #expect(state.page == nil)
      guard case .quit = state.press("q") else {
        Issue.record("q does not quit")
        continue
      }
    }
    var state = WatchScreenTests.state()
    _ = state.press("?")
    if case .quit = state.press("\u{3}") {} else { Issue.record("Ctrl-C does not quit") }
  }

  @Test("a terminal of any size shows the status, down to a single line, without truncated numbers")
  func tiny() {
    for (state, words) in [
      (Self.still(400).state, ["SAFE HAVEN", "BELOW LIMIT"]), (WatchScreenTests.state(), ["LEAK"]),
      (WatchScreenTests.state(fall: 0), ["STABLE"]),
    ] {
      for columns in [1, 5, 11, 20, 39, 80] {
        for rows in [1, 2, 3, 5, 11] where columns < 40 || rows < 12 {
          let lines = WatchScreenTests.lines(state, columns, rows)
          #expect(lines.count == rows && lines.allSatisfy { $0.count <= columns })
          #expect(lines[0].first == words[0].first, "\(columns)x\(rows) \(lines)")
          if columns >= 11 { #expect(lines[0].hasPrefix(words[0]), "\(columns)x\(rows) \(lines)") }
          let text = lines.joined(separator: " ").replacing(/\s+/, with: " ")
          if columns >= 11, rows >= 5 {
            for word in words { #expect(text.contains(word), "\(columns)x\(rows) \(lines)") }
          }
        }
      }
    }
    let leak = WatchScreenTests.lines(WatchScreenTests.state(), 20, 5)
    #expect(leak[0] == "LEAK")
    let text = leak.joined(separator: " ").replacing(/\s+/, with: " ")
    #expect(text.contains(/RESERVE at least \d+\.\d min/), "\(leak)")
  }

  @Test("at 40x12 the rate of a leak is displayed with sign and uncertainty")
  func rate() {
    let lines = WatchScreenTests.lines(WatchScreenTests.state(), 40, 12)
    #expect(
      lines.contains { $0.contains(/T1mm [\d.]+ s, -\d+\.\d+ ± [\d.]+ mmHg\/min/) }, "\(lines)")
    let calm = WatchScreenTests.lines(WatchScreenTests.state(fall: 0), 40, 12)
    #expect(calm.contains { $0.contains(/[+-]\d+\.\d+ ± [\d.]+ mmHg\/min/) }, "\(calm)")
  }

  @Test("the screen explains T1mm as the time to fall by 1 mmHg if there is room")
  func meaning() {
    let text = WatchScreenTests.lines(WatchScreenTests.state(), 80, 24).joined(separator: "\n")
    #expect(text.contains(#/T1mm [\d.]+ s to fall by 1 mmHg, -[\d.]+ ± /#), "\(text)")
  }

  @Test("the complete SHA-256 of an export is on the screen at any width")
  func digest() {
    var state = WatchScreenTests.state(fall: 0)
    let digest = String(repeating: "0123456789abcdef", count: 4)
    state.exported("exported x.csv: 3 rows, SHA-256 \(digest)", isFailure: false, hasEnded: true)
    for (columns, rows) in [(40, 24), (60, 20), (80, 24), (120, 40)] {
      let lines = WatchScreenTests.lines(state, columns, rows)
      #expect(lines.allSatisfy { $0.count <= columns })
      let text = lines.map { $0.prefix(columns >= 100 ? 46 : columns) }.joined()
      #expect(text.replacing(" ", with: "").contains(digest), "\(columns)x\(rows) \(lines)")
    }
  }

  @Test("if recorded times go back, the screen shows only the rows of the new run")
  func runs() {
    var state = WatchState(.cabin, of: "0x76", WatchSettings(), limit: nil)
    state.recall(
      [(100.0, 100_000.0, ""), (101, 99_000, ""), (50, 90_000, "new run"), (51, 89_990, "")].map {
        ($0.0, AirReading(temperature: 20, pressure: $0.1, humidity: nil), $0.2)
      })
    #expect(state.samples.map(\.time) == [50, 51])
    #expect(state.analysis.initial == 90_000 && state.marks.map(\.name) == ["new run"])
  }
}
