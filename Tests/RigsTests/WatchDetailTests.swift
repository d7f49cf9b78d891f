import Bench
import Foundation
import Support
import TestSupport
import Testing
import Watch

/// Details of the screen: further pages, units of limits, pages of a graph, hatches without names.
struct WatchDetailTests {
  @Test("the list of marks shows 'more' only if there are more marks", arguments: [0, 1, 40])
  func moreMarks(_ count: Int) {
    var state = WatchScreenTests.state()
    for _ in 0..<count { _ = state.press("m") }
    _ = state.press("n")
    let foot = WatchScreenTests.lines(state, 80, 24).last ?? ""
    #expect(foot.contains("n more marks") == (count == 40), "\(foot)")
    #expect(foot.contains("any other key: back") == (count == 40))
    #expect(foot.contains("any key: back") == (count < 40))
  }

  @Test("limits are shown in the unit of the screen and in mmHg")
  func limitsInUnit() {
    var state = WatchScreenTests.state()
    #expect(WatchScreenTests.lines(state, 120, 40).joined().contains(" to 490 mmHg, probably"))
    while state.settings.unit != "inHg" { _ = state.press("u") }
    let text = WatchScreenTests.lines(state, 120, 40).joined(separator: "\n")
    #expect(text.contains(" to 19.29 inHg (490 mmHg), probably"), "\(text)")
    #expect(text.contains(" to 16.16 inHg (410.4 mmHg), probably"), "\(text)")
    for (columns, rows) in [(40, 12), (60, 20), (80, 24)] {
      let lines = WatchScreenTests.lines(state, columns, rows)
      #expect(lines.count == rows && lines.allSatisfy { $0.count <= columns })
    }
  }

  @Test("the reserve time and SAFE HAVEN are large from 60 columns on, and never truncated")
  func large() {
    func text(_ state: WatchState, _ columns: Int, _ rows: Int = 24) -> String {
      WatchScreenTests.lines(state, columns, rows).joined(separator: "\n")
    }
    for (fall, isCalled) in [(2.2, false), (80.0, true)] {
      let state = WatchScreenTests.state(fall: fall)
      let reserve = text(state, 80).firstMatch(of: /RESERVE at least (?<time>[\d.]+ min)/)
      let number = reserve.map { BigDigits.lines(String($0.time)) } ?? []
      #expect(number.count == 3)
      for (columns, rows) in [(60, 20), (80, 24), (100, 30), (120, 40), (200, 60)] {
        let shown = text(state, columns, rows)
        for line in number { #expect(shown.contains(line), "\(columns)x\(rows):\n\(shown)") }
        for line in BigDigits.lines("SAFE HAVEN") {
          #expect(shown.contains(line) == isCalled, "\(columns)x\(rows):\n\(shown)")
        }
        #expect(shown.contains("RESERVE at least") && shown.contains("runs out"), "\(shown)")
      }
      #expect(!text(state, 59).contains(number.first ?? "?"))
    }
  }

  @Test("the screen says whether the graph scrolls or turns pages")
  func pages() {
    var state = WatchScreenTests.state()
    #expect(!WatchScreenTests.lines(state, 80, 24).joined().contains("in pages"))
    _ = state.press("s")
    #expect(WatchScreenTests.lines(state, 80, 24).joined().contains("in pages"))
  }

  @Test("hatches can be named only for a real sensor")
  func namedHatches() throws {
    for (rig, words) in [("iss-leak", "its own hatches"), ("weather-station", "without a cabin")] {
      let file = Fixtures.root.appending(path: "rigs/\(rig).yaml").path
      let sensor = try WatchedSensor(.rig(file: file, number: nil), address: nil)
      #expect(sensor.reasonAgainstHatches?.contains(words) == true)
    }
  }
}
