import Quantities

/// The forecast of the thesis: the slope between the oldest and the youngest stored pressure.
///
/// It needs two points at least half an hour apart. It refuses to speak from data that is too
/// little or too old, or across a gap in the history, and says which.
public struct ThesisForecaster: Hashable, Sendable {
  /// Why there is no forecast; lengths of time in nanoseconds.
  public enum ForecastError: Error, Hashable, Sendable {
    /// Nothing is stored.
    case noData
    /// The points span less time than is needed.
    case tooShort(span: Int64, needed: Int64)
    /// The youngest point is older than allowed.
    case tooOld(age: Int64, allowed: Int64)
    /// After a gap in the history the points span less time than is needed.
    case gap(length: Int64, span: Int64, needed: Int64)
    /// The sensor is not specified for the pressure that it gave.
    case outsideSpecification
  }

  /// A forecast and the rate in hPa/h behind it.
  public struct Forecast: Hashable, Sendable {
    /// The class of the rate.
    public let trend: PressureTrend
    /// The rate of change in hPa/h.
    public let rate: Double
  }

  /// The time that the points must span, half an hour; exactly as much is enough.
  public var minimumSpan: Int64
  /// The age that the youngest point may have.
  public var maximumAge: Int64
  /// The time that may lie between two neighbouring points.
  public var maximumGap: Int64

  /// Creates a forecaster; the thesis's half hour unless said.
  public init(
    minimumSpan: Int64 = 30 * TimeSpan.minute,
    maximumAge: Int64 = 30 * TimeSpan.minute,
    maximumGap: Int64 = TimeSpan.hour
  ) {
    self.minimumSpan = minimumSpan
    self.maximumAge = maximumAge
    self.maximumGap = maximumGap
  }

  /// Forecasts from a history as it is at `now` (ns since 1970).
  ///
  /// - Throws: ``ForecastError`` when the history does not carry a forecast.
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
