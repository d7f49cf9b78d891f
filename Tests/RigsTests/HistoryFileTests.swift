import Barometry
import Foundation
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// The history file across runs.
struct HistoryFileTests {
  let path = FileManager.default.temporaryDirectory
    .appending(path: "history-\(UUID().uuidString)").path

  static var options: RigRun.Options { RigRun.Options(allowsWriting: true) }

  /// A rig with two hours of New York's weather, starting at an hour of 2 January 2013.
  func rig(startingAt hour: Int) -> String {
    """
    name: historian
    duration: 1h
    buses:
      - number: 1
        devices:
          - {address: 0x76, model: bme280, calibration: ../fixtures/calibrations/xft.yaml}
    environment:
      series:
        file: ../fixtures/weather/jfk-2013.csv
        time: time_hour
        start: 2013-01-02T0\(hour):00:00Z
        columns:
          pressure: {name: pressure, unit: hPa}
          temperature: {name: temp, unit: F}
          humidity: {name: humid, unit: "%"}
        missing: NA
    pipeline: {forecast: thesis, history: \(path)}
    """
  }

  func forecasts(_ text: String) throws -> [Bool] {
    var forecasts: [Bool] = []
    for case .forecast(let forecast) in try SampleRig.run(text, options: Self.options).events {
      forecasts.append((try? forecast.result.get()) != nil)
    }
    return forecasts
  }

  @Test("a second run forecasts immediately from the averages that the first run stored")
  func kept() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try forecasts(rig(startingAt: 3)) == [false, true])
    #expect(try forecasts(rig(startingAt: 4)) == [true, true])
  }

  @Test("a repeated run of the same hours does not use the later averages of the history file")
  func repeated() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try forecasts(rig(startingAt: 3)) == [false, true])
    #expect(try forecasts(rig(startingAt: 3)) == [false, true])
  }

  @Test("pressures from the backup source are still marked after a restart")
  func standIns() throws {
    let weather = "\(path).json"
    defer { for file in [path, weather] { try? FileManager.default.removeItem(atPath: file) } }
    try #"{"current": {"time": 1357095600, "surface_pressure": 1000}}"#.write(
      toFile: weather, atomically: true, encoding: .utf8)
    /// For each forecast in an hour, the number of backup pressures and the number of all
    /// pressures; the sensor is lost from a time on.
    func marks(_ hour: Int, lostAt: String?) throws -> [[Int]] {
      var text = rig(startingAt: hour)
        .replacing(
          "forecast: thesis,", with: "forecast: thesis, keep: 1h, backup: {file: \(weather)},"
        )
        .replacing("duration: 1h", with: "duration: 3h")
      if let lostAt {
        text += "\nfaults: [{at: \(lostAt), kind: nack-address, count: 1000000}]\n"
      }
      var marks: [[Int]] = []
      for case .forecast(let forecast) in try SampleRig.run(text, options: Self.options).events
      where (try? forecast.result.get()) != nil {
        marks.append([forecast.standIns, forecast.pressures])
        let words = forecast.marked("stable")
        #expect(
          words.contains("in part") == (0 < marks.last![0] && marks.last![0] < marks.last![1]))
        #expect(words.contains("from the backup") == (marks.last![0] > 0))
      }
      return marks
    }
    let before = try marks(3, lostAt: "29min")
    let (first, last) = (try #require(before.first), try #require(before.last))
    #expect(first == [1, 2] && last[0] == last[1] && last[0] > 1, "\(before)")
    // The sensor is back, but the stored pressures came from the backup source.
    let resumed = try #require(try marks(6, lostAt: nil).first)
    #expect(resumed[0] > 0 && resumed[0] == resumed[1] - 1, "\(resumed)")
  }

  @Test("a truncated record is removed and reported, and nothing else is lost")
  func torn() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try forecasts(rig(startingAt: 3))
    let whole = try Data(contentsOf: URL(filePath: path))
    try whole.dropLast(5).write(to: URL(filePath: path))
    var notices: [String] = []
    let rig = try Rig(text: rig(startingAt: 4), file: SampleRig.file)
    _ = try RigRun(rig, options: Self.options, notice: { notices.append($0) })
      .run()
    #expect(notices.count == 1)
    #expect(notices.first?.contains("truncated by a crash; 1 valid record is kept") == true)
    #expect(try Data(contentsOf: URL(filePath: path)).count == 8 + 3 * HistoryRecord.length)
  }

  @Test(
    "a damaged file is kept under another name, and its valid records are used",
    arguments: [3, 12, 28, 40])
  func damaged(byte: Int) throws {
    let aside = "\(path).damaged"
    defer { for file in [path, aside] { try? FileManager.default.removeItem(atPath: file) } }
    #expect(try forecasts(rig(startingAt: 3)) == [false, true])
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[byte] ^= 1
    try bytes.write(to: URL(filePath: path))
    var notices: [String] = []
    let rig = try Rig(text: rig(startingAt: 4), file: SampleRig.file)
    _ = try RigRun(rig, options: Self.options, notice: { notices.append($0) }).run()
    #expect(notices.count == 1, "\(notices)")
    #expect(notices.first?.contains("the damaged file is \(aside)") == true)
    #expect(try Data(contentsOf: URL(filePath: aside)) == bytes)
    let stored = try StoredHistory(path)
    #expect(stored.condition == .complete)
    // A damaged header costs no record, other damage one.
    #expect(stored.records.count == 4 - (byte < 8 ? 0 : 1))
  }

  @Test("a foreign file is rejected and not changed")
  func foreign() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let content = Data("my diary, for ever and ever and ever".utf8)
    try content.write(to: URL(filePath: path))
    let failure = #expect(throws: Failure.self) { try forecasts(rig(startingAt: 4)) }
    #expect(failure?.kind == .badContent)
    #expect(try Data(contentsOf: URL(filePath: path)) == content)
  }

  @Test("a point added by hand is stored in order of time, is used, and is reported")
  func byHand() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let start: Int64 = 1_357_095_600_000_000_000
    do {
      let lock = try HistoryLock(path, creates: true)
      var stored = try StoredHistory(path)
      for minutes in [20, 45] as [Int64] {
        let point = PressurePoint(time: start - minutes * 60_000_000_000, pascals: 102_000)
        try stored.add(point, to: path, lock)
      }
      #expect(throws: Failure.self) {
        try stored.add(PressurePoint(time: start - 1_200_000_000_000, pascals: 1e5), to: path, lock)
      }
    }
    let times = try StoredHistory(path).records.map(\.point.time)
    #expect(times == times.sorted() && times.count == 2)
    #expect(try StoredHistory(path).records.allSatisfy { $0.origin == .hand })
    var notices: [String] = []
    let rig = try Rig(text: rig(startingAt: 3), file: SampleRig.file)
    _ = try RigRun(rig, options: Self.options, notice: { notices.append($0) }).run()
    #expect(notices.first?.hasSuffix("2 stored pressures were added by hand") == true, "\(notices)")
  }

  @Test("while a station uses a history, no other program can change it")
  func locked() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let lock = try HistoryLock(path, creates: true)
    let failure = #expect(throws: Failure.self) { try HistoryLock(path, creates: false) }
    #expect(failure?.kind == .unavailable)
    withExtendedLifetime(lock) {}
  }

  @Test("a history file in a missing folder is an input/output error")
  func unwritable() {
    let text = rig(startingAt: 3).replacingOccurrences(of: path, with: "/nowhere/history")
    let failure = #expect(throws: Failure.self) { try forecasts(text) }
    #expect(failure?.kind == .inputOutput)
  }
}
