import Barometry
import Bench
import FirmwareRuns
import Foundation
import I2C
import Images
import Machines
import Parts
import Quantities
import Rigs
import Runs
import Support
import TestSupport
import Testing
import TraceTools

/// Tests of the thesis firmware: its results equal those of the thesis pipeline, and its history persists.
struct ThesisTests {
  /// The pipeline of rigs/thesis.yaml on the bench of rigs/thesis-firmware.yaml.
  private static func pipelineRig(days: Int) throws -> Rig {
    let pipeline = try Fixtures.text("rigs/thesis.yaml").components(separatedBy: "pipeline:\n")[1]
      .components(separatedBy: "expect:")[0]
    let bench = try benchText(days: days).components(separatedBy: "firmware:\n")[0]
    return try ThesisStation.rig("\(bench)pipeline:\n\(pipeline)")
  }

  private static func benchText(days: Int) throws -> String {
    try Fixtures.text("rigs/thesis-firmware.yaml").replacing(
      "duration: 363d", with: "duration: \(days)d")
  }

  private static func firmwareRig(days: Int) throws -> Rig {
    let text = try benchText(days: days).components(separatedBy: "firmware:\n")[0]
    return try ThesisStation.rig(text + "pipeline: {samples: 1, cycle: 1h}\n")
  }

  /// Returns the time of the first measurement trigger in a trace, in nanoseconds.
  private static func firstTrigger(_ trace: String) throws -> UInt64 {
    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    let line = try #require(lines.first { $0.contains(#""w":"f425""#) })
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    let time = try #require((object as? [String: Any])?["t"] as? NSNumber)
    return time.uint64Value
  }

  /// Returns the pipeline's samples and cycles with a start delay.
  private static func expected(
    days: Int, later: UInt64, trace: TraceOutput? = nil
  ) throws -> (samples: [String], cycles: [StationCycle]) {
    let run = try RigRun(pipelineRig(days: days), options: .init(trace: trace))
    run.bench.clock.wait(nanoseconds: later)
    var (samples, cycles) = ([String](), [StationCycle]())
    try run.run { event in
      switch event {
      case .reading(let reading):
        let values = [Quantity.temperature, .pressure].map {
          String(format: "%.2f", $0.shown(reading.sample[$0] ?? .nan))
        }
        samples.append("temperature \(values[0]) C, pressure \(values[1]) hPa")
      case .average(let average):
        var cycle = StationCycle()
        cycle.number = cycles.count + 1
        cycle.samples = average.samples
        cycle.temperature = average.means.temperature.map { Int(($0.measured * 1000).rounded()) }
        cycle.pressure = average.means.pressure.map { Int(($0.measured * 10).rounded()) }
        cycles.append(cycle)
      case .forecast(let result):
        guard let forecast = try? result.result.get() else { break }
        cycles[cycles.count - 1].forecast = "\(forecast.trend.name)"
        cycles[cycles.count - 1].rate = Int((forecast.rate * 1000).rounded())
      default: break
      }
    }
    return (samples, cycles)
  }

  /// Returns the delay of the firmware's first measurement relative to the pipeline, in nanoseconds.
  private static func delay(_ board: ThesisStation.Board) throws -> UInt64 {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let paths = ["pipeline", "firmware"].map { "\(scratch.path)/\($0).i2ctrace" }
    let traces = try paths.map { try TraceOutput($0) }
    _ = try expected(days: 1, later: 0, trace: traces[0])
    try traces[0].close()
    var options = FirmwareOptions()
    options.trace = traces[1]
    let station = try ThesisStation(board, firmwareRig(days: 1), options: options)
    station.run(until: 10)
    try traces[1].close()
    return try firstTrigger(paths[1]) - firstTrigger(paths[0])
  }

  @Test(
    "every sample, average and forecast equals that of the thesis pipeline in the same weather",
    arguments: [(ThesisStation.Board.nrf52832, 363), (.atmega328p, 7)])
  func same(_ board: ThesisStation.Board, _ days: Int) throws {
    let expected = try Self.expected(days: days, later: Self.delay(board))
    let station = try ThesisStation(board, Self.firmwareRig(days: days))
    station.run(until: Double(days) * 86_400)
    let samples = station.lines.filter { $0.hasPrefix("temperature") }
    let cycles = station.lines.compactMap(StationCycle.init)
    #expect(cycles.count == days * 48 && expected.cycles.count == days * 48)
    #expect(samples.count == expected.samples.count)
    let wrong = zip(samples, expected.samples).enumerated().filter { $1.0 != $1.1 }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3).map { "\($0) \($1)" })")
    for (found, right) in zip(cycles, expected.cycles) where found != right {
      Issue.record("\(found) is not \(right)")
    }
  }

  @Test(
    "a simulated day gives the same output, times and cycles with and without skipped idle loops",
    arguments: ThesisStation.Board.allCases)
  func idle(_ board: ThesisStation.Board) throws {
    let stations = try [true, false].map { skips in
      let station = try ThesisStation(board, ThesisStation.rig())
      station.machine.skipsIdleLoops = skips
      station.run(until: 86_400)
      return station
    }
    #expect(stations[0].lines == stations[1].lines && stations[0].lines.count == 289)
    #expect(stations[0].said.map(\.time) == stations[1].said.map(\.time))
    #expect(stations[0].machine.core.cycles == stations[1].machine.core.cycles)
    #expect(stations[0].machine.core.instructions == stations[1].machine.core.instructions)
  }

  @Test(
    "after a bus fault the next sample is valid again",
    arguments: ThesisStation.Board.allCases, ["arbitration-lost", "bus-error", "nack-address"])
  func recovers(_ board: ThesisStation.Board, _ fault: String) throws {
    let text = ThesisStation.falling + "\nfaults: [{at: 20min, kind: \(fault)}]"
    let station = try ThesisStation(board, ThesisStation.rig(text))
    station.run(until: 3 * 3600)
    let cycles = station.lines.compactMap(StationCycle.init)
    #expect(cycles.count == 6 && cycles.map(\.samples).reduce(0, +) == 29)
  }

  @Test(
    "two hours of history survive any reset, and the next forecast uses that history",
    arguments: ThesisStation.Board.allCases, [ResetCause.brownOut, .pin, .watchdog])
  func kept(_ board: ThesisStation.Board, _ cause: ResetCause) throws {
    let station = try ThesisStation(board, ThesisStation.rig())
    station.run(until: 3 * 3600 + 60)
    #expect(station.lines.compactMap(StationCycle.init).count == 7)
    station.reset(cause)
    station.run(until: 3 * 3600 + 120)
    let after = Array(station.lines.drop { !$0.hasSuffix("5 points kept") })
    #expect(after.count == 7, "\(after)")
    let cycle = try #require(after.last.flatMap(StationCycle.init))
    #expect(cycle.number == 8 && cycle.forecast == "rainy")
  }

  @Test(
    "a partly written record is ignored, earlier records are kept, and the next record is stored",
    arguments: ThesisStation.Board.allCases)
  func torn(_ board: ThesisStation.Board) throws {
    for pieces in 1...board.piecesOfARecord {
      let station = try ThesisStation(board, ThesisStation.rig())
      // The fourth cycle ends after 1 h 30 min 40 s.
      station.run(until: 5440)
      station.run(untilWritten: pieces)
      station.reset(.brownOut)
      station.run(until: 5600)
      // Only changed bytes of an EEPROM record are written, so the last write may not be the twelfth.
      let kept = station.lines.last { $0.hasSuffix("points kept") } ?? ""
      let count = Int(kept.split(separator: " ")[4]) ?? 0
      #expect(count == 3 || pieces >= 6 && count == 4, "\(pieces): \(kept)")
      station.reset(.brownOut)
      station.run(until: 5610)
      #expect(
        station.lines.last { $0.hasSuffix("points kept") }?.contains(", \(count + 1) ") == true)
    }
  }

  @Test("a symbol that begins with a dollar sign, as in a Swift image, is read as a function name")
  func names() throws {
    let station = try ThesisStation(.nrf52832, ThesisStation.rig())
    station.run(until: 100)
    let symbols = station.bench.image.symbols
    let function = symbols.function(at: station.machine.core.programCounter)
    #expect(function?.name.contains("TickClock") == true, "\(function?.name ?? "none")")
  }

  @Test("the flash pages alternate, and after eight days the last two hours are available")
  func pages() throws {
    let station = try ThesisStation(.nrf52832, ThesisStation.rig())
    var erased = 0
    station.machine.memories[0].didChange = { _, count in if count == 4096 { erased += 1 } }
    for hours in stride(from: 1, through: 192, by: 37) {
      station.run(until: Double(hours) * 3600 + 60)
      station.reset(.pin)
    }
    // 170 records per page; the first page needs no erase.
    #expect(erased == 2)
    let kept = station.lines.filter { $0.hasSuffix("points kept") }
    #expect(kept.dropFirst(2).allSatisfy { $0.contains(", 5 points") }, "\(kept)")
  }

  @Test(
    "an unresponsive sensor is reported, and measured again once it responds",
    arguments: ThesisStation.Board.allCases)
  func absent(_ board: ThesisStation.Board) throws {
    let faults = "faults: [{kind: nack-address, at: 15s, count: 3}]\n"
    let station = try ThesisStation(board, ThesisStation.rig(ThesisStation.falling + "\n" + faults))
    station.run(until: 3700)
    let cycles = station.lines.compactMap(StationCycle.init)
    #expect(station.lines.filter { $0 == "error: the sensor's trigger" }.count == 1)
    #expect(station.lines.filter { $0 == "error: the sensor's identity" }.count == 2)
    #expect(cycles.map(\.samples) == [2, 5, 5], "\(station.lines)")
    #expect(cycles.map(\.forecast) == ["none", "none", "rainy"])
  }
}
