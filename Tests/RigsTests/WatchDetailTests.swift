import Bench
import Environment
import Foundation
import Reports
import Rigs
import Support
import TestSupport
import Testing
import Watch

/// Details of the screen: further pages, units of limits, pages of a graph, hatches without names.
struct WatchDetailTests {
  @Test("the list of marks shows 'more' only if there are more marks", arguments: [0, 1, 40])
  func moreMarks(_ count: Int) {
    var state = WatchScreenTests.state()
    for _ in 0..<count { for key in "m\r" { _ = state.press(key) } }
    _ = state.press("n")
    let foot = WatchScreenTests.lines(state, 80, 24).last ?? ""
    #expect(foot.contains("n more marks") == (count == 40), "\(foot)")
    #expect(foot.contains("any other key: back") == (count == 40))
    #expect(foot.contains("any key: back") == (count < 40))
  }

  @Test("a mark is recorded at once, and its words when they are typed")
  func typedMarks() {
    var state = WatchScreenTests.state()
    let marked = state.marks.count
    _ = state.press("m")
    #expect(state.takeLoneMark()?.mark == "mark 1")
    let time = state.marks.last?.time
    state.pass(to: 400, moment: 1_700_000_400_000_000_000)
    // UTF-8 arrives byte by byte; backspace removes a whole character.
    for byte in "smell, of gaß".utf8 { _ = state.press(Character(Unicode.Scalar(byte))) }
    for key in "\u{7F}s" { _ = state.press(key) }
    #expect(WatchScreenTests.lines(state, 100, 30).joined().contains("smell, of gas"))
    if case .quit = state.press("q") { Issue.record("q is a key of the words") }
    _ = state.press("\u{8}")
    _ = state.press("\r")
    #expect(state.takeLoneMark()?.mark == "mark 1: smell; of gas")
    #expect(state.marks.count == marked + 1)
    #expect(state.marks.last?.name == "mark 1: smell, of gas" && state.marks.last?.time == time)
    for key in "mxyz\u{1B}" { _ = state.press(key) }
    #expect(state.marks.last?.name == "mark 2")
    guard case .quit = state.press("q") else {
      Issue.record("q quits after the words")
      return
    }
  }

  @Test("pasted text belongs to the words of a mark, over several lines, and is never a command")
  func pasted() {
    var state = WatchScreenTests.state()
    if case .quit = state.paste(Array("q".utf8)) { Issue.record("a paste is no key") }
    #expect(state.isRunning && state.prompt == nil)
    _ = state.press("m")
    _ = state.paste(Array("gas near\nstores\u{1B}x\r".utf8))
    _ = state.press("\r")
    #expect(state.marks.last?.name == "mark 1: gas near stores x")
  }

  @Test("the drawing of the cabin shades the suspected modules, and fits every terminal")
  func drawing() throws {
    let rig = try Rig(path: Fixtures.root.appending(path: "rigs/iss-leak.yaml").path)
    let plan = try #require(rig.environment.plan)
    for (columns, rows) in [(120, 40), (80, 24), (40, 12), (40, 5)] {
      let drawing = CabinDrawing(
        plan, isOpen: [true, false, true, true], sensors: [0], suspects: [2, 3])
      let lines = drawing.lines(columns: columns, rows: rows, Style(isColoured: false))
      #expect(lines.allSatisfy { $0.text.count == $0.width || $0.width > $0.text.count })
      #expect(lines.allSatisfy { $0.width <= columns })
      let text = lines.map(\.text).joined(separator: "\n")
      for module in plan.modules { #expect(text.contains(module.name), "\(text)") }
      #expect(text.contains("╳") && text.contains("●node"), "\(text)")
      #expect(text.contains(/cargo░/) && text.contains(/laboratory░/) && !text.contains(/service░/))
    }
    let svg = CabinDrawing(plan, isOpen: [true, true, true, true], sensors: [0], suspects: [3]).svg
    #expect(svg.contains("suspected of the leak: laboratory") && svg.contains("116 m³"))
  }

  @Test("the outlook shows the fall to the limit with its uncertainty")
  func outlook() {
    var state = WatchScreenTests.state()
    _ = state.press("o")
    for (columns, rows) in [(40, 12), (80, 24), (110, 36)] {
      let lines = WatchScreenTests.lines(state, columns, rows)
      #expect(lines.count == rows && lines.allSatisfy { $0.count <= columns })
    }
    let text = WatchScreenTests.lines(state, 110, 36).joined(separator: "\n")
    #expect(text.contains(/490.00 mmHg probably at [\d:]+, not before [\d:]+/), "\(text)")
    #expect(text.contains("490.00 ┤"), "\(text)")
    _ = state.press("o")
    #expect(!WatchScreenTests.lines(state, 110, 36).joined().contains("probably at"))
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
