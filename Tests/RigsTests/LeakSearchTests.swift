import Barometry
import Bench
import Environment
import Foundation
import Reports
import Rigs
import Runs
import Support
import TestSupport
import Testing
import Watch

/// The search for a leak by closing hatches: one engine for the crew of a rig and the screen of a watch.
struct LeakSearchTests {
  static let modules = ["node", "service", "cargo", "laboratory", "stores"]

  /// The rig iss-leak with its hole in another module, or of another size.
  static func rig(_ module: String, hole: Double = 12.3, minutes: Int = 45) throws -> Rig {
    let file = Fixtures.root.appending(path: "rigs/iss-leak.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
      .replacing(
        "leak: {module: laboratory, hole: 12.3mm", with: "leak: {module: \(module), hole: \(hole)mm"
      )
      .replacing("found: laboratory", with: "found: \(module)")
      .replacing("duration: 45min", with: "duration: \(minutes)min")
    return try Rig(text: text, file: file.path)
  }

  /// The steps of the search of a run, with their times in seconds.
  static func steps(_ rig: Rig) throws -> (
    steps: [(time: Double, step: RunEvent.SearchStep.Step)], verdict: Verdict
  ) {
    var steps: [(Double, RunEvent.SearchStep.Step)] = []
    let verdict = try RigRun(rig).run { event in
      if case .search(let step) = event { steps.append((Double(step.time) / 1e9, step.step)) }
    }
    return (steps, verdict)
  }

  @Test(
    "the crew finds the leaking module, and no hatch is closed for longer than half of T1mm",
    arguments: modules)
  func finds(_ module: String) throws {
    let (steps, verdict) = try Self.steps(Self.rig(module, minutes: 20))
    #expect(verdict.passed, "\(verdict.findings.filter { !$0.passed }) \(steps)")
    var closed: (name: String, time: Double, most: Double)?
    var questions = 0
    for (time, step) in steps {
      if case .overdue = step { Issue.record("\(step) at \(time)") }
      guard case .moved(let sentence) = step else { continue }
      let words = sentence.split(separator: " ")
      if let asked = closed {
        // The next move after a test is to open that hatch, unless it isolates the leak.
        let isFound = steps.contains { $0.time <= time && $0.step == .found(module) }
        #expect(isFound || sentence.hasPrefix("hatch \(asked.name) opened"), "\(sentence)")
        if !isFound { #expect(time - asked.time <= asked.most) }
      }
      closed = nil
      if let match = sentence.firstMatch(of: /closed, for (?<most>[\d.]+) s at most/) {
        closed = (String(words[1]), time, try #require(Double(match.most)))
        questions += 1
      }
    }
    #expect((2...3).contains(questions), "\(steps)")
  }

  @Test(
    "once the leak is found, the hatches around it stay closed, and the pressure in the other modules is stable"
  )
  func shut() throws {
    let rig = try Self.rig("laboratory")
    var last: LeakAssessment?
    try RigRun(rig).run { event in
      if case .cabin(let report) = event { last = report.assessment }
    }
    let found = try #require(last)
    #expect(found.status == .stable, "\(found)")
    let moves = try Self.steps(rig).steps.map(\.step)
    let sentences = moves.map(\.sentence).filter { $0.hasPrefix("hatch") }
    #expect(sentences.contains { $0.hasPrefix("hatch node-laboratory closed") }, "\(sentences)")
  }

  /// The rig iss-leak with its hole in another module, and with another text of its hatches.
  static func rig(_ module: String, hatches: String, sensors: String = "") throws -> Rig {
    let file = Fixtures.root.appending(path: "rigs/iss-leak.yaml")
    var text = try String(contentsOf: file, encoding: .utf8)
      .replacing("leak: {module: laboratory", with: "leak: {module: \(module)")
      .replacing("found: laboratory", with: "found: \(module)")
      .replacing("duration: 45min", with: "duration: 25min")
      .replacing(
        "      - {between: [laboratory, stores]}",
        with: "      - {between: [laboratory, stores]}\n\(hatches)")
    if !sensors.isEmpty {
      text = text.replacing("module: node}\n", with: "module: node}\n\(sensors)\n")
        .replacing("  samples: 1\n", with: "  sensors: all\n  samples: 1\n")
    }
    return try Rig(text: text, file: file.path)
  }

  @Test(
    "in a ring of modules, one hatch stays closed during the search, and the leak is found",
    arguments: modules)
  func ring(_ module: String) throws {
    let rig = try Self.rig(module, hatches: "      - {between: [stores, cargo]}")
    let (steps, verdict) = try Self.steps(rig)
    #expect(verdict.passed, "\(verdict.findings.filter { !$0.passed }) \(steps)")
    let moves = steps.compactMap {
      if case .moved(let sentence) = $0.step { sentence } else { nil }
    }
    #expect(moves.first?.contains("it stays closed during the search") == true, "\(moves)")
    // It is opened again after the end, unless it belongs to the hatches around the leak.
    let divided = try #require(moves.first?.split(separator: " ").dropFirst().first)
    let found = try #require(steps.firstIndex { $0.step == .found(module) })
    let opened = steps.firstIndex { $0.step == .moved("hatch \(divided) opened") }
    #expect(opened.map { $0 > found } ?? divided.contains(module), "\(moves)")
    #expect(!steps.contains { if case .overdue = $0.step { true } else { false } }, "\(steps)")
  }

  @Test("two rings that share a module are searched too", arguments: ["cargo", "stores"])
  func twoRings(_ module: String) throws {
    let rig = try Self.rig(
      module, hatches: "      - {between: [node, cargo]}\n      - {between: [node, stores]}")
    let (steps, verdict) = try Self.steps(rig)
    #expect(verdict.passed, "\(verdict.findings.filter { !$0.passed }) \(steps)")
  }

  @Test("two barometers find the side of the leak without closing a hatch")
  func sides() throws {
    let file = Fixtures.root.appending(path: "rigs/iss-leak.yaml")
    let rig = try Self.rig(
      "laboratory", hatches: "      - {between: [stores, cargo]}",
      sensors:
        "      - {address: 0x77, model: bme280, calibration: xft, noise: datasheet, module: stores}"
    )
    #expect(try Self.steps(rig).verdict.passed, "all hatches are open")
    let text = try String(contentsOf: file, encoding: .utf8)
      .replacing(
        "{between: [node, laboratory]}", with: "{between: [node, laboratory], closed: true}"
      )
      .replacing("{between: [service, cargo]}", with: "{between: [service, cargo], closed: true}")
      .replacing(
        "module: node}\n",
        with:
          "module: node}\n      - {address: 0x77, model: bme280, noise: datasheet, module: stores}\n"
      )
      .replacing("  samples: 1\n", with: "  sensors: all\n  samples: 1\n")
    let (steps, verdict) = try Self.steps(Rig(text: text, file: file.path))
    #expect(verdict.passed, "\(verdict.findings.filter { !$0.passed }) \(steps)")
    #expect(steps.first?.step == .side(["laboratory", "stores"]), "\(steps)")
    #expect((steps.first?.time ?? .infinity) < 630, "before a hatch was closed")
  }

  @Test("the search stops with the call to the safe haven")
  func stops() throws {
    let (steps, _) = try Self.steps(Self.rig("laboratory", hole: 70, minutes: 20))
    #expect(steps.isEmpty, "\(steps)")
  }

  /// A watch of a rig, advanced by a second at a time, with key presses.
  static func watch(_ rig: Rig) throws -> (sensor: WatchedSensor, state: WatchState) {
    let sensor = try WatchedSensor(BusReference("rig:\(rig.file)"), address: nil)
    return (
      sensor,
      WatchState(
        sensor.purpose, of: sensor.name, WatchSettings(), limit: nil, hasDate: false,
        cabin: sensor.cabin, specified: sensor.specified, haven: sensor.haven)
    )
  }

  /// Advances the time by a second.
  static func step(_ sensor: WatchedSensor, _ state: inout WatchState, to second: Int) {
    sensor.pass(seconds: Double(second) - sensor.now)
    state.take(sensor.next())
    state.pass(to: sensor.now, moment: 0)
  }

  static func text(_ state: WatchState, _ columns: Int = 80, _ rows: Int = 24) -> String {
    WatchScreen(state, columns: columns, rows: rows, style: Style(isColoured: false)).lines
      .joined(separator: "\n")
  }

  @Test(
    "a crew that follows the screen's advice on hatches finds the leak, and each result is recorded"
  )
  func led() throws {
    var (sensor, state) = try Self.watch(Self.rig("laboratory"))
    var (seen, marks): ([String], [String]) = ([], [])
    for second in 1...1800 {
      Self.step(sensor, &state, to: second)
      marks.append(state.takeMark())
      if second == 100 {
        #expect(!Self.text(state).contains("SEARCH"))
        guard case .leads = state.press("g") else { throw CancellationError() }
        sensor.perform(nil)
      }
      let text = Self.text(state)
      let line = text.split(separator: "\n").first { $0.contains("SEARCH: ") }.map { String($0) }
      guard let line else { continue }
      let words = line.prefix(36).trimmingCharacters(in: .whitespaces)
      if seen.last != words { seen.append(words) }
      // The crew follows the screen: it closes and opens hatches as soon as requested.
      let isAsked =
        line.contains("press y") || line.contains(/SEARCH: (close|open)/) || line.contains("close ")
      if isAsked, !line.contains("SEARCH: wait"), case .moved(let action) = state.press("y") {
        sensor.perform(action)
      }
    }
    #expect(Self.text(state).contains("the leak is in laboratory, shut off"), "\(seen)")
    #expect(seen.contains { $0.hasPrefix("SEARCH: close hatch") }, "\(seen)")
    #expect(seen.contains { $0.hasPrefix("SEARCH: wait; open") }, "\(seen)")
    for word in [
      "search begins", "hatch node-laboratory closed", "the leak is in laboratory", "tight",
    ] {
      #expect(marks.contains { $0.contains(word) }, "\(word): \(marks.filter { !$0.isEmpty })")
    }
    #expect(marks.allSatisfy { !$0.contains(",") }, "a mark is one field of a row")
    #expect(!marks.contains { $0.contains("it shut") })
    for (columns, rows) in [(40, 12), (60, 20), (80, 24), (120, 40)] {
      #expect(Self.text(state, columns, rows).contains("SEARCH:"), "\(columns)x\(rows)")
    }
  }

  @Test(
    "the screen displays when a closed hatch must be open again, and reports an overdue hatch"
  )
  func late() throws {
    var (sensor, state) = try Self.watch(Self.rig("laboratory"))
    _ = state.press("g")
    sensor.perform(nil)
    var (hasClosed, reported) = (false, false)
    for second in 1...900 {
      Self.step(sensor, &state, to: second)
      let text = Self.text(state, 80, 40)
      if !hasClosed, text.contains("SEARCH: close"), case .moved(let action) = state.press("y") {
        sensor.perform(action)
        hasClosed = true
        #expect(Self.text(state, 80, 40).contains(/again by 0:1\d:\d\d \(in \d+ s\)/))
      }
      reported =
        reported
        || text.contains(/NOW: \d+ s overdue/)
          && text.contains("hold it shut")
    }
    #expect(hasClosed && reported)
  }

  @Test(
    "at the call, SAFE HAVEN becomes the first word at every screen size, and one bell rings")
  func haven() throws {
    let file = Fixtures.root.appending(path: "rigs/iss-severe.yaml").path
    var (sensor, state) = try Self.watch(Rig(path: file))
    var bells = 0
    for second in 1...200 {
      Self.step(sensor, &state, to: second)
      if state.takeBell() { bells += 1 }
      let isCalled = Self.text(state).contains("SAFE HAVEN")
      #expect(isCalled == (bells > 0), "at \(second) s")
    }
    #expect(bells == 1)
    for (columns, rows) in [(40, 12), (60, 20), (80, 24), (120, 40)] {
      let lines = Self.text(state, columns, rows).split(separator: "\n")
      #expect(lines[1].hasPrefix("SAFE HAVEN  LEAK"), "\(lines)")
      // Pages that the crew opens hide neither SAFE HAVEN nor the remaining time.
      for key in "t?" {
        var state = state
        _ = state.press(key)
        let lines = Self.text(state, columns, rows).split(separator: "\n")
        #expect(lines.count <= rows && lines[1].hasPrefix("SAFE HAVEN  LEAK"), "\(key) \(lines)")
        #expect(lines.contains { $0.contains("RESERVE") }, "\(key) \(lines)")
      }
    }
    #expect(state.takeMark().contains("SAFE HAVEN"))
    // Missing samples afterwards do not cancel the call.
    state.pass(to: sensor.now + 60, moment: 0)
    #expect(Self.text(state).contains("SAFE HAVEN  LEAK  STALE"))
  }

  @Test("in the text of a run, the line of the call to the safe haven begins with SAFE HAVEN")
  func log() throws {
    let file = Fixtures.root.appending(path: "rigs/iss-severe.yaml").path
    var text = ""
    let report = TextReport(style: Style(isColoured: false), columns: nil) { text += $0 }
    try RigRun(Rig(path: file)).run { report.take($0) }
    let lines = text.split(separator: "\n")
    let reported = lines.filter { $0.contains("SAFE HAVEN") && !$0.contains("safe-haven") }
    #expect(reported.contains { $0.contains(#/^ *[\d:.]+ +SAFE HAVEN: leak, /#) }, "\(reported)")
  }

  @Test("hatches on the command line are parsed, and invalid hatches are rejected")
  func list() throws {
    let plan = try HatchList("node-service,service - cargo", sensor: "service").plan
    #expect(plan.plan.modules.map(\.name) == ["node", "service", "cargo"] && plan.module == 1)
    #expect(plan.plan.hatches == [.init(0, 1), .init(1, 2)])
    for (text, sensor) in [
      ("node", nil), ("", nil), ("a-a", nil), ("a-b,", nil), ("a-b-c", nil), ("a-b", "c"),
    ] as [(String, String?)] {
      #expect(throws: (any Error).self, "\(text)") { try HatchList(text, sensor: sensor) }
    }
  }

  @Test(
    "if another hatch is moved during a test, the hatch closed for the test must still be opened"
  )
  func asked() throws {
    var (sensor, state) = try Self.watch(Self.rig("laboratory"))
    _ = state.press("g")
    sensor.perform(nil)
    var second = 0
    func go(until words: String) {
      while second < 900, !Self.text(state, 80, 40).contains(words) {
        second += 1
        Self.step(sensor, &state, to: second)
      }
    }
    go(until: "SEARCH: close")
    guard case .moved(let action) = state.press("y"), case .close(let closed) = action else {
      Issue.record("nothing was closed")
      return
    }
    sensor.perform(action)
    go(until: "again by")
    // Any other key moves no hatch, and the prompt remains.
    _ = state.press("h")
    #expect(Self.text(state, 80, 40).contains("which hatch was moved? 1 "))
    if case .moved = state.press("z") { Issue.record("a hatch was moved") }
    #expect(Self.text(state, 80, 40).contains("again by"))
    // If the closed hatch itself was moved, it is open again, and no hatch must be opened.
    var opened = state
    _ = opened.press("h")
    #expect(Self.text(opened, 80, 40).contains("(closed)"))
    guard case .moved(.open(closed)) = opened.press(Character("\(closed + 1)")) else {
      Issue.record("it was not opened")
      return
    }
    #expect(!Self.text(opened, 80, 40).contains("again by"))
    // If another hatch was moved, the test is inconclusive, and the closed hatch must still be
    // opened.
    let other = closed == 0 ? 1 : 0
    _ = state.press("h")
    guard case .moved(.close(other)) = state.press(Character("\(other + 1)")) else {
      Issue.record("it was not closed")
      return
    }
    #expect(Self.text(state, 80, 40).contains(/SEARCH: open \S+ again by/))
  }

  @Test("a pause of the watch while a hatch is tested does not end the test")
  func paused() throws {
    var (sensor, state) = try Self.watch(Self.rig("laboratory"))
    _ = state.press("g")
    sensor.perform(nil)
    var second = 0
    while second < 900, !Self.text(state, 80, 40).contains("SEARCH: close") {
      second += 1
      Self.step(sensor, &state, to: second)
    }
    guard case .moved(let action) = state.press("y") else { return }
    sensor.perform(action)
    _ = state.press("p")
    _ = state.press("p")
    var reported = false
    for _ in 0..<40 {
      second += 1
      Self.step(sensor, &state, to: second)
      reported = reported || Self.text(state, 80, 40).contains("last answer: the pressure")
    }
    #expect(reported, "\(Self.text(state, 80, 40))")
  }

  @Test("a hatch that a search has closed is named after a stop, also in the next measurement")
  func stoppedSearch() throws {
    var (sensor, state) = try Self.watch(Self.rig("laboratory"))
    _ = state.press("g")
    sensor.perform(nil)
    var second = 0
    while second < 900, !Self.text(state, 80, 40).contains("SEARCH: close") {
      second += 1
      Self.step(sensor, &state, to: second)
    }
    guard case .moved(let action) = state.press("y") else {
      Issue.record("no hatch was closed")
      return
    }
    sensor.perform(action)
    #expect(!Self.text(state, 80, 40).contains("closed: hatch"))
    for key in "xy" { _ = state.press(key) }
    #expect(Self.text(state, 80, 40).contains("closed: hatch"), "\(Self.text(state, 80, 40))")
    _ = state.press("b")
    for _ in 0..<60 {
      second += 1
      Self.step(sensor, &state, to: second)
    }
    #expect(Self.text(state, 80, 40).contains("closed: hatch"))
  }

  @Test(
    "hatches that are closed one after the other each give a result"
  )
  func inOrder() throws {
    var search = LeakSearch(
      LeakAnalysis(),
      plan: CabinPlan(
        modules: ["node", "one", "two"].map { .init(name: $0, volume: 100) },
        hatches: [.init(0, 1), .init(0, 2)],
        air: Air(pressure: 101_325, temperature: 22, humidity: 45)), module: 0)
    var (pascals, time) = (101_325.0, 0.0)
    func fall(_ seconds: Int, by speed: Double) -> [LeakSearch.Finding] {
      (0..<seconds).compactMap { _ in
        time += 1
        pascals -= speed
        return search.take(pascals, celsius: 22, at: time)
      }
    }
    _ = fall(60, by: 0)
    _ = fall(60, by: 2)
    _ = search.moved(0, isOpen: false, at: time)
    #expect(fall(20, by: 3) == [.cleared(["one"])])
    _ = search.moved(1, isOpen: false, at: time)
    #expect(fall(10, by: 6) == [.found("node")])
  }
}
