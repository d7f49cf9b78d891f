import Quantities

/// The forecast class for a rate of change of the pressure.
///
/// These are the five classes of Freescale AN3914 table 4. Their names and boundaries are those of
/// the weather-station thesis from which this project grew.
public enum PressureTrend: UInt8, Hashable, Sendable, CaseIterable {
  /// Quickly rising, 2.5 hPa/h or more: a high pressure system that is not stable.
  case notStable
  /// Slowly rising, over 0.5 hPa/h: stable good weather.
  case goodWeather
  /// Steady, -0.5 to 0.5 hPa/h inclusive: stable weather.
  case stable
  /// Slowly falling, under -0.5 hPa/h: stable rainy weather.
  case rainy
  /// Quickly falling, -2.5 hPa/h or less: thunderstorm.
  case thunderStorm

  /// Determines the class of a rate of change in hPa/h, with the boundaries of the thesis.
  public init(rate: Double) {
    if rate >= 2.5 {
      self = .notStable
    } else if rate > 0.5 {
      self = .goodWeather
    } else if rate >= -0.5 {
      self = .stable
    } else if rate > -2.5 {
      self = .rainy
    } else {
      self = .thunderStorm
    }
  }

  /// The name of the class in rigs and reports.
  public var name: StaticString {
    switch self {
    case .notStable: "notStable"
    case .goodWeather: "goodWeather"
    case .stable: "stable"
    case .rainy: "rainy"
    case .thunderStorm: "thunderStorm"
    }
  }

  /// The change of the pressure in the words of weather services, with an arrow.
  public var course: StaticString {
    switch self {
    case .notStable: "↑ quickly rising"
    case .goodWeather: "↗ slowly rising"
    case .stable: "→ steady"
    case .rainy: "↘ slowly falling"
    case .thunderStorm: "↓ quickly falling"
    }
  }
}

/// The AN3914 forecaster of Freescale, which takes one sample a minute and compares five-minute
/// averages.
///
/// The reference is the average of the first five minutes. At minutes 35, 65, 95, 125, 155 and 185
/// the change from the reference is divided by the hours since it was measured. After minute 185
/// the average at minute 125 becomes the new reference, so later forecasts look back 1.5 to 4
/// hours. There is no forecast before minute 35.
public struct AN3914Forecaster: Sendable {
  /// A forecast and its rate in hPa/h.
  public struct Forecast: Hashable, Sendable {
    /// The class of the rate, by the boundaries of the thesis.
    ///
    /// AN3914 itself assigns the boundary values to no class.
    public let trend: PressureTrend
    /// The rate of change in hPa/h.
    public let rate: Double
  }

  /// The current forecast; `nil` before minute 35.
  public private(set) var forecast: Forecast?

  private var minute = 0
  private var isFirstRound = true
  private var recent = InlineArray<5, Double>(repeating: 0)
  private var reference = 0.0
  private var nextReference = 0.0

  /// Creates a forecaster without samples.
  public init() {}

  /// Discards all samples, as is necessary after a gap.
  public mutating func restart() { self = AN3914Forecaster() }

  /// Adds the pressure of the next minute in Pa.
  ///
  /// - Returns: `true` if this sample completed a new forecast.
  @discardableResult
  public mutating func take(_ pascals: Double) -> Bool {
    recent[minute % 5] = pascals
    minute += 1
    if minute == 5, isFirstRound { reference = average }
    guard minute >= 35, (minute - 35).isMultiple(of: 30) else { return false }
    let hours = Double(minute - 5) / 60 + (isFirstRound ? 0 : 1)
    let rate = Quantity.pressure.shown(average - reference) / hours
    forecast = Forecast(trend: PressureTrend(rate: rate), rate: rate)
    if minute == 125 { nextReference = average }
    if minute == 185 {
      reference = nextReference
      isFirstRound = false
      minute = 5
    }
    return true
  }

  private var average: Double {
    var sum = 0.0
    for index in recent.indices { sum += recent[index] }
    return sum / 5
  }
}

/// The forecaster of the weather-station thesis from which this project grew; it uses the slope
/// between the oldest and the newest stored pressure.
///
/// It needs two points at least half an hour apart. If the history is too short or too old, or has
/// a gap, the forecast throws a `ForecastError`.
public struct ThesisForecaster: Hashable, Sendable {
  /// The reason for a missing forecast.
  ///
  /// Durations are in nanoseconds.
  public enum ForecastError: Error, Hashable, Sendable {
    /// The history contains no points.
    case noData
    /// The points span less time than necessary.
    case tooShort(span: Int64, needed: Int64)
    /// The newest point is older than allowed.
    case tooOld(age: Int64, allowed: Int64)
    /// The history has a gap, and the points after it span less time than necessary.
    case gap(length: Int64, span: Int64, needed: Int64)
    /// The pressure is outside the specified range of the sensor.
    case outsideSpecification
  }

  /// A forecast and its rate in hPa/h.
  public struct Forecast: Hashable, Sendable {
    /// The class of the rate.
    public let trend: PressureTrend
    /// The rate of change in hPa/h.
    public let rate: Double
  }

  /// The minimum time between the oldest and the newest point, in nanoseconds; exactly this span is
  /// enough.
  ///
  /// Default: 30 min.
  public var minimumSpan: Int64
  /// The maximum age of the newest point, in nanoseconds.
  ///
  /// Default: 30 min.
  public var maximumAge: Int64
  /// The maximum gap between two neighbouring points, in nanoseconds.
  ///
  /// Default: 1 h.
  public var maximumGap: Int64

  /// Creates a forecaster.
  ///
  /// Default: the thesis's limits.
  public init(
    minimumSpan: Int64 = 30 * TimeSpan.minute,
    maximumAge: Int64 = 30 * TimeSpan.minute,
    maximumGap: Int64 = TimeSpan.hour
  ) {
    self.minimumSpan = minimumSpan
    self.maximumAge = maximumAge
    self.maximumGap = maximumGap
  }

  /// Returns the forecast for a history at `now` (ns since 1970).
  ///
  /// - Throws: `ForecastError` if the history is insufficient.
  public func forecast(from history: PressureHistory, at now: Int64) throws(ForecastError)
    -> Forecast
  {
    let run = history.latestRun(withoutGapsOver: maximumGap)
    guard let first = run.first, let last = run.last else { throw .noData }
    let age = now - last.time
    guard age <= maximumAge else { throw .tooOld(age: age, allowed: maximumAge) }
    let span = last.time - first.time
    guard span > 0, span >= minimumSpan else {
      if run.startIndex > history.points.startIndex {
        let before = history.points[run.startIndex - 1]
        throw .gap(length: first.time - before.time, span: span, needed: minimumSpan)
      }
      throw .tooShort(span: span, needed: minimumSpan)
    }
    let rate = Quantity.pressure.shown(last.pascals - first.pascals) / TimeSpan.hours(span)
    return Forecast(trend: PressureTrend(rate: rate), rate: rate)
  }
}

/// The pressure tendency over three hours, as weather stations report it: the code of WMO table
/// 0200 and the change of the pressure.
public struct PressureTendency: Hashable, Sendable {
  /// The WMO code of the characteristic, which is the shape of the pressure curve: 0 to 8.
  public let code: UInt8
  /// The change over three hours in Pa.
  public let change: Double

  /// The period of three hours in nanoseconds.
  public static var span: Int64 { 3 * TimeSpan.hour }

  /// Computes the tendency, with the table's resolution of 0.1 hPa.
  ///
  /// - Parameters:
  ///   - first: the pressure three hours ago, in Pa.
  ///   - middle: the pressure one and a half hours ago, in Pa.
  ///   - last: the pressure now, in Pa.
  public init(first: Double, middle: Double, last: Double) {
    // Clamp implausible pressures; treat NaN as no change.
    func tenths(_ pascals: Double) -> Int {
      pascals.isNaN ? 0 : Int((min(max(pascals, -1e9), 1e9) / 10).rounded())
    }
    let (a, b, c) = (tenths(first), tenths(middle), tenths(last))
    change = last - first
    code = Self.code(early: b - a, late: c - b, total: c - a)
  }

  /// Computes the tendency at the end of a history; `nil` if the history is shorter than three hours.
  ///
  /// - Parameters:
  ///   - history: the history, whose last point is the current pressure.
  ///   - gap: the longest gap over which to interpolate, in nanoseconds.
  public init?(_ history: PressureHistory, withoutGapsOver gap: Int64) {
    guard let last = history.points.last,
      let first = history.pressure(at: last.time - Self.span, withoutGapsOver: gap),
      let middle = history.pressure(at: last.time - Self.span / 2, withoutGapsOver: gap)
    else { return nil }
    self.init(first: first, middle: middle, last: last.pascals)
  }

  private static func code(early: Int, late: Int, total: Int) -> UInt8 {
    if early == 0, late == 0 { return 4 }
    if early > 0, late < 0 { return total >= 0 ? 0 : 8 }
    if early < 0, late > 0 { return total > 0 ? 3 : 5 }
    if total > 0 {
      // The pressure rises throughout: faster at the end, slower or steady at the end, or evenly.
      if early <= 0 || late > early { return early == 0 || late > 2 * early ? 3 : 2 }
      return late == 0 || early > 2 * late ? 1 : 2
    }
    if early >= 0 || late < early { return early == 0 || late < 2 * early ? 8 : 7 }
    return late == 0 || early < 2 * late ? 6 : 7
  }

  /// The meaning of the code according to the WMO table.
  public var meaning: StaticString {
    switch code {
    case 0: "rising, then falling; the same as or higher than three hours ago"
    case 1: "rising, then steady or rising more slowly"
    case 2: "rising"
    case 3: "falling or steady, then rising, or rising faster"
    case 4: "steady"
    case 5: "falling, then rising; the same as or lower than three hours ago"
    case 6: "falling, then steady or falling more slowly"
    case 7: "falling"
    default: "steady or rising, then falling, or falling faster"
    }
  }
}
