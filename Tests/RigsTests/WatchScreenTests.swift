import Foundation
import Rigs
import TestSupport
import Testing

/// The live screen fits its terminal and never shows an old number as a true one.
struct WatchScreenTests {
  static func state(
    _ purpose: WatchState.Purpose = .cabin, seconds: Int = 100, fall: Double = 2.2,
    settings: WatchSettings = WatchSettings()
  ) -> WatchState {
    var state = WatchState(purpose, of: "0x76 on bus 1", settings, limit: nil)
    for second in 0..<seconds {
      let time = Double(second)
      state.pass(to: time, moment: 1_700_000_000_000_000_000 + Int64(second) * 1_000_000_000)
      state.take(
        pascals: 101_325 - fall * time + Double(second % 3), celsius: 22, humidity: 45, at: time)
    }
    return state
  }

  static func lines(_ state: WatchState, _ columns: Int = 100, _ rows: Int = 30) -> [String] {
    WatchScreen(state, columns: columns, rows: rows, style: Style(isColoured: false)).lines
  }

  @Test(
    "every terminal from 40x12 on holds it: as many lines as rows, none too wide",
    arguments: [(40, 12), (41, 13), (60, 20), (80, 24), (99, 30), (100, 30), (200, 60), (300, 12)])
  func sizes(_ columns: Int, _ rows: Int) {
    for purpose in WatchState.Purpose.allCases {
      for layout in WatchSettings.Layout.allCases {
        var settings = WatchSettings()
        settings.layout = layout
        let lines = Self.lines(Self.state(purpose, settings: settings), columns, rows)
        #expect(lines.count == rows)
        #expect(
          lines.allSatisfy { $0.count <= max(columns, layout == .wide ? 90 : 0) }, "\(layout)")
      }
    }
    #expect(Self.lines(Self.state(), 39, 12)[0].contains("40x12 needed"))
  }

  @Test("a leak shows its rates, T1mm, both reserve times and when they run out")
  func leak() {
    let text = Self.lines(Self.state()).joined(separator: "\n")
    for word in [
      "LEAK", "rate 30 s: -", "T1mm ", "RESERVE at least", "to 490 mmHg", "to 410.4 mmHg",
      "runs out",
      "initial 760.00", "change -1.6",
    ] {
      #expect(text.contains(word), "\(word):\n\(text)")
    }
  }

  @Test("without a fall there is no reserve time")
  func quiet() {
    let text = Self.lines(Self.state(fall: 0)).joined(separator: "\n")
    #expect(text.contains("STABLE") && text.contains("no fall: no reserve time"))
    #expect(!text.contains("RESERVE at least") && !text.contains("runs out"))
  }

  @Test("an old number is crossed out within two periods, and why is said")
  func stale() {
    var state = Self.state()
    state.pass(to: 101.9, moment: 0)
    let old = Self.lines(state).joined(separator: "\n")
    #expect(old.contains("STALE") && old.contains("LAST ") && !old.contains("RESERVE"))
    #expect(!old.contains("█"), "the large number is gone")
    state.fail("0x76: no acknowledge")
    let failed = Self.lines(state).joined(separator: "\n")
    #expect(failed.contains("FAULT") && failed.contains("no acknowledge"))
  }

  @Test("a sensor that gives the same again and again is doubted")
  func stall() {
    var state = Self.state()
    #expect(!Self.lines(state).joined().contains("exactly alike"))
    for second in 100..<120 {
      state.pass(to: Double(second), moment: 0)
      state.take(pascals: 101_000, celsius: 22, humidity: 45, at: Double(second))
    }
    #expect(Self.lines(state).joined().contains("20 samples exactly alike"))
  }

  @Test("keys change what they say, and settings come back from their file")
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
    #expect(Self.lines(state).joined().contains("STOPPED"))
    if case .quit = state.press("q") {} else { Issue.record("q does not quit") }
    if case .nothing = state.press("x") {} else { Issue.record("x does something") }
  }

  @Test("the weather: dew point, and a forecast after three hours only")
  func weather() {
    let early = Self.lines(Self.state(.weather)).joined(separator: "\n")
    #expect(early.contains("dew 9.5 C") && early.contains("a forecast needs three hours"))
    var state = WatchState(.weather, of: "garden", WatchSettings(), limit: nil)
    for minute in 0...190 {
      state.pass(to: Double(minute) * 60, moment: 1_700_000_000_000_000_000)
      state.take(
        pascals: 101_325 - Double(minute), celsius: 20, humidity: 50, at: Double(minute) * 60)
    }
    let late = Self.lines(state).joined(separator: "\n")
    #expect(late.contains("-1.8 hPa in 3 h: falling"))
    #expect(late.contains("O showery, becoming less settled"), "\(late)")
  }
}

/// A screen is drawn at once for a key, else at its pace.
struct DrawingPaceTests {
  @Test("ten times a second, and at once for a key")
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
