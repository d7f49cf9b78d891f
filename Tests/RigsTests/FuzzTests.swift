import BME280
import Chips
import Diagnosis
import Foundation
import Quantities
import Rigs
import Runs
import Support
import Tables
import TestSupport
import Testing
import Watch

/// Mutated files give a failure or a result, never a crash or a hang.
struct FuzzTests {
  @Test("mutated rigs give a failure or a result")
  func rigs() {
    var generator = Seeded("mutated rigs")
    let good = Array(SampleRig.text.utf8)
    var accepted = 0
    for _ in 0..<Repetitions.mutations {
      let bytes = Mutator.mutated(good, using: &generator)
      let text = String(decoding: bytes, as: UTF8.self)
      do throws(Failure) {
        _ = try Rig(text: text, file: SampleRig.file)
        accepted += 1
      } catch {
        if error.messages.isEmpty { Issue.record("no message, seed \(generator.seed)") }
      }
    }
    #expect((1..<Repetitions.mutations).contains(accepted))
  }

  @Test("mutated calibrations give a failure or a result")
  func calibrations() throws {
    var generator = Seeded("mutated calibrations")
    let good = Array(try Fixtures.text("fixtures/calibrations/periph-i2c.yaml").utf8)
    var accepted = 0
    for _ in 0..<Repetitions.mutations {
      let bytes = Mutator.mutated(good, using: &generator)
      let text = String(decoding: bytes, as: UTF8.self)
      if (try? CalibrationFile(text: text, file: "mutated.yaml")) != nil { accepted += 1 }
    }
    #expect((1..<Repetitions.mutations).contains(accepted))
  }

  @Test("mutated tables of raw values, read in chunks of any size, give a failure or a result")
  func tables() {
    var generator = Seeded("mutated tables")
    let calibration = "106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b6e01001305001e"
    let rows = [
      "note,calib,adc_T,adc_P,adc_H",
      #""a, ""b""",\#(calibration),526700,304428,31350"#,
      ",\(calibration.prefix(48)),526700,304428,",
    ]
    let good = Array((rows.joined(separator: "\n") + "\n").utf8)
    var accepted = 0
    for _ in 0..<Repetitions.mutations {
      let bytes = Mutator.mutated(good, using: &generator)
      var rest = bytes[...]
      let size = Int.random(in: 1...64, using: &generator)
      let table = CompensationTable(
        variant: CompensationVariant.allCases.randomElement(using: &generator) ?? .boschInt32,
        units: .native)
      let source: () throws(Failure) -> [UInt8]? = {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
      }
      do {
        try table.compensate("mutated.csv", from: source, to: { _ in })
        accepted += 1
      } catch {
        if error.kind != .badContent { Issue.record("\(error), seed \(generator.seed)") }
      }
    }
    #expect((1..<Repetitions.mutations).contains(accepted))
  }

  /// Writes mutations of a valid file to one path and reads them; some must be accepted and some rejected.
  static func files(
    _ name: String, _ good: [UInt8], location: SourceLocation = #_sourceLocation,
    _ read: (String) throws(Failure) -> Void
  ) throws {
    var generator = Seeded("mutated \(name)")
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var accepted = 0
    for _ in 0..<Repetitions.mutations {
      try Data(Mutator.mutated(good, using: &generator)).write(to: URL(filePath: path))
      do throws(Failure) {
        try read(path)
        accepted += 1
      } catch {
        let isTold = [.badContent, .badRig].contains(error.kind) && !error.messages.isEmpty
        if !isTold { Issue.record("\(error), seed \(generator.seed)", sourceLocation: location) }
      }
    }
    #expect(
      (1..<Repetitions.mutations).contains(accepted), "\(accepted) taken, seed \(generator.seed)",
      sourceLocation: location)
  }

  static let weather: [UInt8] = {
    let rows = (0..<24).map { hour in
      "2026-01-01T\(hour < 10 ? "0" : "")\(hour):00:00Z,\(1000 + hour),\(10 * hour),0.\(hour % 3),\(10 + hour),50"
    }
    return Array(
      (["time_hour,pressure,wind_dir,precip,temp,humid"] + rows).joined(separator: "\n").utf8)
  }()

  @Test("a rig with a mutated weather table gives a failure or a result")
  func weather() throws {
    let text = SampleRig.text.replacing(
      /constant: .*/,
      with: """
        series:
            file: FILE
            time: time_hour
            columns:
              pressure: {name: pressure, unit: hPa}
              temperature: {name: temp, unit: C}
              humidity: {name: humid, unit: "%"}
            missing: NA
            gaps: {interpolate: 3h}
        """)
    try Self.files("weather", Self.weather) { path throws(Failure) in
      _ = try Rig(text: text.replacing("FILE", with: path), file: SampleRig.file)
    }
  }

  @Test("scoring a mutated weather table gives a failure or a result")
  func scores() throws {
    try Self.files("scores", Self.weather) { path throws(Failure) in
      _ = try ForecastScore(path).page
    }
  }

  @Test("mutated recordings and exported tables give a failure or a result")
  func recordings() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    do {
      let recording = try Recording(path, of: "0x76 on bench")
      for second in 0..<20 {
        recording.take(
          Recording.Row(
            moment: Int64(second) * 1_000_000_000,
            AirReading(temperature: 21, pressure: 101_325, humidity: 45)))
      }
    }
    let good = Array(try Data(contentsOf: URL(filePath: path)))
    try Self.files("recordings", good) { path throws(Failure) in
      _ = try RecordedRows(path).table(in: .hectopascal)
    }
    let table = try RecordedRows(path).table(in: .hectopascal)
    try Self.files("exported tables", Array(table.utf8)) { path throws(Failure) in
      _ = try RecordedRows.verify(path)
    }
  }

  @Test("mutated settings of a watch are read without a crash, and the screen remains usable")
  func settings() throws {
    var generator = Seeded("mutated settings")
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try WatchSettings().save(path)
    let good = Array(try Data(contentsOf: URL(filePath: path)))
    for _ in 0..<Repetitions.mutations {
      try Data(Mutator.mutated(good, using: &generator)).write(to: URL(filePath: path))
      let settings = WatchSettings(path: path)
      var state = WatchState(.weather, of: "fuzz", settings, limit: nil)
      state.take(WatchScreenTests.reading(101_325, at: 1))
      let lines = WatchScreen(state, columns: 80, rows: 24, style: Style(isColoured: false)).lines
      #expect(lines.count == 24 && (0...4).contains(settings.digits), "seed \(generator.seed)")
    }
  }

  @Test("a run with a mutated history file succeeds, or fails because of bad content")
  func histories() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = SampleRig.changed("cycle: 30min", to: "cycle: 30min\n  history: \(path)")
    let options = RigRun.Options(allowsWriting: true)
    _ = try SampleRig.run(text, options: options)
    let good = Array(try Data(contentsOf: URL(filePath: path)))
    try #require(good.count > 50)
    var generator = Seeded("mutated histories")
    var refused = 0
    for _ in 0..<Repetitions.mutations / 10 {
      try Data(Mutator.mutated(good, using: &generator)).write(to: URL(filePath: path))
      do {
        _ = try SampleRig.run(text, options: options)
      } catch let failure as Failure {
        #expect(failure.kind == .badContent, "seed \(generator.seed)")
        refused += 1
      }
    }
    #expect((1..<Repetitions.mutations / 10).contains(refused))
  }
}
