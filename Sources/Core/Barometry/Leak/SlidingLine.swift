import CMath
import Quantities

/// A least-squares line through the newest values of a series, updated in constant time per value.
struct SlidingLine: Sendable {
  /// The slope of a line per second and its standard uncertainty.
  struct Slope: Hashable, Sendable {
    let value: Double
    let uncertainty: Double
    /// The number of values and their time span in seconds.
    let count: Int, span: Double
    /// The sum of squared deviations of the times from their mean.
    let spread: Double
  }

  /// The length of the window in seconds.
  let length: Double

  private var times: [Double] = []
  private var values: [Double] = []
  /// The index of the oldest value in the window.
  private var head = 0
  private var origin = (time: 0.0, value: 0.0)
  private var sums = Sums()

  private struct Sums {
    var t = 0.0, v = 0.0, tt = 0.0, tv = 0.0, vv = 0.0

    mutating func add(_ t: Double, _ v: Double, _ sign: Double) {
      self.t += sign * t
      self.v += sign * v
      tt += sign * t * t
      tv += sign * t * v
      vv += sign * v * v
    }
  }

  init(length: Double) { self.length = length }

  /// Removes all values.
  mutating func removeAll() { self = SlidingLine(length: length) }

  /// Adds a value at a time in seconds, which must be later than all previous times.
  mutating func take(_ value: Double, at time: Double) {
    if values.isEmpty { origin = (time, value) }
    times.append(time)
    values.append(value)
    sums.add(time - origin.time, value - origin.value, 1)
    removeAll(before: time - length)
    if head > 4096 { rebase() }
  }

  /// Removes the values before a time.
  mutating func removeAll(before time: Double) {
    while head < values.count, times[head] < time {
      sums.add(times[head] - origin.time, values[head] - origin.value, -1)
      head += 1
    }
  }

  /// Removes expired values and recomputes the sums, so that rounding errors do not accumulate.
  private mutating func rebase() {
    times.removeFirst(head)
    values.removeFirst(head)
    head = 0
    origin = (times[0], values[0])
    sums = Sums()
    for index in values.indices {
      sums.add(times[index] - origin.time, values[index] - origin.value, 1)
    }
  }

  /// The slope; `nil` for fewer than three values.
  var slope: Slope? {
    let count = values.count - head
    guard count >= 3, let last = times.last else { return nil }
    let n = Double(count)
    let (spread, common) = (sums.tt - sums.t * sums.t / n, sums.tv - sums.t * sums.v / n)
    guard spread > 0 else { return nil }
    let value = common / spread
    let rest = max(sums.vv - sums.v * sums.v / n - value * common, 0)
    return Slope(
      value: value, uncertainty: (rest / (n - 2) / spread).squareRoot(), count: count,
      span: last - times[head], spread: spread)
  }
}

/// The noise in a series of samples, measured independently of the slope of the series.
///
/// The noise is computed from second differences, which are zero for a steady fall and have six
/// times the variance of white noise. While a leak is recent, the noise measured before the leak is
/// used.
struct NoiseLevel: Sendable {
  private var first: (time: Double, value: Double)?, second: (time: Double, value: Double)?
  private var sum = 0.0
  /// The number of differences, up to 256; older differences lose their weight.
  private(set) var count = 0.0

  /// The lowest value that `deviation` returns, even for series with less noise.
  private let floor: Double

  init(floor: Double = 0) { self.floor = floor }

  /// Adds a value at a time in seconds.
  mutating func take(_ value: Double, at time: Double) {
    defer { (first, second) = (second, (time, value)) }
    guard let first, let second else { return }
    let (before, after) = (second.time - first.time, time - second.time)
    guard after < 1.3 * before, before < 1.3 * after else { return }
    let difference = value - 2 * second.value + first.value
    if count >= 256 { sum -= sum / 256 } else { count += 1 }
    sum += difference * difference
  }

  /// Discards the last values but not the measured noise, before a step in the series.
  mutating func interrupt() { (first, second) = (nil, nil) }

  /// The standard deviation; `nil` before eight differences.
  var deviation: Double? { count >= 8 ? max((sum / count / 6).squareRoot(), floor) : nil }

  /// The coverage factor of a bound: four standard uncertainties, and more while the noise is poorly known.
  var coverage: Double { 4 * (1 + 6 / max(count, 1)) }
}

/// A fall between two samples that noise cannot explain and that proves a leak at once.
public struct SuddenFall: Hashable, Sendable {
  /// The fall of the pressure in Pa, and the seconds between the two samples.
  public let fall: Double, time: Double
  /// The maximum number of seconds from the second sample until the limit.
  ///
  /// It assumes that air which absorbs no heat continues to escape through the same hole. It is an
  /// upper bound because the hole may have opened just before the second sample, in which case the
  /// true fall is faster.
  public let most: Double
  /// The time of the second sample in seconds.
  let moment: Double

  /// Returns the maximum number of seconds that remain at a time in seconds.
  func left(at now: Double) -> Double { max(most - max(now - moment, 0), 0) }

  /// The minimum fall in Pa: 3 mmHg, far more than the noise of any sensor and the pressure
  /// difference at which a hatch opens.
  static var least: Double { 3 * PressureUnit.millimetreOfMercury.pascals }
  /// The minimum fall as a number of standard deviations of the difference between two samples.
  static let significance = 12.0
  /// The minimum rate of the fall in Pa/s, the same as for the shortest window of `LeakAnalysis`.
  static let slowest = 2.2

  /// A sample: its pressure without the effect of the sensor's filter, and this pressure corrected
  /// to a constant temperature.
  struct Level: Hashable, Sendable {
    /// The time in seconds.
    let time: Double
    /// The pressure, and the pressure at constant temperature, in Pa.
    let pressure: Double, corrected: Double
  }

  /// Creates the fall between two samples; returns `nil` if it does not prove a leak.
  ///
  /// Both the pressure and the pressure at constant temperature must fall, because neither a sensor
  /// warmed by a hand nor a cooling cabin is a leak.
  ///
  /// - Parameters:
  ///   - before: the first sample.
  ///   - now: the second sample.
  ///   - deviation: the standard deviation of the noise in the logarithms of the pressure; `nil` if
  ///     unknown.
  ///   - expected: the fall of the logarithm per second that is already known from a leak; 0
  ///     without a leak.
  ///   - limit: the pressure in Pa at which the crew must leave.
  init?(
    from before: Level, to now: Level, deviation: Double?, expected: Double, limit: Double
  ) {
    let time = now.time - before.time
    let least = max(
      Self.least, Self.slowest * time,
      Self.significance * 1.4143 * (deviation ?? 0) * before.pressure)
    let fall = min(before.pressure - now.pressure, before.corrected - now.corrected)
    guard time > 0, fall - expected * time * before.pressure > least else { return nil }
    (self.fall, self.time, moment) = (before.pressure - now.pressure, time, now.time)
    // Air that absorbs no heat falls more and more slowly, P = P0 (1 + t / 5 tau)^-7; continue
    // along the slowest such curve.
    func root(_ ratio: Double) -> Double { exp(log(ratio) / 7) }
    let (fallen, left) = (root(before.pressure / now.pressure), root(now.pressure / limit))
    most = now.pressure > limit ? time * fallen * (left - 1) / (fallen - 1) : 0
  }

  /// Returns whether the next sample disproves a fall, because the pressure is back at its earlier
  /// level.
  static func isRefuted(_ before: Level, by now: Level) -> Bool {
    now.corrected > before.corrected - least / 2
  }
}

/// The level of the cabin pressure, regardless of its rate.
public enum CabinLevel: UInt8, Hashable, Sendable {
  /// A pressure that people can live in.
  case usual
  /// A pressure below the crew's limit, or below the survivable pressure.
  case low
  /// A pressure so high that a cabin vents air.
  case high

  /// The overpressure limit in Pa: 785 mmHg, the highest pressure in the charts used in space
  /// flight.
  public static var highest: Double { 785 * PressureUnit.millimetreOfMercury.pascals }
  /// The hysteresis of the alarms in Pa, so that noise at a limit does not cause a series of alarms.
  static var margin: Double { PressureUnit.millimetreOfMercury.pascals }

  /// The name of the alarm in reports; `nil` for the usual level, which raises no alarm.
  public var alarm: StaticString? {
    switch self {
    case .usual: nil
    case .low: "below-limit"
    case .high: "overpressure"
    }
  }

  /// The names of all alarms.
  public static var alarms: [String] { [low, high].compactMap { $0.alarm.map { "\($0)" } } }

  /// Creates the level from the name of its alarm; returns `nil` for an unknown name.
  public init?(alarm name: String) {
    guard let level = [Self.low, .high].first(where: { $0.alarm.map { "\($0)" } == name }) else {
      return nil
    }
    self = level
  }

  /// The headline on screens and in logs; `nil` for the usual level.
  public var words: StaticString? {
    switch self {
    case .usual: nil
    case .low: "BELOW LIMIT"
    case .high: "OVERPRESSURE"
    }
  }

  /// Returns the level after the next pressure, with hysteresis.
  ///
  /// - Parameters:
  ///   - pascals: the next pressure in Pa.
  ///   - least: the pressure in Pa at which the crew must leave.
  /// - Returns: the level.
  func next(_ pascals: Double, least: Double) -> CabinLevel {
    if pascals < (self == .low ? least + Self.margin : least) { return .low }
    return pascals > (self == .high ? Self.highest - Self.margin : Self.highest) ? .high : .usual
  }
}
