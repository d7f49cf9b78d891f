package import Bench
import Environment
package import Files
package import I2C
import I2CTrace
import Parts
import Quantities
import Rigs
import Text
package import TraceTools
import VirtualI2C

/// Reads one sensor on one bus: identify, calibrate, measure, compensate.
package final class SensorReading {
  /// In which form results are printed.
  package enum Format: String, Sendable, CaseIterable {
    /// A line for people.
    case text
    /// One object with all readings.
    case json
    /// One object a line.
    case jsonl
    /// A table.
    case csv
  }

  private let bus: OpenBus
  private let driver: any SensorDriver
  /// What the part is specified for.
  private let ranges: SampleRanges
  private var hasToldEnd = false
  /// How many columns the time of the last reading takes.
  private var timeWidth = 0

  /// Prepares a reading on a bus.
  ///
  /// - Parameters:
  ///   - reference: the bus.
  ///   - address: the sensor's, the first of the bus unless given.
  ///   - replay: how a trace is replayed.
  ///   - faults: failures that are planned on the bus, each with the keys of a rig.
  ///   - trace: records every transfer.
  /// - Throws: `Failure` when the bus cannot be used.
  package init(
    _ reference: BusReference, address: I2CAddress?, replay: ReplayOptions = ReplayOptions(.strict),
    faults: [String] = [], trace: TraceOutput? = nil
  ) throws(Failure) {
    bus = try OpenBus(reference, replay, faults: faults, trace: trace)
    var ranges = SampleRanges()
    driver = try bus.driver(at: address) { model in
      ranges = model.ranges
      return model.usualSettings
    }
    self.ranges = ranges
  }

  /// Makes some readings and prints each.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - interval: from reading to reading, in nanoseconds.
  ///   - format: how they are printed.
  ///   - print: takes the output.
  ///   - notice: takes a sentence when the air is no longer known and its last value holds.
  /// - Throws: `Failure` of kind unavailable when there is no such sensor, of kind
  ///   input/output when a later transfer fails; the readings before stand, but for JSON.
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
        !hasToldEnd
      {
        hasToldEnd = true
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

  /// What a user must know after a replay: how it differed from its trace; nothing if it did not.
  ///
  /// - Returns: the lines, and whether the replay was what the trace says.
  package func replayReport() -> (lines: [String], isSame: Bool) {
    guard let replay = bus.replay else { return ([], true) }
    return (replay.report(bus.name), replay.difference == nil && replay.failure == nil)
  }

  /// How often each planned failure has fired so far, a sentence each.
  package var firings: [String] {
    bus.faultRecords().map {
      $0.fault.firings($0.plan.fired, place: " on bus \($0.fault.bus)")
    }
  }

  /// What is wrong with the trace that is replayed, if anything is.
  package var traceFailure: Failure? {
    bus.replay?.failure.map { TraceInput.failure($0, bus.name) }
  }

  private func reading() throws(Failure) -> RunEvent.Reading {
    let sample = try attempt(.inputOutput) { () throws(SensorFailure) in try driver.sample() }
    let time = bus.clock.nanoseconds
    return RunEvent.Reading(
      time: time, place: Rig.SensorID(bus: bus.number, address: driver.address),
      sample: sample, air: bus.air?.air(at: time), outside: ranges.outside(sample))
  }

  /// Does something with the driver; its error becomes a failure that names the sensor.
  private func attempt<Result>(
    _ kind: Failure.Kind, _ body: () throws(SensorFailure) -> Result
  ) throws(Failure) -> Result {
    do throws(SensorFailure) {
      return try body()
    } catch {
      let told = error.told(behind: bus.board?().absence, withRemedy: true)
      throw Failure(kind, "\(bus.name): \(driver.address) on bus \(bus.number): \(told)")
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
      + (reading.outside.isEmpty ? "" : "   \(reading.outside.outsideRemark)") + "\n"
  }
}
