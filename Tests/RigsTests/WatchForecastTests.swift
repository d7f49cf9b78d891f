import Barometry
import Bench
import Environment
import Foundation
import Parts
import Quantities
import Rigs
import Runs
import Support
import TestSupport
import Testing
import Watch

/// A watch shows the same forecasts as a run of the rig, at the same virtual time.
struct WatchForecastTests {
  /// A watch of a rig, driven as on the terminal: a sample at each step, and those of the rig's station at their times.
  struct Watching {
    let sensor: WatchedSensor
    var state: WatchState

    init(_ rig: String, altitude: Double? = nil) throws {
      sensor = try WatchedSensor(BusReference("rig:\(rig)"), address: nil)
      state = WatchState(
        .weather, of: sensor.name, WatchSettings(path: nil, for: .weather), limit: nil,
        hasDate: sensor.hasDate, station: try sensor.station(altitude: altitude))
      pass(to: 0)
    }

    /// Advances the time to a second.
    mutating func pass(to second: Int) {
      while let due = state.station.nextSample, due <= UInt64(second) * 1_000_000_000 {
        sensor.pass(until: due)
        state.take(sensor.next())
      }
      sensor.pass(until: UInt64(second) * 1_000_000_000)
      state.take(sensor.next())
      state.pass(to: sensor.now, moment: sensor.startMoment + Int64(sensor.now * 1e9))
    }

    /// The text of the screen without line breaks.
    var text: String {
      WatchScreen(state, columns: 99, rows: 40, style: Style(isColoured: false)).lines
        .joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// A rig in a separate file.
  static func withRig(_ text: String, _ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appending(
      path: "watch-\(UUID().uuidString).yaml"
    ).path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  /// A station at an altitude, whose pressure falls by 1 hPa an hour.
  static func station(_ pipeline: String) -> String {
    """
    name: station
    duration: 8h
    buses: [{number: 1, devices: [{address: 0x76, model: bme280, calibration: periph-i2c}]}]
    environment:
      ramp:
        from: {pressure: 835.2hPa, temperature: 15C, humidity: 50%}
        to: {pressure: 831.2hPa}
        over: 4h
    \(pipeline)
    """
  }

  @Test(
    "in the rig thesis-automat, the screen displays the thesis forecast of the run and no other"
  )
  func thesis() throws {
    let file = Fixtures.root.appending(path: "rigs/thesis-automat.yaml").path
    var forecasts: [(time: Double, word: String)] = []
    try RigRun(Rig(path: file)).run { event in
      guard case .forecast(let forecast) = event else { return }
      let word = (try? forecast.result.get().trend.name).map { "\($0)" } ?? "no forecast yet"
      forecasts.append((Double(forecast.time) / 1e9, word))
    }
    #expect(forecasts.count == 42, "40 cycles and two requests: \(forecasts.count)")
    var watching = try Watching(file)
    for minute in stride(from: 2, through: 1198, by: 6) {
      watching.pass(to: minute * 60)
      let reported = try #require(forecasts.last { $0.time < Double(minute * 60) })
      let text = watching.text
      let words = reported.word == "no forecast yet" ? reported.word : "forecast: \(reported.word) "
      #expect(text.contains(words), "minute \(minute): \(reported)\n\(text)")
      #expect(!text.contains("Zambretti"))
    }
  }

  @Test("the key a requests a forecast now; further requests in the same cycle are absorbed")
  func asked() throws {
    let pipeline = "pipeline: {forecast: thesis, altitude: {from: 1609m}}"
    try Self.withRig(Self.station(pipeline)) { path in
      var watching = try Watching(path)
      watching.pass(to: 100)
      #expect(watching.state.answerToRequests?.forecasts.first?.word == nil)
      for _ in 0..<5 { _ = watching.state.press("a") }
      #expect(watching.text.contains("next cycle") && watching.text.contains("in 0 s"))
      watching.pass(to: 141)
      #expect(abs((watching.state.station.end ?? 0) - 140_000_000_000) < 200_000_000)
      #expect(watching.text.contains("next cycle 0:30:00"), "\(watching.text)")
      #expect(watching.state.station.history.points.count == 2)
      watching.pass(to: 3700)
      let answer = try #require(watching.state.answerToRequests)
      #expect(answer.hasForecast && answer.forecasts.first?.word == "rainy", "\(answer)")
    }
  }

  @Test("each forecast is shown with its odds over a table of weather")
  func odds() throws {
    try Self.withRig(Self.station("pipeline: {forecast: thesis, altitude: {from: 1609m}}")) {
      path in
      var watching = try Watching(path)
      watching.state.odds = { method, word in "odds of \(method.rawValue) \(word)" }
      #expect(!watching.text.contains("odds of"))
      watching.pass(to: 3700)
      #expect(watching.text.contains("odds of thesis rainy"), "\(watching.text)")
    }
  }

  @Test(
    "constant pressure at 1,609 m on a day from 5 to 26 °C is steady weather by the standard temperature or a fixed one",
    arguments: ["standard", "9C"])
  func reduction(_ temperature: String) throws {
    let rig = """
      name: sunny
      duration: 24h
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      environment:
        ramp: {from: {pressure: 835hPa, temperature: 5C}, to: {temperature: 26C}, over: 12h}
      pipeline:
        forecast: [thesis, tendency]
        keep: 4h
        altitude: {from: 1609m, temperature: TEMPERATURE}
      """
    func words(_ temperature: String) throws -> Set<String> {
      var words: Set<String> = []
      try Self.withRig(rig.replacing("TEMPERATURE", with: temperature)) { file in
        try RigRun(Rig(path: file)).run { event in
          switch event {
          case .otherForecast(let forecast): words.insert(forecast.text)
          case .forecast(let forecast):
            if let result = try? forecast.result.get() { words.insert("\(result.trend.name)") }
          default: break
          }
        }
      }
      return words
    }
    #expect(try words(temperature) == ["stable", "steady"])
    #expect(try words("measured").contains("rainy"))
  }

  @Test("at 1,609 m the screen reduces pressure to sea level like the run, and says so")
  func altitude() throws {
    let pipeline =
      "pipeline: {cycle: 10min, keep: 4h, altitude: {from: 1609m}, forecast: [thesis, zambretti, tendency]}"
    try Self.withRig(Self.station(pipeline)) { file in
      var words: [Pipeline.Forecaster: String] = [:]
      try RigRun(Rig(path: file)).run { event in
        switch event {
        case .otherForecast(let forecast) where forecast.time < 14_400_000_000_000:
          words[forecast.method] = forecast.text
        case .forecast(let forecast) where forecast.time < 14_400_000_000_000:
          words[.thesis] = (try? forecast.result.get().trend.name).map { "\($0)" }
        default: break
        }
      }
      #expect(words.count == 3 && words[.thesis] == "rainy", "\(words)")
      var watching = try Watching(file)
      for minute in stride(from: 1, to: 240, by: 5) { watching.pass(to: minute * 60) }
      let text = watching.text
      for (method, word) in words {
        #expect(text.contains("forecast: \(word) "), "\(method) \(word):\n\(text)")
      }
      #expect(text.contains(/100\d\.\d\d hPa at sea level, from 1609 m/), "\(text)")
      #expect(!text.contains("stormy"), "\(text)")
    }
  }

  @Test("the screen shows when a forecast is possible, and when the next cycle starts")
  func pending() throws {
    var watching = try Watching(Fixtures.root.appending(path: "rigs/thesis-automat.yaml").path)
    watching.pass(to: 60)
    #expect(
      watching.text.contains(
        "no forecast yet: the history spans 0 min, 30 min are needed; possible at 00:30:4"),
      "\(watching.text)")
    // The board delays the first sample by a second.
    #expect(watching.text.contains(/possible at 00:30:4[0-2], in 30 min/), "\(watching.text)")
    #expect(watching.text.contains(/next cycle 00:30:0[0-2], in 29 min/), "\(watching.text)")
    watching.pass(to: 1813)
    #expect(watching.text.contains("cycle: 2 of 5 samples"), "\(watching.text)")
    watching.pass(to: 1844)
    #expect(watching.text.contains("forecast: stable → steady"), "\(watching.text)")
    // With a cycle of one minute, AN3914 needs 35 cycles, and Zambretti and the tendency need three
    // hours.
    let pipeline =
      "pipeline: {cycle: 1min, samples: 1, keep: 4h, forecast: [an3914, zambretti]}"
    try Self.withRig(Self.station(pipeline)) { file in
      var watching = try Watching(file)
      watching.pass(to: 0)
      #expect(watching.text.contains(/AN3914 requires [^;]*; possible at 0:34:00, in 34 min/))
      #expect(
        watching.text.contains(
          /Zambretti's forecast requires [^;]*; possible at 3:00:00, in 3 h 0 min/))
      watching.pass(to: 34 * 60 + 1)
      #expect(watching.text.contains("hPa/h (AN3914)"), "\(watching.text)")
    }
    // If averages are kept for less than three hours, there is never a tendency.
    let short = "pipeline: {cycle: 50min, keep: 3h, forecast: zambretti}"
    try Self.withRig(Self.station(short)) { file in
      var watching = try Watching(file)
      watching.pass(to: 60)
      #expect(
        watching.text.contains("this rig keeps a shorter history ('keep')"), "\(watching.text)")
    }
  }

  @Test("a sensor of unknown altitude has no forecast for a pressure that cannot be at sea level")
  func unknownAltitude() throws {
    try Self.withRig(Self.station("")) { file in
      var watching = try Watching(file)
      for minute in 0..<200 { watching.pass(to: minute * 60) }
      #expect(
        watching.text.contains("set the sensor's altitude with --altitude"), "\(watching.text)")
      #expect(!watching.text.contains("Zambretti"), "\(watching.text)")
      var known = try Watching(file, altitude: 1609)
      for minute in 0..<200 { known.pass(to: minute * 60) }
      #expect(known.text.contains("at sea level, from 1609 m"), "\(known.text)")
      #expect(known.text.contains("(Zambretti's "), "\(known.text)")
    }
    let automat = Fixtures.root.appending(path: "rigs/thesis-automat.yaml").path
    let failure = #expect(throws: Failure.self) { try Watching(automat, altitude: 100) }
    #expect(failure?.kind == .usage)
  }

  @Test("a cycle that loses more than half of its samples has no average, and the screen says so")
  func lost() throws {
    let rig = Self.station(
      "pipeline: {cycle: 10min, forecast: thesis}\nfaults: [{kind: nack-address, at: 55min, count: 1000000}]"
    )
    try Self.withRig(rig) { file in
      var watching = try Watching(file)
      for minute in 0...62 { watching.pass(to: minute * 60) }
      #expect(
        watching.text.contains("no forecast yet: the latest pressure is"), "\(watching.text)")
    }
  }

  @Test(
    "a watch of a station forecasts at once from the history file and does not change this file")
  func history() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    func rig(startingAt hour: Int) -> String {
      """
      name: historian
      duration: 1h
      buses: [{number: 1, devices: [{address: 0x76, model: bme280, calibration: xft}]}]
      environment:
        series:
          file: jfk-2013
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
    try Self.withRig(rig(startingAt: 3)) { file in
      _ = try RigRun(Rig(path: file), options: RigRun.Options(allowsWriting: true)).run()
    }
    let bytes = try Data(contentsOf: URL(filePath: path))
    try Self.withRig(rig(startingAt: 4)) { file in
      var watching = try Watching(file)
      watching.pass(to: 60)
      #expect(watching.text.contains("forecast: "), "\(watching.text)")
      #expect(!watching.text.contains("no forecast"), "\(watching.text)")
      #expect(try Data(contentsOf: URL(filePath: path)) == bytes, "a watch writes no history")
    }
  }
}
