package import Barometry
package import Environment
package import Rigs
import Text

/// The forecasters of a station and what they need to know of it: one rule for runs and for live screens.
package struct Forecasters: Sendable {
  /// Which ones there are, side by side.
  package let methods: [Pipeline.Forecaster]
  /// From the start of a cycle to the start of the next, in nanoseconds; the youngest pressure may be as old.
  package let cycle: UInt64
  /// The longest gap between pressures that a forecast may span, in nanoseconds.
  package let maximumGap: Int64
  /// The altitude of the sensor in m over the time of the station; `nil` if pressure is not reduced to sea level.
  package let altitude: Profile?
  private let zambretti: Zambretti
  private let wind: Double?

  /// Creates the forecasters of a pipeline.
  package init(_ pipeline: Pipeline) {
    methods = pipeline.forecasters
    cycle = pipeline.cycle
    maximumGap = pipeline.maximumGap
    altitude = pipeline.altitude
    zambretti = pipeline.zambretti
    wind = pipeline.wind
  }

  /// Creates Zambretti's forecaster for a sensor without a rig.
  ///
  /// - Parameters:
  ///   - cycle: from average to average, in nanoseconds.
  ///   - altitude: of the sensor in m, over its time; `nil` if it is unknown.
  package init(zambrettiEvery cycle: UInt64, altitude: Profile?) {
    methods = [.zambretti]
    self.cycle = cycle
    maximumGap = TimeSpan.hour
    self.altitude = altitude
    zambretti = Zambretti()
    wind = nil
  }

  /// The pressures at sea level in Pa that the scale of Zambretti's instrument covers.
  package static let zambrettiScale = 95_000.0...105_000

  /// A pressure as the forecasters take it: reduced to sea level if the altitude is known.
  ///
  /// - Parameters:
  ///   - pascals: the pressure at the sensor, in Pa.
  ///   - time: when it was measured, in nanoseconds since the start.
  ///   - celsius: the temperature there, in °C.
  /// - Returns: Pa.
  package func reduced(_ pascals: Double, at time: Int64, _ celsius: Double?) -> Double {
    guard let altitude, let celsius else { return pascals }
    return StandardAtmosphere.seaLevelPressure(
      of: pascals, atAltitude: altitude.value(at: time), celsius: celsius)
  }

  /// The forecaster of the thesis.
  package var thesis: ThesisForecaster {
    ThesisForecaster(maximumAge: Int64(clamping: cycle), maximumGap: maximumGap)
  }

  /// A forecast of another forecaster than the thesis's.
  package struct Forecast: Hashable, Sendable {
    /// The class, the letter or the code.
    package let word: String
    /// What that means; empty if the word says it.
    package let text: String
    /// The change of pressure behind it, in hPa/h.
    package let rate: Double
  }

  /// Forecasts by another forecaster than the thesis's.
  ///
  /// - Parameters:
  ///   - method: which one.
  ///   - history: the averages.
  ///   - note: AN3914's forecaster, which takes a pressure a minute by itself.
  ///   - month: the month, 1 to 12.
  /// - Returns: the forecast; `nil` for the thesis, and as long as too little is known.
  package func forecast(
    _ method: Pipeline.Forecaster, from history: PressureHistory, note: AN3914Forecaster, month: Int
  ) -> Forecast? {
    switch method {
    case .thesis: return nil
    case .note:
      return note.forecast.map { Forecast(word: "\($0.trend.name)", text: "", rate: $0.rate) }
    case .tendency:
      guard let tendency = tendency(of: history) else { return nil }
      return Forecast(
        word: "\(tendency.code)", text: "\(tendency.meaning)", rate: tendency.change / 300)
    case .zambretti:
      guard let tendency = tendency(of: history), let last = history.points.last else { return nil }
      let rate = tendency.change / 300
      let forecast = zambretti.forecast(
        seaLevel: last.pascals, rate: rate, wind: wind, month: month)
      return Forecast(word: "\(forecast.letter)", text: "\(forecast.text)", rate: rate)
    }
  }

  private func tendency(of history: PressureHistory) -> PressureTendency? {
    PressureTendency(history, withoutGapsOver: maximumGap)
  }
}

/// The forecaster of AN3914 over the averages of a station, one a minute.
package struct MinuteForecaster: Sendable {
  /// The forecaster.
  package private(set) var note = AN3914Forecaster()
  private var last: Int64?
  /// How many minutes it has taken without a gap.
  private var count = 0

  /// Takes the pressure of a minute; after a minute that is missing the forecaster restarts.
  package mutating func take(_ point: PressurePoint) {
    if let last, point.time - last > TimeSpan.minute * 3 / 2 {
      note.restart()
      count = 0
    }
    last = point.time
    count += 1
    note.take(point.pascals)
  }

  /// How many more minutes of pressure its next forecast needs: it forecasts at minute 35, and then each half hour.
  package var minutesToForecast: Int { count < 35 ? 35 - count : 30 - (count - 35) % 30 }

  /// Creates a forecaster that has taken nothing.
  package init() {}
}
