import Barometry
import Bench
import Foundation
import I2C
import Parts
import Quantities
import Rigs
import Runs
import Support
import TestSupport
import Testing
import Watch

/// The live screen fits its terminal and never shows an outdated number as current.
struct WatchScreenTests {
  static func state(
    _ purpose: WatchState.Purpose = .cabin, seconds: Int = 100, fall: Double = 2.2,
    settings: WatchSettings = WatchSettings()
  ) -> WatchState {
    var state = WatchState(purpose, of: "0x76 on bus 1", settings, limit: nil)
    for second in 0..<seconds {
      let time = Double(second)
      state.pass(to: time, moment: 1_700_000_000_000_000_000 + Int64(second) * 1_000_000_000)
      state.take(reading(101_325 - fall * time + Double(second % 3), at: second))
    }
    return state
  }

  static let place = Rig.SensorID(bus: 1, address: 0x76)

  /// A reading at a second.
  static func reading(
    _ pascals: Double, celsius: Double = 22, humidity: Double = 45, at second: Int,
    outside: [Quantity] = []
  ) -> RunEvent {
    .reading(
      RunEvent.Reading(
        time: UInt64(second) * 1_000_000_000, sensorID: place,
        sample: Sample(celsius: celsius, pascals: pascals, relativeHumidity: humidity),
        outside: outside))
  }

  static func lines(_ state: WatchState, _ columns: Int = 100, _ rows: Int = 30) -> [String] {
    WatchScreen(state, columns: columns, rows: rows, style: Style(isColoured: false)).lines
  }

  @Test(
    "the screen fits every terminal from 40x12 on: as many lines as rows, none too wide",
    arguments: [(40, 12), (41, 13), (60, 20), (80, 24), (99, 30), (100, 30), (200, 60), (300, 12)])
  func sizes(_ columns: Int, _ rows: Int) {
    for purpose in WatchState.Purpose.allCases {
      for layout in WatchSettings.Layout.allCases {
        var settings = WatchSettings()
        settings.layout = layout
        let lines = Self.lines(Self.state(purpose, settings: settings), columns, rows)
        #expect(lines.count == rows)
        #expect(lines.allSatisfy { $0.count <= columns }, "\(layout)")
        #expect(lines.last?.hasPrefix("q quit  p pause  x stop  ") == true)
        #expect(lines.last?.trimmingCharacters(in: .whitespaces).hasSuffix("  ? help") == true)
      }
    }
    #expect(Self.lines(Self.state(), 39, 12).contains { $0.contains("40x12 needed") })
  }

  @Test("a leak is shown with its rates, T1mm, both reserve times and when they run out")
  func leak() {
    let text = Self.lines(Self.state()).joined(separator: "\n")
    for word in [
      "LEAK", "rate 30 s, n 31: -", "T1mm ", " ± ", "RESERVE at least",
      "to 490 mmHg",
      "to 410.4 mmHg",
      "runs out",
      "initial 760.00", "change -1.6",
    ] {
      #expect(text.contains(word), "\(word):\n\(text)")
    }
  }

  @Test("on a small screen, other values are dropped before the reserve time")
  func ranks() {
    var state = Self.state()
    state.recorded(3, "the disk is full")
    for _ in 0..<20 {
      state.take(Self.reading(101_000, at: 100))
    }
    for (columns, rows) in [(40, 12), (40, 13), (60, 20), (80, 24), (120, 40)] {
      let text = Self.lines(Self.state(), columns, rows).joined(separator: "\n")
      #expect(text.contains("RESERVE at least") && text.contains("runs out"), "\(text)")
      #expect(text.contains("T1mm "))
      #expect(text.contains("initial") == (rows >= 20), "\(text)")
    }
    let crowded = Self.lines(state, 40, 12).joined(separator: "\n")
    #expect(crowded.contains("RESERVE") || crowded.contains("reserve time"), "\(crowded)")
  }

  @Test("the axes of the graph have units, values, times and the length of the time range")
  func axes() {
    let text = Self.lines(Self.state(), 80, 24)
    let values = text.filter { $0.contains(" ┤") }
    #expect(values.count == 2 && text.contains { $0.contains("mmHg │") }, "\(text)")
    #expect(
      text.contains { $0.hasSuffix("22:18:20") && $0.contains("5 min, grid 1 min, UTC") }, "\(text)"
    )
    let weather = Self.lines(
      Self.state(.weather, settings: WatchSettings(path: nil, for: .weather)), 80, 24)
    #expect(
      weather.contains { $0.contains("3 h, grid 30 min, UTC") && $0.contains("22:13:20") },
      "\(weather)")
    let ends = weather.filter { $0.contains(" ┤") }
      .compactMap { Double($0.split(separator: " ")[0]) }
    #expect(ends.count == 2 && ends[0] - ends[1] >= 1, "a hPa at least: \(ends)")
  }

  @Test("a rig without a date shows only the time since its start")
  func undated() {
    var state = WatchState(
      .cabin, of: "0x76 on bus 1", WatchSettings(), limit: nil, hasDate: false)
    for second in 0..<100 {
      state.pass(to: Double(second), moment: 946_684_800_000_000_000)
      state.take(Self.reading(101_325 - 2.2 * Double(second), at: second))
    }
    let lines = Self.lines(state, 80, 24)
    #expect(lines[0] == "0x76 on bus 1  time 0:01:39  as cabin")
    #expect(!lines.joined().contains("2000-01-01") && !lines.joined().contains("UTC"))
    #expect(lines.contains { $0.contains("0:00:00") && $0.hasSuffix("0:05:00") }, "\(lines)")
    #expect(lines.contains { $0.contains(/runs out at \d:\d\d:\d\d *$/) }, "\(lines)")
  }

  @Test("the key ? explains words and keys, on as many pages as needed; any other key returns")
  func help() {
    for (purpose, words) in [
      (WatchState.Purpose.cabin, ["T1mm:", "RESERVE:", "h: a hatch"]),
      (.weather, ["tendency:", "forecast:", "dew:"]),
    ] {
      for (columns, rows) in [(40, 12), (60, 20), (80, 24), (120, 40)] {
        var state = Self.state(purpose)
        var text = ""
        for _ in 0..<12 {
          _ = state.press("?")
          let lines = Self.lines(state, columns, rows)
          #expect(lines.count == rows && lines.allSatisfy { $0.count <= columns })
          text += lines.joined(separator: "\n")
        }
        for word in words + ["q: quit", "r: sampling period"] {
          #expect(text.contains(word), "\(word) \(columns)x\(rows):\n\(text)")
        }
        #expect(text.contains("h: a hatch") == (purpose == .cabin))
        let settings = state.settings
        _ = state.press("u")
        #expect(state.settings == settings, "the first key only goes back")
        #expect(!Self.lines(state, columns, rows).joined().contains("q: quit"))
      }
    }
  }

  @Test("a weather screen has no hatches to move")
  func noHatch() {
    var state = Self.state(.weather)
    if case .nothing = state.press("h") {} else { Issue.record("h does something") }
    #expect(!Self.lines(state, 120, 40).joined().contains("hatch"))
  }

  @Test("a paused watch takes no new data, and a leak continues during the pause")
  func paused() {
    var state = Self.state()
    _ = state.press(" ")
    for second in [100, 103, 160] {
      state.pass(to: Double(second), moment: 0)
      let text = Self.lines(state).joined(separator: "\n")
      #expect(text.contains("LEAK  PAUSED") && text.contains("according to"), "\(text)")
      #expect(text.contains("runs out") && text.contains("no new data"), "\(text)")
      #expect(text.contains("p resume") && !text.contains("b start"))
      #expect(!text.contains("no fall"))
    }
    _ = state.press("p")
    #expect(state.isRunning && state.count == 100)
  }

  @Test("a stop needs a confirmation and ends the measurement; a start begins a new measurement")
  func stopped() {
    var state = Self.state()
    _ = state.press("b")
    #expect(state.isRunning)
    _ = state.press("x")
    #expect(Self.lines(state).joined().contains("stop measuring?"))
    _ = state.press("n")
    #expect(state.isRunning)
    _ = state.press("x")
    _ = state.press("y")
    for key in [" ", "p", "x"] as [Character] { _ = state.press(key) }
    #expect(state.course == .stopped && state.prompt == nil)
    let text = Self.lines(state).joined(separator: "\n")
    #expect(text.contains("STOPPED") && text.contains("b start") && !text.contains("p pause"))
    #expect(text.contains("stopped, no new data: no reserve time; b"))
    _ = state.press("b")
    state.take(Self.reading(100_000, at: 200))
    state.pass(to: 200, moment: 0)
    let restarted = Self.lines(state).joined(separator: "\n")
    #expect(
      state.isRunning && restarted.contains("initial 750.06   change 0.00   n 101"), "\(restarted)")
    #expect(state.takeMark() == "stop; start")
  }

  @Test(
    "values outside the specified range of the sensor are marked, in a cabin and in the weather")
  func outside() {
    for purpose in WatchState.Purpose.allCases {
      var state = WatchState(
        purpose, of: "0x76", WatchSettings(), limit: nil, specified: 30_000...110_000)
      for second in 0..<60 {
        state.take(Self.reading(29_000 + Double(second % 3), at: second, outside: [.pressure]))
        state.pass(to: Double(second), moment: 0)
      }
      let text = Self.lines(state).joined(separator: "\n")
      let word = purpose == .cabin ? "SAFE HAVEN  BELOW LIMIT" : "OUTSIDE SPECIFICATION"
      #expect(text.contains(word) && !text.contains("STABLE"), "\(text)")
      #expect(text.contains("pressure outside the sensor's specified range"))
      #expect(!text.contains("STEADY") && !text.contains("MEASURING"))
      let marks = purpose == .cabin ? "SAFE HAVEN; BELOW LIMIT; " : ""
      #expect(state.takeMark() == "\(marks)outside specification: pressure")
      var later = WatchState(purpose, of: "0x76", WatchSettings(), limit: nil)
      later.recall([
        (
          0, AirReading(temperature: 20, pressure: 29_000, humidity: nil),
          "mark; outside specification: pressure"
        )
      ])
      later.pass(to: 0, moment: 0)
      #expect(Self.lines(later).joined().contains("pressure outside the sensor's specified range"))
      #expect(later.marks.first?.name == "mark")
    }
  }

  @Test("rows recorded before the last start belong to an earlier measurement")
  func recalledStart() {
    var state = WatchState(.cabin, of: "0x76", WatchSettings(), limit: nil)
    state.recall(
      [(0.0, 100_000.0, ""), (1, 90_000, "stop; start"), (2, 89_990, "")].map {
        ($0.0, AirReading(temperature: 20, pressure: $0.1, humidity: nil), $0.2)
      })
    state.pass(to: 2, moment: 0)
    #expect(state.analysis.initial == 90_000 && state.count == 3)
  }

  @Test("the screen shows the number of samples, in total and for each rate")
  func counts() {
    let text = Self.lines(Self.state(seconds: 100)).joined(separator: "\n")
    #expect(text.contains("n 100"))
    #expect(text.contains("rate 30 s, n 31:"), "\(text)")
  }

  @Test("at every second of a leak, the reserve time is either unknown and not displayed, or valid")
  func stepped() throws {
    let path = Fixtures.root.appending(path: "rigs/iss-leak.yaml").path
    let sensor = try WatchedSensor(BusReference("rig:\(path)"), address: nil)
    #expect(sensor.purpose == .cabin)
    var state = WatchState(sensor.purpose, of: sensor.name, WatchSettings(), limit: nil)
    var texts: [Int: String] = [:]
    for second in 1...700 {
      sensor.pass(seconds: Double(second) - sensor.now)
      let event = sensor.next()
      guard case .reading = event else { throw CancellationError() }
      state.take(event)
      state.pass(to: sensor.now, moment: Int64(second) * 1_000_000_000)
      texts[second] = Self.lines(state).joined(separator: "\n")
    }
    let quiet = texts.filter { $0.key > 30 && $0.key < 600 }
    #expect(quiet.values.allSatisfy { $0.contains("no fall: no reserve time") })
    let first = try #require(texts.filter { $0.value.contains("LEAK") }.keys.min())
    #expect((601...630).contains(first))
    #expect(texts[first]?.contains("RESERVE not known yet") == true, "\(texts[first] ?? "")")
    #expect(texts[first]?.contains("within about ") == true, "\(texts[first] ?? "")")
    for second in (first + 30)...700 {
      let text = texts[second] ?? ""
      #expect(text.contains("RESERVE at least ") && text.contains("runs out "), "\(text)")
      #expect(!text.contains("at least > 24 h"))
    }
    let narrow = Self.lines(state, 40, 12).joined(separator: "\n")
    #expect(narrow.contains("RESERVE at least"), "\(narrow)")
  }

  @Test("ordinary weather is never reported as a leak, and its tendency is shown until the end")
  func weatherRig() throws {
    let path = Fixtures.root.appending(path: "rigs/stormy-week.yaml").path
    let sensor = try WatchedSensor(BusReference("rig:\(path)"), address: nil)
    #expect(sensor.purpose == .weather)
    var state = WatchState(sensor.purpose, of: sensor.name, WatchSettings(), limit: nil)
    var words: Set<String> = []
    var history = PressureHistory(retention: 4 * TimeSpan.hour)
    // Bursts of 40 s every half hour for three days, so that the short windows are filled.
    for look in 0..<144 {
      for second in 0..<40 {
        let time = Double(look * 1800 + second)
        sensor.pass(seconds: max(time - sensor.now, 0))
        let event = sensor.next()
        guard case .reading(let reading) = event else { throw CancellationError() }
        state.take(event)
        try history.append(
          PressurePoint(time: Int64(reading.time) + 1, pascals: reading.sample.pascals ?? 0))
      }
      state.pass(to: sensor.now, moment: 0)
      for (columns, rows) in [(100, 30), (46, 20)] {
        let lines = Self.lines(state, columns, rows)
        let text = lines.joined(separator: "\n")
        #expect(!text.contains("LEAK") && !text.contains("T1mm") && !text.contains("RESERVE"))
        words.insert(lines[1].split(separator: " ").first.map(String.init) ?? "")
        guard let tendency = PressureTendency(history, withoutGapsOver: TimeSpan.hour) else {
          continue
        }
        let left = lines.map { $0.prefix(46).trimmingCharacters(in: .whitespaces) }
        #expect(left.joined(separator: " ").contains("\(tendency.meaning)"), "\(text)")
      }
    }
    #expect(words == ["MEASURING", "STEADY", "RISING", "FALLING"], "\(words)")
  }

  @Test("without falling pressure there is no reserve time")
  func quiet() {
    let text = Self.lines(Self.state(fall: 0)).joined(separator: "\n")
    #expect(text.contains("STABLE") && text.contains("no fall: no reserve time"))
    #expect(!text.contains("RESERVE at least") && !text.contains("runs out"))
  }

  @Test("a number is marked as outdated within two sampling periods, with the reason")
  func stale() {
    var state = Self.state()
    state.pass(to: 101.9, moment: 0)
    let old = Self.lines(state).joined(separator: "\n")
    #expect(old.contains("LEAK  STALE") && old.contains("LAST ") && old.contains("no new data"))
    #expect(old.contains("RESERVE at least 25") && old.contains("according to"), "\(old)")
    #expect(!old.contains("█"), "the large number is gone")
    let failure = SensorFailure(.other, step: "measuring", cause: "0x76: no acknowledge")
    state.take(.error(RunEvent.SensorError(time: 100, sensorID: Self.place, error: failure)))
    let failed = Self.lines(state).joined(separator: "\n")
    #expect(failed.contains("FAULT") && failed.contains("no acknowledge"))
  }

  @Test("a sensor with constant values is reported as suspicious")
  func stall() {
    var state = Self.state()
    #expect(!Self.lines(state).joined().contains("identical samples"))
    for second in 100..<120 {
      state.pass(to: Double(second), moment: 0)
      state.take(Self.reading(101_000, at: second))
    }
    #expect(Self.lines(state).joined().contains("20 identical samples"))
    // A simulated sensor without noise and faults is as it was configured.
    state.expectsNoise = false
    #expect(!Self.lines(state).joined().contains("identical samples"))
  }

  @Test("keys change the settings, which are restored from their file")
  func keys() throws {
    var state = Self.state()
    for (key, changes) in [
      ("u", true), ("d", true), ("z", true), ("s", true), ("l", true), ("r", true),
    ] {
      let before = state.settings
      _ = state.press(Character(key))
      #expect((state.settings != before) == changes, "\(key)")
    }
    let path = FileManager.default.temporaryDirectory.appending(
      path: "\(UUID().uuidString)/watch.json"
    ).path
    try state.settings.save(path)
    #expect(WatchSettings(path: path) == state.settings)
    #expect(WatchSettings(path: "/no/such/file") == WatchSettings())
    #expect(WatchSettings(path: nil, for: .weather).unit == "hPa")
    try "damaged".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(WatchSettings(path: path) == WatchSettings())
    _ = state.press(" ")
    #expect(Self.lines(state).joined().contains("PAUSED"))
    if case .quit = state.press("q") {} else { Issue.record("q does not quit") }
    if case .nothing = state.press("w") {} else { Issue.record("w does something") }
  }

  @Test("the weather screen has the dew point, and a forecast only after three hours")
  func weather() {
    let early = Self.lines(Self.state(.weather)).joined(separator: "\n")
    #expect(
      early.contains("dew 9.5 °C") && early.contains("tendency and forecast require three hours"))
    var state = WatchState(.weather, of: "garden", WatchSettings(), limit: nil)
    for minute in 0...190 {
      state.pass(to: Double(minute) * 60, moment: 1_700_000_000_000_000_000)
      state.take(
        Self.reading(101_325 - Double(minute), celsius: 20, humidity: 50, at: minute * 60))
    }
    let late = Self.lines(state).joined(separator: "\n")
    #expect(late.contains("-1.35 mmHg in 3 h: falling"))
    #expect(
      late.contains("forecast: showery, becoming less settled") && late.contains("(Zambretti's O)"),
      "\(late)")
  }
}

/// The screen is redrawn immediately on a key press, and otherwise at a fixed rate.
struct DrawingPaceTests {
  @Test("the screen is redrawn ten times a second, and immediately on a key")
  func pace() {
    var pace = DrawingPace()
    let drawn = (0..<1000).filter { pace.isDue(at: Double($0) / 1000) }
    #expect((9...11).contains(drawn.count) && drawn.first == 0)
    let beforeKey = pace.isDue(at: 0.9991)
    pace.hurry()
    let (atKey, afterKey) = (pace.isDue(at: 0.9992), pace.isDue(at: 0.9993))
    #expect(!beforeKey && atKey && !afterKey)
  }
}
