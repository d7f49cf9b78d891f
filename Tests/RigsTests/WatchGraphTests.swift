import Bench
import Foundation
import Quantities
import Runs
import Support
import TestSupport
import Testing
import Watch

/// The graph of a watch: panning and zooming, names of marks, and the recorded past.
struct WatchGraphTests {
  static func values(_ lines: [String]) -> [Double] {
    lines.filter { $0.contains(" ┤") }.compactMap { Double($0.split(separator: " ")[0]) }
  }

  static func lines(_ state: WatchState, _ columns: Int = 80, _ rows: Int = 24) -> [String] {
    WatchScreenTests.lines(state, columns, rows)
  }

  @Test("the graph is panned in time and back, and the key 0 returns to now")
  func time() {
    var state = WatchScreenTests.state(seconds: 900)
    #expect(Self.lines(state).contains { $0.hasSuffix("22:28:19") })
    for _ in 0..<4 { _ = state.press("<") }
    #expect(Self.lines(state).contains { $0.hasSuffix("22:23:19") }, "five minutes earlier")
    _ = state.press(">")
    #expect(Self.lines(state).contains { $0.hasSuffix("22:24:34") })
    for _ in 0..<50 { _ = state.press("<") }
    #expect(Self.lines(state).contains { $0.contains("⣀") || $0.contains(" ┤") }, "some is left")
    _ = state.press("0")
    #expect(Self.lines(state).contains { $0.hasSuffix("22:28:19") })
  }

  @Test("+ and - zoom the vertical scale of the graph, and j and k scroll it")
  func scale() throws {
    var state = WatchScreenTests.state(seconds: 300)
    let all = Self.values(Self.lines(state))
    let (top, bottom) = (try #require(all.first), try #require(all.last))
    _ = state.press("+")
    let near = Self.values(Self.lines(state))
    #expect(abs((near[0] - near[1]) / (top - bottom) - 0.5) < 0.02)
    #expect(abs((near[0] + near[1]) - (top + bottom)) < 0.03, "the middle stays")
    _ = state.press("k")
    #expect(Self.values(Self.lines(state))[0] > near[0])
    _ = state.press("j")
    #expect(Self.values(Self.lines(state)) == near)
    _ = state.press("-")
    #expect(Self.values(Self.lines(state)) == all)
    for _ in 0..<40 { _ = state.press("-") }
    for (columns, rows) in [(40, 20), (80, 24), (200, 60)] {
      let lines = Self.lines(state, columns, rows)
      #expect(lines.count == rows && lines.allSatisfy { $0.count <= columns })
    }
  }

  @Test(
    "the graph fills the screen, and the most important values stay visible",
    arguments: [(40, 12), (60, 20), (80, 24), (120, 40)])
  func full(_ columns: Int, _ rows: Int) {
    var state = WatchScreenTests.state()
    _ = state.press("f")
    let lines = Self.lines(state, columns, rows)
    #expect(lines.count == rows && lines.allSatisfy { $0.count <= columns })
    let text = lines.joined(separator: "\n")
    #expect(text.contains("LEAK") && text.contains("RESERVE at least"), "\(text)")
    #expect(!text.contains("initial ") && Self.values(lines).count == 2, "\(text)")
    _ = state.press("f")
    #expect(Self.lines(state, 80, 24).joined().contains("initial "))
  }

  @Test("marks are below the graph at their times, with their names")
  func marks() throws {
    var state = WatchScreenTests.state()
    for key in "m\r" { _ = state.press(key) }
    for second in 100..<200 {
      state.pass(
        to: Double(second), moment: 1_700_000_000_000_000_000 + Int64(second) * 1_000_000_000)
      state.take(WatchScreenTests.reading(101_000, at: second))
    }
    _ = state.press("h")
    let line = try #require(Self.lines(state).first { $0.contains("▲") })
    #expect(line.contains("▲mark") && line.contains("▲"), "\(line)")
    #expect(
      line.firstIndex(of: "▲").map { line.distance(from: line.startIndex, to: $0) > 30 } == true)
  }

  /// A watch of 200 s with a mark at each of some seconds.
  static func marked(_ seconds: [Int], key: Character = "h", samples: Int = 200) -> WatchState {
    var state = WatchScreenTests.state(seconds: 1)
    for second in 1..<samples {
      state.pass(
        to: Double(second), moment: 1_700_000_000_000_000_000 + Int64(second) * 1_000_000_000)
      state.take(WatchScreenTests.reading(101_000, at: second))
      if seconds.contains(second) { _ = state.press(key) }
    }
    return state
  }

  @Test(
    "marks that are close together have their complete names, one below the other",
    arguments: [(80, 24), (120, 40)])
  func crowded(_ columns: Int, _ rows: Int) {
    let text = Self.lines(Self.marked([100, 102, 104]), columns, rows)
    #expect(text.count { $0.contains("▲hatch") } == 3, "\(text)")
    #expect(text.contains { $0.contains("3 marks") && !$0.contains("(n)") }, "\(text)")
  }

  @Test("a mark at the right end has its name to its left")
  func lastMark() {
    let text = Self.lines(Self.marked([320], samples: 321), 80, 24)
    #expect(text.contains { $0.hasSuffix("hatch▲") }, "\(text)")
  }

  @Test(
    "the key n lists all marks with their times, the latest first, on as many pages as needed",
    arguments: [(40, 12), (60, 20), (80, 24), (120, 40)])
  func names(_ columns: Int, _ rows: Int) throws {
    let seconds = Array(stride(from: 40, to: 160, by: 4))
    var state = Self.marked(seconds)
    #expect(Self.lines(state, columns, rows).contains { $0.contains("30 marks (n)") } || rows < 20)
    var found: [String] = []
    for _ in 0..<4 {
      _ = state.press("n")
      let lines = Self.lines(state, columns, rows)
      #expect(lines.count == rows && lines.allSatisfy { $0.count <= columns })
      #expect(lines.last?.hasPrefix("n more marks") == (rows < 40), "on 40 rows there is one page")
      found += lines.filter { $0.contains("  hatch") && !$0.contains("h hatch") }
    }
    #expect(Set(found.map { String($0.prefix(8)) }).count == 30, "\(found)")
    #expect(found.first?.hasPrefix("22:15:56") == true, "\(found)")
    _ = state.press("q")
    #expect(Self.lines(state, columns, rows).joined().contains("760.") && state.prompt == nil)
    for key in "nx" { _ = state.press(key) }
    #expect(state.prompt == .stop, "a key that acts on the measurement is not lost")
  }

  @Test("the graph starts with the first sample: no time before the start is shown")
  func beginning() {
    for seconds in [2, 100, 299] {
      let axis = Self.lines(WatchScreenTests.state(seconds: seconds), 80, 24).first {
        $0.contains("5 min") && $0.contains("UTC")
      }
      #expect(axis?.contains("22:13:20") == true && axis?.hasSuffix("22:18:20") == true)
    }
    let later = Self.lines(WatchScreenTests.state(seconds: 400), 80, 24)
    #expect(later.contains { $0.hasSuffix("22:19:59") })
  }

  @Test(
    "every layout with at least twenty rows shows the graph, even during a search for a leak",
    arguments: [(60, 20), (79, 20), (80, 24), (120, 40)])
  func everyLayout(_ columns: Int, _ rows: Int) throws {
    for layout in WatchSettings.Layout.allCases {
      var settings = WatchSettings()
      settings.layout = layout
      let path = Fixtures.root.appending(path: "rigs/iss-leak.yaml").path
      let sensor = try WatchedSensor(BusReference("rig:\(path)"), address: nil)
      var state = WatchState(
        .cabin, of: sensor.name, settings, limit: nil, hasDate: false, cabin: sensor.cabin)
      for second in 1...760 {
        sensor.pass(seconds: Double(second) - sensor.now)
        state.take(sensor.next())
        state.pass(to: sensor.now, moment: 0)
        if second == 740 { _ = state.press("g") }
      }
      let lines = Self.lines(state, columns, rows)
      #expect(lines.joined().contains("SEARCH: close hatch"), "\(lines)")
      #expect(lines.count { $0.contains(" ┤") } == 2, "\(layout): \(lines)")
      #expect(lines.last?.contains("y done") == true, "\(lines)")
    }
  }

  @Test("the key y is displayed at the bottom only while a prompt can be confirmed")
  func doneKey() throws {
    let path = Fixtures.root.appending(path: "rigs/iss-leak.yaml").path
    let sensor = try WatchedSensor(BusReference("rig:\(path)"), address: nil)
    var state = WatchState(
      .cabin, of: sensor.name, WatchSettings(), limit: nil, hasDate: false, cabin: sensor.cabin)
    for second in 1...60 {
      sensor.pass(seconds: Double(second) - sensor.now)
      state.take(sensor.next())
      state.pass(to: sensor.now, moment: 0)
    }
    _ = state.press("g")
    let text = Self.lines(state).joined(separator: "\n")
    #expect(text.contains("nothing to close") && !text.contains("y done"), "\(text)")
  }

  @Test("the screen explains the rates only if the rates of the windows and of the leak differ")
  func rule() throws {
    for (rig, end, differs) in [("iss-severe", 200, true), ("iss-leak", 1000, false)] {
      let path = Fixtures.root.appending(path: "rigs/\(rig).yaml").path
      let sensor = try WatchedSensor(BusReference("rig:\(path)"), address: nil)
      var state = WatchState(.cabin, of: sensor.name, WatchSettings(), limit: nil, hasDate: false)
      for second in 1...end {
        sensor.pass(seconds: Double(second) - sensor.now)
        state.take(sensor.next())
        state.pass(to: sensor.now, moment: 0)
      }
      for (columns, rows) in [(80, 24), (120, 40)] {
        let text = Self.lines(state, columns, rows).joined(separator: "\n")
        #expect(text.contains("rates: at constant temperature") == differs, "\(rig): \(text)")
      }
      // T1mm is 1.4 s in one case and 60 s in the other: every chart has its row.
      _ = state.press("t")
      for (columns, rows) in [(40, 12), (60, 20), (80, 24), (120, 40)] {
        let lines = Self.lines(state, columns, rows)
        let found = lines.contains { line in
          differs
            ? line.contains(/^ +1\.[3-6] +4\d\.\d\d\s/)
            : line.contains(/^ +(59|60)\.\d +(0\.99|1\.0\d)\s/)
        }
        #expect(found, "\(lines)")
      }
    }
  }

  @Test("the initial pressure is reset only after a confirmation")
  func initial() {
    var state = WatchScreenTests.state()
    _ = state.press("i")
    #expect(Self.lines(state).joined().contains("use this pressure as the initial pressure?"))
    _ = state.press("n")
    #expect(Self.lines(state).joined().contains("initial 760.00"))
    _ = state.press("i")
    _ = state.press("y")
    #expect(!Self.lines(state).joined().contains("initial 760.00"))
    #expect(Self.lines(state).joined().contains("change 0.00"))
    #expect(state.takeMark() == "initial")
  }

  @Test(
    "the key t displays the crew's chart with the current pressure at every size",
    arguments: [(40, 12), (60, 20), (80, 24), (120, 40)])
  func chart(_ columns: Int, _ rows: Int) {
    var state = WatchScreenTests.state()
    _ = state.press("t")
    let lines = Self.lines(state, columns, rows)
    #expect(lines.count == rows && lines.allSatisfy { $0.count <= columns })
    let text = lines.joined(separator: "\n")
    #expect(text.contains("T1mm s") && text.contains("now 75"), "\(text)")
    // 785 mmHg and 60 s: 60 / 60 * ln(785 / 490) / ln(785 / 784) minutes.
    #expect(text.contains("369.7") || text.contains("370") || columns < 60, "\(text)")
    #expect(text.contains("916 m³") == (columns >= 120), "\(text)")
    _ = state.press("x")
    #expect(Self.lines(state, columns, rows).joined().contains("LEAK"))
  }

  @Test("an export needs a confirmation")
  func export() {
    var state = WatchScreenTests.state()
    if case .nothing = state.press("e") {} else { Issue.record("nothing is recorded") }
    state.recorded(3, nil)
    _ = state.press("e")
    #expect(Self.lines(state, 40, 12).joined(separator: " ").contains("stop recording"))
    if case .redraw = state.press("x") {} else { Issue.record("any other key") }
    _ = state.press("e")
    if case .export(ends: false) = state.press("g") {} else { Issue.record("go on") }
    _ = state.press("e")
    if case .export(ends: true) = state.press("s") {} else { Issue.record("stop") }
    state.exported("exported a.csv: 3 rows", isFailure: false, hasEnded: true)
    let text = Self.lines(state).joined()
    #expect(text.contains("exported a.csv") && !text.contains("recorded 3"))
  }

  @Test(
    "a new watch continues the recording and the trend of the previous watch without delay"
  )
  func recalled() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/recording"
    let start: Int64 = 1_700_000_000_000_000_000
    do {
      let recording = try Recording(path, of: "0x76 on bus 1")
      for second in 0..<100 {
        recording.take(
          Recording.Row(
            moment: start + Int64(second) * 1_000_000_000,
            AirReading(
              temperature: 22, pressure: 101_325 - 2.2 * Double(second) + Double(second % 3),
              humidity: 45), mark: second == 50 ? "hatch" : ""))
      }
    }
    let past = try Recording(path, of: "0x76 on bus 1").past
    #expect(past.count == 100)
    // The new watch starts 3 s after the last row.
    var state = WatchState(.cabin, of: "0x76 on bus 1", WatchSettings(), limit: nil)
    state.recall(
      past.map { (Double($0.moment - start) / 1e9 - 102, $0.values, $0.mark) })
    state.pass(to: 0, moment: start + 102_000_000_000)
    state.take(WatchScreenTests.reading(101_325 - 2.2 * 102, at: 0))
    let text = Self.lines(state).joined(separator: "\n")
    #expect(text.contains("LEAK") && text.contains("RESERVE at least"), "\(text)")
    #expect(text.contains("▲hatch") && text.contains("initial 760.00"), "\(text)")
    #expect(state.takeMark().isEmpty, "what was recorded is not recorded again")
    // An export that continues the recording keeps it; an export that ends the recording removes
    // it.
    let kept = try RecordingExport.export(
      path, to: "\(folder)/kept.csv", in: .millimetreOfMercury, ends: false
    ).result
    #expect(kept.stays == nil && FileManager.default.fileExists(atPath: path))
    #expect(
      kept.digest?.count == 64 && kept.sentence.hasPrefix("100 rows of 0x76 on bus 1, SHA-256 "))
    let ended = try RecordingExport.export(
      path, to: "\(folder)/ended.csv", in: .millimetreOfMercury, ends: true
    ).result
    #expect(ended.digest == kept.digest && !FileManager.default.fileExists(atPath: path))
    #expect(try RecordedRows.verify("\(folder)/kept.csv").isWhole)
  }
}
