import Foundation
import Glibc
import Reports
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// The backup source: weather in Open-Meteo's format replaces a lost sensor, and forecasts based on
/// it are marked.
struct BackupWeatherTests {
  static func weather(_ text: String, isReduced: Bool = false, at moment: Int64?) -> Double? {
    let source = BackupWeather(.file("x"), isReduced: isReduced)
    return JSONValue(reading: Array(text.utf8)).flatMap { try? source.pascals(in: $0, at: moment) }
  }

  static let hour: Int64 = 3_600_000_000_000
  /// 2013-01-01T06:00:00Z.
  static let moment: Int64 = 1_357_020_000_000_000_000
  static let hourly = """
    {"hourly_units": {"surface_pressure": "hPa"}, "hourly": {"time": ["2013-01-01T05:00", "2013-01-01T06:00",
    "2013-01-01T07:00"], "surface_pressure": [1010, 1011, 1013], "pressure_msl": [1020, 1021, null]}}
    """

  @Test("hourly values are interpolated linearly and not extrapolated")
  func hourlyValues() {
    #expect(Self.weather(Self.hourly, at: Self.moment) == 101_100)
    #expect(Self.weather(Self.hourly, at: Self.moment + Self.hour / 2) == 101_200)
    #expect(Self.weather(Self.hourly, isReduced: true, at: Self.moment) == 102_100)
    #expect(Self.weather(Self.hourly, isReduced: true, at: Self.moment + 60) == nil)
    #expect(Self.weather(Self.hourly, at: Self.moment + 2 * Self.hour) == nil)
    #expect(Self.weather(Self.hourly, at: nil) == nil)
  }

  @Test("a current value is valid for three hours, and without a limit if the rig has no date")
  func current() {
    let text = #"{"current": {"time": 1357020000, "surface_pressure": 1004.5}}"#
    #expect(Self.weather(text, at: Self.moment + 3 * Self.hour) == 100_450)
    #expect(Self.weather(text, at: Self.moment + 4 * Self.hour) == nil)
    #expect(Self.weather(text, at: nil) == 100_450)
  }

  @Test(
    "a value that is not a pressure is rejected",
    arguments: [
      #"{"current": {"time": 1357020000, "surface_pressure": 10}}"#, #"{"error": true}"#, "[]",
      #"{"current": {"time": 1357020000, "surface_pressure": 1004, "x": 1}, "current_units": {"surface_pressure": "furlong"}}"#,
      #"{"hourly": {"time": [1], "surface_pressure": []}}"#,
    ])
  func nothing(_ text: String) { #expect(Self.weather(text, at: Self.moment) == nil) }

  @Test(
    "a response that is not UTF-8 is rejected; the error gives the byte, its offset and its line")
  func latin1() throws {
    let path = FileManager.default.temporaryDirectory.appending(
      path: "weather-\(UUID().uuidString).json"
    ).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(Array("{\"a\": 1,\n\"place\": \"Z".utf8) + [0xFC] + Array("rich\"}".utf8))
      .write(to: URL(filePath: path))
    let failure = #expect(throws: Failure.self) {
      try BackupWeather(.file(path), isReduced: false).pascals(at: nil)
    }
    let place = "byte 0xFC at offset 20 (line 2, column 12)"
    #expect(failure?.messages == ["\(path): the response is not UTF-8 text: \(place)"])
  }

  @Test(
    "a lost sensor is replaced by the backup pressure plus the last offset, and forecasts continue"
  )
  func standIn() throws {
    let path = FileManager.default.temporaryDirectory.appending(
      path: "weather-\(UUID().uuidString).json"
    ).path
    try #"{"current": {"time": 0, "surface_pressure": 1000}}"#.write(
      toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = SampleRig.changed(
      "forecast: thesis", to: "forecast: thesis\n  backup: {file: \(path)}"
    )
    .replacing(
      "expect:",
      with:
        "faults:\n  - {at: 59min, kind: nack-address, bus: 1, address: 0x76, count: 1000000}\nexpect:"
    )
    var (standIns, forecasts, marked): ([RunEvent.StandIn], Int, [Int]) = ([], 0, [])
    var reported = ""
    let report = TextReport(style: Style(isColoured: false), columns: nil) { reported += $0 }
    try RigRun(Rig(text: text, file: SampleRig.file)).run { event in
      report.take(event)
      if case .standIn(let event) = event { standIns.append(event) }
      if case .forecast(let forecast) = event, (try? forecast.result.get()) != nil {
        forecasts += 1
        marked.append(forecast.standIns)
      }
    }
    #expect(marked == [0, 1, 2])
    #expect(standIns.count == 2)
    for event in standIns {
      #expect(abs((event.offset ?? 0) - 500) < 5 && abs(event.pascals - 100_500) < 5)
      #expect(event.source == path)
    }
    #expect(forecasts == 3)
    let shift = #/are used instead, with an offset of \+(4\.9|5\.0)[0-9] hPa, the last difference/#
    #expect(reported.matches(of: shift).count == 2, "\(reported)")
  }

  @Test(
    "if sensor and source were never available together, the report says that there is no offset"
  )
  func unshifted() throws {
    let rig = try Rig(text: SampleRig.text, file: SampleRig.file)
    let sensorID = try #require(rig.pipeline?.sensors.first)
    func shift(_ offset: Double?) -> String {
      RunEvent.StandIn(time: 0, sensorID: sensorID, pascals: 100_000, offset: offset, source: "x")
        .shift
    }
    #expect(shift(nil) == "without an offset: the two were never available at the same time")
    #expect(shift(-1234) == "with an offset of -12.34 hPa, the last difference to the sensor")
  }

  @Test("a source that does not respond does not change the run, and is reported")
  func silent() throws {
    let text = SampleRig.changed(
      "forecast: thesis", to: "forecast: thesis\n  backup: {url: \"http://127.0.0.1:1/\"}"
    ).replacing(
      "expect:",
      with:
        "faults:\n  - {at: 59min, kind: nack-address, bus: 1, address: 0x76, count: 1000000}\nexpect:"
    )
    var notices: [String] = []
    try RigRun(Rig(text: text, file: SampleRig.file)) { notices.append($0) }.run()
    #expect(
      notices.count == 2 && notices.allSatisfy { $0.contains("no replacement for the sensor") })
  }

  @Test(
    "a run waits only once, not in each cycle, for a source that accepts a request and never responds"
  )
  func hangs() throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        guard bind(socket, address, length) == 0, listen(socket, 5) == 0 else { return -1 }
        return getsockname(socket, address, &length)
      }
    }
    try #require(status == 0)
    let port = UInt16(bigEndian: place.sin_port)
    let text = SampleRig.changed(
      "forecast: thesis", to: "forecast: thesis\n  backup: {url: \"http://127.0.0.1:\(port)/\"}"
    ).replacing(
      "expect:",
      with:
        "faults:\n  - {at: 59min, kind: nack-address, bus: 1, address: 0x76, count: 1000000}\nexpect:"
    )
    var notices: [String] = []
    try RigRun(Rig(text: text, file: SampleRig.file)) { notices.append($0) }.run()
    // Queried once while the sensor was present, and then not again: one connection is still pending.
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    var connections: [Int32] = []
    while case let connection = accept(socket, nil, nil), connection >= 0 {
      connections.append(connection)
    }
    #expect(connections.count == 1)
    for connection in connections { close(connection) }
    #expect(notices.count == 2 && notices.allSatisfy { $0.contains("is not queried for a while") })
  }

  @Test(
    "an invalid value from a source is reported with the number, the accepted range and the unit",
    arguments: [
      ("99999", "hPa", "surface_pressure is 99999 hPa, out of range: 300 to 1100 hPa"),
      ("-3", "hPa", "surface_pressure is -3 hPa, out of range"),
      ("1004", "furlong", "the unit 'furlong' of surface_pressure is not a unit of pressure"),
      ("null", "hPa", "the response has no surface_pressure for this date"),
    ])
  func named(_ value: String, _ unit: String, _ words: String) throws {
    let text = """
      {"current": {"time": 0, "surface_pressure": \(value)},
      "current_units": {"surface_pressure": "\(unit)"}}
      """
    let reply = try #require(JSONValue(reading: Array(text.utf8)))
    let failure = #expect(throws: Failure.self) {
      try BackupWeather(.file("weather.json"), isReduced: false).pascals(in: reply, at: nil)
    }
    #expect(failure?.messages.joined().contains(words) == true, "\(failure?.messages ?? [])")
  }
}
