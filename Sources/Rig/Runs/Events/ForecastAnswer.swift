import Barometry
import Quantities
package import Rigs
package import Support

/// The requests for forecasts that a running station receives.
package protocol ForecastRequests: AnyObject {
  /// Receives new requests.
  ///
  /// - Returns: `true` if a request has arrived since the last call.
  func arrive() -> Bool
  /// Announces the time in seconds until the requests that have arrived are answered.
  func announce(seconds: Double)
  /// Answers all requests so far with the forecasts of the cycle that has ended.
  func answer(_ answer: ForecastAnswer)
}

/// The forecasts at the end of a cycle, as an answer to `aneroid ask`.
package struct ForecastAnswer: Hashable, Sendable {
  /// The forecast of one forecaster, or the reason why there is none.
  package struct Forecast: Hashable, Sendable {
    /// The name of the forecaster in rigs.
    package let method: String
    /// The class, the letter or the code of the forecast; `nil` if there is none.
    package let word: String?
    /// The forecast in words, or the reason why there is none.
    package let text: String
    /// The change of the pressure in hPa/h; `nil` without a forecast.
    package let rate: Double?

    package init(method: String, word: String?, text: String, rate: Double?) {
      (self.method, self.word, self.text, self.rate) = (method, word, text, rate)
    }
  }

  /// The name of the rig or the sensor.
  package let station: String
  /// The time at which the cycle ended, in nanoseconds since 1970.
  package let moment: Int64
  /// The mean pressure of the cycle in Pa, without reduction to sea level; `nil` if too few samples
  /// were valid.
  package let pressure: Double?
  /// The forecasts, in the order of the rig.
  package let forecasts: [Forecast]

  package init(station: String, moment: Int64, pressure: Double?, _ forecasts: [Forecast]) {
    (self.station, self.moment, self.pressure) = (station, moment, pressure)
    self.forecasts = forecasts
  }

  /// Creates the answer of a run from the events at the end of a cycle.
  ///
  /// - Parameters:
  ///   - events: the events.
  ///   - station: the name of the rig.
  ///   - methods: the forecasters of the pipeline.
  ///   - moment: the time of the end, in nanoseconds since 1970.
  package init(
    _ events: some Collection<RunEvent>, of station: String, _ methods: [Pipeline.Forecaster],
    at moment: Int64
  ) {
    var pressure: Double?
    var forecasts: [Forecast] = []
    for event in events {
      switch event {
      case .average(let average): pressure = pressure ?? average.means.pressure?.measured
      case .forecast(let result): forecasts.append(Forecast(result))
      case .otherForecast(let other):
        forecasts.append(
          Forecast(
            method: other.method.rawValue, word: other.word,
            text: other.marked(other.text.isEmpty ? other.word : other.text), rate: other.rate))
      default: break
      }
    }
    for method in methods where !forecasts.contains(where: { $0.method == method.rawValue }) {
      forecasts.append(
        Forecast(
          method: method.rawValue, word: nil, text: "the history is too short for a forecast",
          rate: nil))
    }
    self.init(station: station, moment: moment, pressure: pressure, forecasts)
  }
}

extension ForecastAnswer.Forecast {
  fileprivate init(_ event: RunEvent.ForecastResult) {
    let method = Pipeline.Forecaster.thesis.rawValue
    switch event.result {
    case .success(let forecast):
      self.init(
        method: method, word: "\(forecast.trend.name)",
        text: event.marked("\(forecast.trend.course)"), rate: forecast.rate)
    case .failure(let error):
      self.init(method: method, word: nil, text: error.sentence, rate: nil)
    }
  }
}

/// The answer as JSON, and as text.
extension ForecastAnswer {
  /// The answer as a JSON object.
  package var json: JSONValue {
    .object([
      ("station", .string(station)), ("time", .string(UTCTime.stamp(moment))),
      ("pressure_pa", pressure.map { .decimal($0) } ?? .null),
      (
        "forecasts",
        .array(
          forecasts.map { forecast in
            .object([
              ("method", .string(forecast.method)),
              ("forecast", forecast.word.map { .string($0) } ?? .null),
              ("text", .string(forecast.text)),
              ("rate_hpa_per_h", forecast.rate.map { .decimal($0) } ?? .null),
            ])
          })
      ),
    ])
  }

  /// Parses an answer; returns `nil` for another JSON value.
  package init?(_ json: JSONValue) {
    guard let station = json["station"]?.text, let time = json["time"]?.text,
      let moment = UTCTime.parse(time), let forecasts = json["forecasts"]?.array
    else { return nil }
    self.init(
      station: station, moment: moment, pressure: json["pressure_pa"]?.double,
      forecasts.map { forecast in
        Forecast(
          method: forecast["method"]?.text ?? "", word: forecast["forecast"]?.text,
          text: forecast["text"]?.text ?? "", rate: forecast["rate_hpa_per_h"]?.double)
      })
  }

  /// `true` if at least one forecaster made a forecast.
  package var hasForecast: Bool { forecasts.contains { $0.word != nil } }

  /// The lines for a terminal.
  package var lines: [String] {
    let pressure = pressure.map { "  \(Decimal.fixed($0 / 100, 2)) hPa at the sensor" } ?? ""
    return ["\(station)  \(UTCTime.stamp(moment))\(pressure)"]
      + forecasts.map { forecast in
        guard let word = forecast.word else {
          return "  \(forecast.method): no forecast: \(forecast.text)"
        }
        let text = forecast.text == word ? "" : "  \(forecast.text)"
        let rate = forecast.rate.map { ", \(Decimal.signed($0, 2)) hPa/h" } ?? ""
        return "  \(forecast.method): \(word)\(text)\(rate)"
      }
  }
}
