import Barometry
import Files
import Foundation
import Rigs
import Runs
import TestSupport
import Testing

/// A history that outlives its run.
struct HistoryFileTests {
  let path = FileManager.default.temporaryDirectory
    .appending(path: "history-\(UUID().uuidString)").path

  static var options: RigRun.Options { RigRun.Options(allowsWriting: true) }

  /// A rig of two hours of the weather of New York that begins at an hour of 2 January 2013.
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

  @Test("a second run forecasts at once from what the first has kept")
  func kept() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try forecasts(rig(startingAt: 3)) == [false, true])
    #expect(try forecasts(rig(startingAt: 4)) == [true, true])
  }

  @Test("a run of the same hours again does not see its own future: same lines, same bytes")
  func repeated() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try forecasts(rig(startingAt: 3)) == [false, true])
    #expect(try forecasts(rig(startingAt: 3)) == [false, true])
  }

  @Test("a torn record is cut off, said, and nothing else is lost")
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
    #expect(notices.first?.contains("cut off by a crash; 1 good ones are kept") == true)
    #expect(try Data(contentsOf: URL(filePath: path)).count == 8 + 3 * HistoryRecord.length)
  }

  @Test("a damaged or foreign file is refused and left as it is")
  func damaged() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try forecasts(rig(startingAt: 3))
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[12] ^= 1
    for content in [bytes, Data("my diary, for ever and ever and ever".utf8)] {
      try content.write(to: URL(filePath: path))
      let failure = #expect(throws: Failure.self) { try forecasts(rig(startingAt: 4)) }
      #expect(failure?.kind == .badContent)
      #expect(try Data(contentsOf: URL(filePath: path)) == content)
    }
  }

  @Test("a folder that is not there is an input/output error")
  func unwritable() {
    let text = rig(startingAt: 3).replacingOccurrences(of: path, with: "/nowhere/history")
    let failure = #expect(throws: Failure.self) { try forecasts(text) }
    #expect(failure?.kind == .inputOutput)
  }
}
