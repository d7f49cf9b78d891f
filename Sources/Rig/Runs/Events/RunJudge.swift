import Barometry
import Diagnosis
import Environment
import Parts
import Quantities
package import Rigs
import Support
import VirtualI2C

/// Evaluates the expectations of a run from its events.
package final class RunJudge {
  private let expectations: [Expectation]
  private var agreements: [Int: Deviation] = [:]
  private var extremes: [Int: Extremes] = [:]
  private var forecasts: [(time: UInt64, trend: PressureTrend?)] = []
  private var seen: Set<PressureTrend> = []
  private var faults: [RunEvent.FaultReport] = []
  private var readings = 0
  private var leaks: [Alarm] = [], havens: [Alarm] = []
  private var levels: [(level: CabinLevel, alarm: Alarm)] = []
  private var watching: Set<Rig.SensorID> = []
  private var found: [String] = []
  private var traffic: [RunEvent.TrafficReport] = []
  private var replays: [Int: RunEvent.ReplayReport] = [:]
  private var compared: [Quantity: [Double]] = [:]
  private var comparedMeans: [Quantity: [(start: UInt64, value: Double)]] = [:]
  private var patterns: [Int: SerialPattern] = [:]
  private var matches: [Int: RunEvent.SerialLine] = [:]
  private var lines = 0
  private var end: RunEvent.ProgramEnd?
  private var account = FirmwareAccount()
  private var pins: [Int: PinMeter] = [:]

  package init(_ expectations: [Expectation]) {
    self.expectations = expectations
    for (index, expectation) in expectations.enumerated() {
      if case .agreement = expectation.condition { agreements[index] = Deviation() }
      if case .limits = expectation.condition { extremes[index] = Extremes() }
      if case .serial(let text, _) = expectation.condition {
        patterns[index] = SerialPattern(text)
      }
      if case .pin(let condition) = expectation.condition { pins[index] = PinMeter(condition) }
    }
  }

  /// The time and the sensor of an alarm: a declared leak, a call to the safe haven, or a pressure
  /// alarm.
  private struct Alarm {
    let time: UInt64
    let sensorID: Rig.SensorID

    init(_ report: RunEvent.CabinReport) { (time, sensorID) = (report.time, report.sensorID) }
  }

  /// The largest deviation of some values from the values that they are expected to agree with.
  private struct Deviation {
    var count = 0
    var largest = 0.0
    var time: UInt64 = 0
    /// The sensor with the largest deviation, the sensor of the latest value, and whether the
    /// values came from several sensors.
    var sensorID: Rig.SensorID?, last: Rig.SensorID?
    var hasSeveral = false

    mutating func take(_ value: Double, of sensorID: Rig.SensorID, at time: UInt64) {
      count += 1
      if let last, last != sensorID { hasSeveral = true }
      last = sensorID
      // NaN counts as the largest deviation.
      guard !(value <= largest) else { return }
      (largest, self.time, self.sensorID) = (value, time, sensorID)
    }
  }

  /// Records an event of the run.
  package func observe(_ event: RunEvent) {
    switch event {
    case .reading(let reading):
      readings += 1
      observe(reading)
    case .average(let average): observe(average)
    case .forecast(let forecast):
      let trend = try? forecast.result.get().trend
      forecasts.append((forecast.time, trend))
      if let trend { seen.insert(trend) }
    case .fault(let fault): faults.append(fault)
    case .cabin(let report):
      watching.insert(report.sensorID)
      if report.assessment.status == .leak { leaks.append(Alarm(report)) }
    case .haven(let report): havens.append(Alarm(report))
    case .level(let report): levels.append((report.assessment.level, Alarm(report)))
    case .search(let step):
      if case .found(let name) = step.step { found.append(name) }
    case .traffic(let report): if report.isFinal { traffic.append(report) }
    case .replay(let report): replays[report.bus] = report
    case .comparison(let comparison):
      for quantity in [Quantity.pressure, .temperature] {
        if let value = comparison.shown?.values[quantity] {
          compared[quantity, default: []].append(value)
        }
      }
    case .serial(let line): observe(line)
    case .pin(let change): for index in pins.keys { pins[index]?.take(change) }
    case .ended(let end): self.end = end
    default: account.observe(event)
    }
  }

  private func observe(_ line: RunEvent.SerialLine) {
    lines += 1
    for (index, pattern) in patterns where matches[index] == nil {
      guard case .serial(_, let port) = expectations[index].condition,
        port == nil || port == line.port, pattern.matches(line.text)
      else { continue }
      matches[index] = line
    }
  }

  private func observe(_ reading: RunEvent.Reading) {
    let measured = reading.sample
    compare(isMean: false, reading.sensorID, reading.time) { channel in
      (measured[channel], reading.air?[channel])
    }
  }

  private func observe(_ average: RunEvent.Average) {
    for quantity in [Quantity.pressure, .temperature] {
      if let value = average.compared?.shown[quantity] {
        comparedMeans[quantity, default: []].append((average.start, value))
      }
    }
    compare(isMean: true, average.sensorID, average.time) { channel in
      let mean = average.means[channel]
      return (mean?.measured, mean?.air)
    }
  }

  private func compare(
    isMean: Bool, _ sensorID: Rig.SensorID, _ time: UInt64,
    _ values: (Quantity) -> (measured: Double?, air: Double?)
  ) {
    func isJudged(_ selection: Expectation.Selection) -> Bool {
      selection.includes(isMean: isMean, bus: sensorID.bus, address: sensorID.address, at: time)
    }
    for (index, expectation) in expectations.enumerated() {
      switch expectation.condition {
      case .agreement(let wanted) where isJudged(wanted.selection):
        let (measured, air) = values(wanted.channel)
        guard let measured, let right = wanted.value ?? air else { continue }
        agreements[index]?.take(abs(measured - right), of: sensorID, at: time)
      case .limits(let wanted) where isJudged(wanted.selection):
        guard let measured = values(wanted.channel).measured else { continue }
        extremes[index]?.take(measured, of: sensorID, at: time)
      default: continue
      }
    }
  }

  /// Evaluates all expectations at the end of the run.
  package func verdict(at time: UInt64) -> Verdict {
    let findings = expectations.enumerated().map { index, expectation in
      let (passed, detail) = judge(expectation.condition, index)
      return Verdict.Finding(
        expectation: expectation, passed: passed, detail: detail,
        time: moment(of: expectation.condition, index),
        faults: expectation.condition == .faultsFired ? faults : [])
    }
    return Verdict(time: time, findings: findings)
  }

  /// Returns the time at which an expectation was met or failed; `nil` if the expectation concerns
  /// the whole run.
  private func moment(of condition: Expectation.Condition, _ index: Int) -> UInt64? {
    switch condition {
    case .agreement: agreements[index].flatMap { $0.count > 0 ? $0.time : nil }
    case .limits(let wanted): extremes[index]?.worst(wanted)?.time
    case .forecast(let time, _): time
    case .leak: leaks.first?.time
    case .haven: havens.first?.time
    case .level(let level, _): first(level)?.time
    case .serial: matches[index]?.time
    case .pin: pins[index]?.moment
    default: nil
    }
  }

  private func judge(_ condition: Expectation.Condition, _ index: Int) -> (Bool, String) {
    switch condition {
    case .agreement(let wanted):
      return judge(wanted, agreements[index] ?? Deviation())
    case .limits(let wanted): return (extremes[index] ?? Extremes()).verdict(on: wanted)
    case .forecast(let time, let trend):
      let last = forecasts.last { $0.time <= time }?.trend
      return (last == trend, "it was \(last.map { "\($0.name)" } ?? "none")")
    case .reaches(let wanted):
      let absent = wanted.filter { !seen.contains($0) }
      return (absent.isEmpty, absent.isEmpty ? "all occurred" : "\(names(absent)) never occurred")
    case .never(let unwanted):
      let present = unwanted.filter(seen.contains)
      if seen.isEmpty { return (false, "no forecast occurred") }
      return (present.isEmpty, present.isEmpty ? "none occurred" : "\(names(present)) occurred")
    case .faultsFired:
      let idle = faults.filter { !$0.fault.hasFired }
      let list = idle.map { $0.fault.firings() }
      return (
        idle.isEmpty, idle.isEmpty ? "all \(faults.count) fired" : list.joined(separator: ", ")
      )
    case .transferErrors(let wanted, let bus):
      let buses = traffic.filter { bus == nil || $0.bus == bus }
      let (errors, transfers) = buses.reduce((0, 0)) { ($0.0 + $1.errors, $0.1 + $1.transfers) }
      return (errors == wanted, "\(errors) of \(transfers) transfers failed")
    case .compared(let channel, let range, let symbol, let time):
      let values =
        time.map { time in
          comparedMeans[channel]?.last { $0.start <= time }.map { [$0.value] } ?? []
        } ?? compared[channel] ?? []
      guard let low = values.min(), let high = values.max() else {
        return (false, "no results")
      }
      let unit = channel.units.first { "\($0.symbol)" == symbol }
      func text(_ value: Double) -> String { Decimal.fixed(unit?.number(value) ?? value, 2) }
      let seen =
        time == nil
        ? "\(text(low)) to \(text(high)) \(symbol), \(values.count) results"
        : "\(text(low)) \(symbol)"
      return (range.contains(low) && range.contains(high), seen)
    case .leak(let time): return judge(leaks.first, by: time)
    case .haven(let time): return judge(havens.first, by: time)
    case .level(let level, let time): return judge(first(level), by: time)
    case .leakFound(let name):
      let named = Set(found)
      return (named == [name], named.isEmpty ? "none was found" : found.joined(separator: ", "))
    case .replayed(let number):
      return judge(replays[number])
    case .serial:
      return matches[index].map { (true, "'\($0.text)' at \(Decimal.elapsed($0.time))") }
        ?? (false, "none of \(lines) lines matches")
    case .pin: return pins[index]?.verdict ?? (false, "not measured")
    case .firmwareRuns:
      return (end?.status == 0, "exit status \(end?.status ?? 1)")
    case .energy, .battery, .memory: return account.judge(condition) ?? (false, "not measured")
    case .readings(let wanted):
      return (readings == wanted, "\(readings) readings")
    }
  }

  private func judge(_ wanted: Expectation.Agreement, _ found: Deviation) -> (Bool, String) {
    let kind = wanted.selection.concernsMeans ? "averages" : "readings"
    guard found.count > 0 else { return (false, "no \(kind)") }
    let location = found.hasSeveral ? found.sensorID.map { " of \($0.words)" } ?? "" : ""
    let largest = Decimal.fixed(found.largest / wanted.unitSize, 3)
    return (
      found.largest <= wanted.tolerance,
      "largest deviation \(largest) \(wanted.unit)\(location) at \(Decimal.elapsed(found.time)), "
        + "\(found.count) \(kind)"
    )
  }

  /// Returns the first pressure alarm of a level, or of any level if `level` is `nil`.
  private func first(_ level: CabinLevel?) -> Alarm? {
    levels.first { level == nil || $0.level == level }?.alarm
  }

  /// Evaluates an alarm that must occur by a time, or that must never occur if `time` is `nil`.
  private func judge(_ first: Alarm?, by time: UInt64?) -> (Bool, String) {
    let location = watching.count > 1 ? first.map { " by \($0.sensorID.words)" } ?? "" : ""
    let detail = first.map { "at \(Decimal.elapsed($0.time))\(location)" } ?? "never"
    guard let time else { return (first == nil && readings > 0, detail) }
    return (first.map { $0.time <= time } ?? false, detail)
  }

  /// Evaluates a replay: a difference from the trace is a failure, whereas skipped transfers only
  /// appear in the description.
  private func judge(_ replay: RunEvent.ReplayReport?) -> (Bool, String) {
    let lines = replay?.lines ?? []
    return (
      replay?.isSame ?? true, lines.isEmpty ? "as recorded" : lines.joined(separator: "; ")
    )
  }

  private func names(_ trends: [PressureTrend]) -> String {
    trends.map { "\($0.name)" }.joined(separator: ", ")
  }
}

/// The minimum and the maximum of some values, with their sensors and times.
struct Extremes {
  /// A minimum or maximum.
  struct Extreme {
    let value: Double
    let sensorID: Rig.SensorID
    let time: UInt64
  }

  private(set) var lowest: Extreme?, highest: Extreme?
  private var count = 0
  private var sensorIDs: Set<Rig.SensorID> = []

  /// Adds a value.
  mutating func take(_ value: Double, of sensorID: Rig.SensorID, at time: UInt64) {
    count += 1
    sensorIDs.insert(sensorID)
    let extreme = Extreme(value: value, sensorID: sensorID, time: time)
    // NaN is below and above every limit.
    if lowest.map({ !(value >= $0.value) }) ?? true { lowest = extreme }
    if highest.map({ !(value <= $0.value) }) ?? true { highest = extreme }
  }

  /// Returns the value farthest outside the limits; `nil` if all values are within the limits.
  func worst(_ limits: Expectation.Limits) -> Extreme? {
    let low = limits.lowest.flatMap { limit in lowest.flatMap { $0.value >= limit ? nil : $0 } }
    let high = limits.highest.flatMap { limit in highest.flatMap { $0.value <= limit ? nil : $0 } }
    guard let low, let high, let floor = limits.lowest, let ceiling = limits.highest else {
      return low ?? high
    }
    return floor - low.value >= high.value - ceiling ? low : high
  }

  /// Returns whether all values are within limits, and a description of their range.
  func verdict(on limits: Expectation.Limits) -> (Bool, String) {
    let kind = limits.selection.concernsMeans ? "averages" : "readings"
    guard let lowest, let highest else { return (false, "no \(kind)") }
    let unit = limits.channel.units.first { "\($0.symbol)" == limits.unit }
    func text(_ value: Double) -> String { Decimal.fixed(unit?.number(value) ?? value, 2) }
    let seen =
      "\(text(lowest.value)) to \(text(highest.value)) \(limits.unit), \(count) \(kind)"
    guard let worst = worst(limits) else { return (true, seen) }
    let location = sensorIDs.count > 1 ? " of \(worst.sensorID.words)" : ""
    return (
      false,
      "\(text(worst.value)) \(limits.unit)\(location) at \(Decimal.elapsed(worst.time)); \(seen)"
    )
  }
}
