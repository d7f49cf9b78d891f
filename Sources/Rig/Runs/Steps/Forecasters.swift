package import Barometry
package import Environment
package import Rigs
import Support

/// The forecasters of a station with their parameters, which runs and `aneroid watch` share.
package struct Forecasters: Sendable {
  package let methods: [Pipeline.Forecaster]
  /// The interval between the starts of cycles, in nanoseconds; also the maximum age of the latest
  /// pressure that a forecast uses.
  package let cycle: UInt64
  /// The longest gap between pressures that a forecast may span, in nanoseconds.
  package let maximumGap: Int64
  /// The altitude of the sensor in m as a function of the station's time; `nil` if pressure is not
  /// reduced to sea level.
  package let altitude: Profile?
  private let temperature: ReductionTemperature
  private let minimumSpan: Int64
  private let zambretti: Zambretti
  private let wind: Double?

  /// Creates the forecasters of a pipeline.
  package init(_ pipeline: Pipeline) {
    methods = pipeline.forecasters
    cycle = pipeline.cycle
    maximumGap = pipeline.maximumGap
    minimumSpan = pipeline.minimumSpan
    altitude = pipeline.altitude
    temperature = pipeline.reductionTemperature
    zambretti = pipeline.zambretti
    wind = pipeline.wind
  }

  /// Creates the Zambretti forecaster for a sensor that belongs to no rig.
  ///
  /// - Parameters:
  ///   - cycle: the interval between averages, in nanoseconds.
  ///   - altitude: the altitude of the sensor in m as a function of time; `nil` if unknown.
  package init(zambrettiEvery cycle: UInt64, altitude: Profile?) {
    methods = [.zambretti]
    self.cycle = cycle
    maximumGap = TimeSpan.hour
    minimumSpan = ThesisForecaster().minimumSpan
    self.altitude = altitude
    temperature = .measured
    zambretti = Zambretti()
    wind = nil
  }

  /// The range of sea-level pressures, in Pa, on the scale of the Zambretti instrument.
  package static let zambrettiScale = 95_000.0...105_000

  /// Reduces a pressure to sea level if the altitude is known.
  ///
  /// - Parameters:
  ///   - pascals: the pressure at the sensor, in Pa.
  ///   - time: the time of the measurement, in nanoseconds since the start.
  ///   - celsius: the temperature at the sensor, in °C; `nil` if unknown.
  /// - Returns: the reduced pressure in Pa; `pascals` if the altitude or a temperature that is needed is unknown.
  package func reduced(_ pascals: Double, at time: Int64, _ celsius: Double?) -> Double {
    guard let metres = altitude?.value(at: time) else { return pascals }
    let chosen =
      switch temperature {
      case .measured: celsius
      case .standard: StandardAtmosphere.celsius(atAltitude: metres)
      case .fixed(let celsius): celsius
      }
    guard let chosen else { return pascals }
    return StandardAtmosphere.seaLevelPressure(
      of: pascals, atAltitude: metres, celsius: chosen)
  }

  package var thesis: ThesisForecaster {
    ThesisForecaster(
      minimumSpan: minimumSpan, maximumAge: Int64(clamping: cycle), maximumGap: maximumGap)
  }

  /// A forecast by a forecaster other than the thesis forecaster.
  package struct Forecast: Hashable, Sendable {
    /// The class, the letter or the code of the forecast, depending on the forecaster.
    package let word: String
    /// The meaning of `word`; empty if it is self-explanatory.
    package let text: String
    /// The rate of pressure change that the forecast is based on, in hPa/h.
    package let rate: Double
  }

  /// Makes a forecast with a forecaster other than the thesis forecaster.
  ///
  /// - Parameters:
  ///   - method: the forecaster.
  ///   - history: the averages.
  ///   - note: the AN3914 forecaster, which keeps its own history of one pressure per minute.
  ///   - month: the month, 1 to 12.
  /// - Returns: the forecast; `nil` for the thesis forecaster, and while there are too few
  ///   pressures.
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

/// The AN3914 forecaster, which takes one average of a station per minute.
package struct MinuteForecaster: Sendable {
  package private(set) var note = AN3914Forecaster()
  private var last: Int64?
  /// The number of consecutive minutes with a pressure.
  private var count = 0

  /// Adds the pressure of a minute; a missing minute restarts the forecaster.
  package mutating func take(_ point: PressurePoint) {
    if let last, point.time - last > TimeSpan.minute * 3 / 2 {
      note.restart()
      count = 0
    }
    last = point.time
    count += 1
    note.take(point.pascals)
  }

  /// The number of minutes until the next forecast; the first is made at minute 35, and then one
  /// every half hour.
  package var minutesToForecast: Int { count < 35 ? 35 - count : 30 - (count - 35) % 30 }

  /// Creates a forecaster without data.
  package init() {}
}

extension RigRun {
  /// Makes the forecasts of all forecasters other than the thesis forecaster.
  package func otherForecast(of station: SensorStation, at time: UInt64) {
    guard !station.isOutside else { return }
    for forecaster in forecasters.methods {
      guard let forecast = otherForecast(forecaster, station, at: time) else { continue }
      emit(.otherForecast(forecast))
    }
  }

  private func otherForecast(
    _ forecaster: Pipeline.Forecaster, _ station: SensorStation, at time: UInt64
  ) -> RunEvent.OtherForecast? {
    let forecast = forecasters.forecast(
      forecaster, from: station.history, note: station.minutes.note,
      month: UTCTime.month(moment(time)))
    guard let forecast else { return nil }
    return RunEvent.OtherForecast(
      time: time, sensorID: station.sensorID, method: forecaster, word: forecast.word,
      text: forecast.text, rate: forecast.rate,
      // The AN3914 forecaster uses only the sensor's own pressures.
      standIns: forecaster == .note ? 0 : station.standIns(in: station.history.points[...]),
      pressures: station.history.points.count)
  }
}
