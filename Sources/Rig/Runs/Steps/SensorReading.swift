package import Bench
import Environment
package import I2C
import I2CTrace
import Parts
import Quantities
import Rigs
package import Support
package import TraceTools
import VirtualI2C

/// Reads one sensor on one bus, from its identification and calibration to the compensated result.
package final class SensorReading {
  /// The output format.
  package enum Format: String, Sendable, CaseIterable {
    /// A readable line per reading.
    case text
    /// One JSON object with all readings.
    case json
    /// One JSON object per line.
    case jsonl
    /// A CSV table.
    case csv
  }

  private let bus: OpenBus
  private let driver: any SensorDriver
  /// The ranges of the measured values that the part's datasheet specifies.
  private let ranges: SampleRanges
  private var hasReportedEnd = false
  /// The width of the last printed time, in columns.
  private var timeWidth = 0

  /// Prepares a reading on a bus.
  ///
  /// - Parameters:
  ///   - reference: the bus.
  ///   - address: the address of the sensor; `nil` for the first one on the bus.
  ///   - part: the model of the sensor or a part file; `nil` to identify it. Default: `nil`.
  ///   - replay: the replay options of a trace. Default: strict.
  ///   - faults: faults to inject on the bus, each with the keys of a rig. Default: none.
  ///   - trace: records every transfer. Default: no recording.
  ///   - allowsPrograms: whether parts of a rig may be programs. Default: `false`.
  /// - Throws: `Failure` if the bus cannot be used.
  package init(
    _ reference: BusReference, address: I2CAddress?, part: String? = nil,
    replay: ReplayOptions = ReplayOptions(.strict),
    faults: [String] = [], trace: TraceOutput? = nil, allowsPrograms: Bool = false
  ) throws(Failure) {
    bus = try OpenBus(
      reference, replay, faults: faults, trace: trace, allowsPrograms: allowsPrograms)
    let model: (any PartModel)? = if let part { try Rig.model(of: part) } else { nil }
    var ranges = SampleRanges()
    driver = try bus.driver(at: address, as: model) { model in
      ranges = model.ranges
      return model.usualSettings
    }
    self.ranges = ranges
  }

  /// Whether the bus is on the machine's clock, so that readings take real time.
  package var isLive: Bool { bus.clock is WallClock }

  /// Makes readings and prints them.
  ///
  /// - Parameters:
  ///   - count: the number of readings.
  ///   - interval: the interval between readings, in nanoseconds.
  ///   - format: the output format.
  ///   - print: receives the output.
  ///   - notice: receives a sentence when the weather data have ended.
  /// - Throws: `Failure` of kind unavailable if the sensor is missing, of kind input/output if a
  ///   later transfer fails; the readings before that transfer have been printed, except in format
  ///   `json`.
  package func run(
    count: Int, every interval: UInt64, format: Format, to print: (String) -> Void,
    notice: (String) -> Void
  ) throws(Failure) {
    try attempt(.unavailable) { () throws(SensorFailure) in try driver.start() }
    var readings: [JSONValue] = []
    if format == .csv { print(Self.header) }
    let start = bus.clock.nanoseconds
    let last = start + UInt64(count - 1) * interval + 1_000_000_000
    timeWidth = Decimal.fixed(Double(last) / 1e9, 3).count
    for index in 0..<count {
      let due = start + UInt64(index) * interval
      let now = bus.clock.nanoseconds
      if due > now { bus.clock.wait(nanoseconds: due - now) }
      let reading = try self.reading()
      if let rig = bus.rig, let known = rig.environment.knownTime, reading.time > known,
        !hasReportedEnd
      {
        hasReportedEnd = true
        notice(rig.endOfAir(known))
      }
      switch format {
      case .text: print(text(reading))
      case .csv: print(csv(reading))
      case .jsonl: print(RunEvent.reading(reading).json.compact + "\n")
      case .json: readings.append(RunEvent.reading(reading).json)
      }
    }
    if format == .json {
      print(JSONValue.object([("readings", .array(readings))]).compact + "\n")
    }
  }

  /// Compares a replay with its trace.
  ///
  /// - Returns: the differences, one per line, and whether the replay matched the trace.
  package func replayReport() -> (lines: [String], isSame: Bool) {
    guard let replay = bus.replay else { return ([], true) }
    return (replay.report(bus.name), replay.difference == nil && replay.failure == nil)
  }

  /// Sentences that say how often and when each fault has fired so far.
  package var firings: [String] {
    bus.faults().map { $0.firings(location: " on bus \($0.bus)") + $0.evidence.moments }
  }

  /// The failure to read the replayed trace; `nil` if there is none.
  package var traceFailure: Failure? {
    bus.replay?.failure.map { TraceInput.failure($0, bus.name) }
  }

  private func reading() throws(Failure) -> RunEvent.Reading {
    let sample = try attempt(.inputOutput) { () throws(SensorFailure) in try driver.sample() }
    let time = bus.clock.nanoseconds
    return RunEvent.Reading(
      time: time, sensorID: Rig.SensorID(bus: bus.number, address: driver.address),
      sample: sample, air: bus.air?.air(at: time), outside: ranges.outside(sample))
  }

  /// Calls the driver, and converts its error to a failure with bus and address.
  private func attempt<Result>(
    _ kind: Failure.Kind, _ body: () throws(SensorFailure) -> Result
  ) throws(Failure) -> Result {
    do throws(SensorFailure) {
      return try body()
    } catch {
      if let failure = bus.programFailure() { throw failure }
      let sentence = error.sentence(absence: bus.board?().absence, withRemedy: true)
      throw Failure(kind, "\(bus.name): \(driver.address) on bus \(bus.number): \(sentence)")
    }
  }

  private static let header =
    "t,bus,address,temperature_c,pressure_pa,humidity_rh,adc_T,adc_P,adc_H,"
    + "outside_specification\n"

  private func csv(_ reading: RunEvent.Reading) -> String {
    let (measured, codes) = (reading.sample, reading.sample.codes)
    func text(_ value: Double?) -> String { value.map(Decimal.shortest) ?? "" }
    func code(_ code: Int32?) -> String { code.map { "\($0)" } ?? "" }
    return [
      Decimal.seconds(reading.time), String(bus.number), String(driver.address.rawValue),
      text(measured.celsius), text(measured.pascals), text(measured.relativeHumidity),
      code(codes.temperature), code(codes.pressure), code(codes.humidity),
      reading.outside.map(\.rawValue).joined(separator: " "),
    ].joined(separator: ",") + "\n"
  }

  private func text(_ reading: RunEvent.Reading) -> String {
    let measured = reading.sample
    func value(_ value: Double?, _ decimals: Int, _ unit: String, _ width: Int) -> String {
      value.map { "   \(Decimal.fixed($0, decimals).right(width)) \(unit)" } ?? ""
    }
    return
      "\(Decimal.fixed(Double(reading.time) / 1e9, 3).right(timeWidth)) s   \(driver.address) on bus \(bus.number)"
      + value(measured.pascals.map(Quantity.pressure.shown), 2, "hPa", 7)
      + value(measured.celsius, 2, "C", 6)
      + value(measured.relativeHumidity, 1, "%RH", 5)
      + (reading.outside.isEmpty ? "" : "   \(reading.outside.outsideNote)") + "\n"
  }
}
