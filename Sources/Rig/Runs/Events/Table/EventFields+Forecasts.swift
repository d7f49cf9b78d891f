import Barometry
import Rigs
import Text

extension RunEvent.ForecastResult: PlacedEvent {
  private static let method = EventField<Self>("method", "the forecaster") { _ in
    .string(Pipeline.Forecaster.thesis.rawValue)
  }

  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("forecast", "the class of the weather") {
        (try? $0.result.get()).map { .string("\($0.trend.name)") }
      },
      decimal("rate_hpa_per_h", "the change of pressure in hPa/h") {
        (try? $0.result.get())?.rate
      },
      method, standIns { $0.standIns }, pressures { ($0.standIns, $0.pressures) },
    ]

  /// The fields of one that was refused.
  package static let refusalFields: [EventField<Self>] =
    headFields + [
      EventField("reason", "why there is no forecast") {
        guard case .failure(let refusal) = $0.result else { return nil }
        return .string(refusal.sentence)
      },
      method, standIns { $0.standIns }, pressures { ($0.standIns, $0.pressures) },
    ]
}

extension PlacedEvent {
  /// How many pressures behind a forecast are not the sensor's.
  fileprivate static func standIns(
    _ count: @escaping @Sendable (Self) -> Int
  ) -> EventField<Self> {
    EventField(
      "stand_ins",
      "how many of the pressures behind it stand in for a sensor that was lost; left out where none does"
    ) { count($0) > 0 ? .integer(count($0)) : nil }
  }

  /// How many pressures behind a forecast there are in all.
  fileprivate static func pressures(
    _ counts: @escaping @Sendable (Self) -> (standIns: Int, all: Int)
  ) -> EventField<Self> {
    EventField(
      "stand_ins_of", "of how many pressures behind it; left out where none stands in"
    ) { counts($0).standIns > 0 ? .integer(counts($0).all) : nil }
  }
}

extension RunEvent.ForecastResult {
  /// Its words, marked where not all pressures behind it are the sensor's.
  package func marked(_ words: String) -> String { words.marked(standIns, of: pressures) }
}

extension RunEvent.OtherForecast: PlacedEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("forecast", "the class, the letter or the code") { .string($0.word) },
      EventField("text", "what that means, if it needs words; the thesis's forecaster has none") {
        .string($0.text)
      },
      EventField("rate_hpa_per_h", "the change of pressure behind it, in hPa/h") {
        .decimal($0.rate)
      },
      EventField("method", "the forecaster") { .string($0.method.rawValue) },
      standIns { $0.standIns }, pressures { ($0.standIns, $0.pressures) },
    ]

  /// Its words, marked where not all pressures behind it are the sensor's.
  package func marked(_ words: String) -> String { words.marked(standIns, of: pressures) }
}

extension String {
  fileprivate func marked(_ standIns: Int, of pressures: Int) -> String {
    guard standIns > 0 else { return self }
    return "\(self), \(standIns < pressures ? "in part " : "")from the backup"
  }
}

extension ThesisForecaster.ForecastError {
  /// Why there is no forecast, in words.
  package var sentence: String {
    func minutes(_ nanoseconds: Int64) -> String {
      Decimal.shortest((Double(nanoseconds) / 6e9).rounded() / 10) + " min"
    }
    return switch self {
    case .noData: "no pressure is stored yet"
    case .tooShort(let span, let needed):
      "the history spans \(minutes(span)), \(minutes(needed)) are needed"
    case .tooOld(let age, let allowed):
      // An age that is too great is not rounded to the limit.
      "the youngest pressure is "
        + (minutes(age) == minutes(allowed)
          ? "\(Decimal.fixed(Double(age) / 1e9, 3)) s" : minutes(age))
        + " old, \(minutes(allowed)) are allowed"
    case .gap(let length, let span, let needed):
      "after a gap of \(minutes(length)) the history spans \(minutes(span)), "
        + "\(minutes(needed)) are needed"
    case .outsideSpecification: "the sensor is not specified for this pressure"
    }
  }
}
