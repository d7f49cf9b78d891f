import Barometry
import Rigs
import Support

extension RunEvent.ForecastResult: SensorEvent {
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

  /// The fields of the event for a missing forecast.
  package static let failureFields: [EventField<Self>] =
    headFields + [
      EventField("reason", "the reason why there is no forecast") {
        guard case .failure(let refusal) = $0.result else { return nil }
        return .string(refusal.sentence)
      },
      method, standIns { $0.standIns }, pressures { ($0.standIns, $0.pressures) },
    ]
}

extension SensorEvent {
  /// Creates the field for the number of pressures from the backup source.
  fileprivate static func standIns(
    _ count: @escaping @Sendable (Self) -> Int
  ) -> EventField<Self> {
    EventField(
      "stand_ins",
      "the number of pressures from the backup source that it is based on; omitted if 0"
    ) { count($0) > 0 ? .integer(count($0)) : nil }
  }

  /// Creates the field for the number of pressures that a forecast is based on.
  fileprivate static func pressures(
    _ counts: @escaping @Sendable (Self) -> (standIns: Int, all: Int)
  ) -> EventField<Self> {
    EventField(
      "stand_ins_of",
      "the number of pressures that it is based on; omitted if none is from the backup source"
    ) { counts($0).standIns > 0 ? .integer(counts($0).all) : nil }
  }
}

extension RunEvent.ForecastResult {
  /// Adds a mark to a description of the forecast if the forecast is based on pressures from the
  /// backup source.
  package func marked(_ words: String) -> String { words.marked(standIns, of: pressures) }
}

extension RunEvent.OtherForecast: SensorEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("forecast", "the class, the letter or the code") { .string($0.word) },
      EventField(
        "text", "the meaning, if it is not self-explanatory; the forecaster of the thesis has none"
      ) {
        .string($0.text)
      },
      EventField("rate_hpa_per_h", "the change of pressure that it is based on, in hPa/h") {
        .decimal($0.rate)
      },
      EventField("method", "the forecaster") { .string($0.method.rawValue) },
      standIns { $0.standIns }, pressures { ($0.standIns, $0.pressures) },
    ]

  /// Adds a mark to a description of the forecast if the forecast is based on pressures from the
  /// backup source.
  package func marked(_ words: String) -> String { words.marked(standIns, of: pressures) }
}

extension String {
  fileprivate func marked(_ standIns: Int, of pressures: Int) -> String {
    guard standIns > 0 else { return self }
    return "\(self), \(standIns < pressures ? "in part " : "")from the backup"
  }
}

extension ThesisForecaster.ForecastError {
  /// The reason why there is no forecast, in words.
  package var sentence: String {
    func minutes(_ nanoseconds: Int64) -> String {
      Decimal.shortest((Double(nanoseconds) / 6e9).rounded() / 10) + " min"
    }
    return switch self {
    case .noData: "no pressure is stored yet"
    case .tooShort(let span, let needed):
      "the history spans \(minutes(span)), \(minutes(needed)) are needed"
    case .tooOld(let age, let allowed):
      // An age over the limit is not rounded down to the limit.
      "the latest pressure is "
        + (minutes(age) == minutes(allowed)
          ? "\(Decimal.fixed(Double(age) / 1e9, 3)) s" : minutes(age))
        + " old, at most \(minutes(allowed)) are allowed"
    case .gap(let length, let span, let needed):
      "after a gap of \(minutes(length)) the history spans \(minutes(span)), "
        + "\(minutes(needed)) are needed"
    case .outsideSpecification: "the pressure is outside the specified range of the sensor"
    }
  }
}

extension RunEvent.CabinReport: SensorEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("status", "the status of the cabin") { .string("\($0.assessment.status.name)") },
      EventField(
        "alarm", "below-limit or overpressure, independent of the status; omitted if neither"
      ) { $0.assessment.level.alarm.map { .string("\($0)") } },
      EventField("pressure_pa", "the pressure in Pa") { .decimal($0.assessment.pressure) },
      EventField(
        "outside_specification",
        "whether the pressure is outside the specified range of the sensor; omitted if not"
      ) { $0.assessment.isOutside ? .bool(true) : nil },
      EventField("initial_pa", "the pressure before the fall, in Pa") {
        .decimal($0.assessment.initial)
      },
      decimal("rate_pa_per_s", "the change of pressure at constant temperature, in Pa/s") {
        $0.assessment.rate?.value
      },
      decimal("uncertainty_pa_per_s", "the uncertainty of the rate, in Pa/s") {
        $0.assessment.rate?.uncertainty
      },
      decimal("window_s", "the time over which the rate was measured, in seconds") {
        $0.assessment.rate?.window
      },
      EventField("samples", "the number of samples of the rate") {
        $0.assessment.rate.map { .integer($0.count) }
      },
      decimal("t1mm_s", "the time in which the pressure falls by 1 mmHg, in seconds") {
        $0.assessment.secondsPerMillimetre
      },
      reserve("limit_pa", "the pressure at which the cabin is left, in Pa") { report, _, _ in
        report.assessment.limit
      },
      reserve("reserve_s", "the probable time until that pressure, in seconds") { _, upper, _ in
        upper.expected
      },
      reserve("reserve_conservative_s", "the shortest time until that pressure, in seconds") {
        _, upper, _ in
        upper.bound
      },
      decimal(
        "reserve_at_most_s",
        "the longest time until that pressure in a sudden fall, in seconds; omitted once the reserve time is known"
      ) { $0.assessment.most },
      reserve("lower_limit_pa", "the limit of survival, in Pa") { _, _, _ in
        LeakAnalysis.lowerLimit
      },
      reserve("lower_reserve_s", "the probable time until that pressure, in seconds") {
        _, _, lower in
        lower.expected
      },
      reserve("lower_reserve_conservative_s", "the shortest time until that pressure, in seconds") {
        _, _, lower in lower.bound
      },
    ]

  /// Creates a field that is omitted from reports without reserve times.
  private static func reserve(
    _ name: String, _ meaning: String,
    _ value:
      @escaping @Sendable (Self, LeakAssessment.Reserve, LeakAssessment.Reserve) -> Double
  ) -> EventField<Self> {
    decimal(name, meaning) { report in
      guard let upper = report.assessment.reserve, let lower = report.assessment.lowerReserve
      else { return nil }
      return value(report, upper, lower)
    }
  }
}

extension RunEvent.SearchStep: SensorEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("step", "moved, cleared, isolated, found, unanswered, overdue or ended") {
        .string($0.step.summary.name)
      },
      EventField("modules", "the modules of the step") {
        .array($0.step.summary.modules.map { .string($0) })
      },
      EventField("text", "the step in words") { .string($0.sentence) },
    ]
}

extension RunEvent.SearchStep.Step {
  /// The name of the step and the modules that it concerns.
  fileprivate var summary: (name: String, modules: [String]) {
    switch self {
    case .moved: ("moved", [])
    case .cleared(let names): ("cleared", names)
    case .isolated(let names): ("isolated", names)
    case .found(let name): ("found", [name])
    case .unanswered: ("unanswered", [])
    case .overdue: ("overdue", [])
    case .side(let names): ("side", names)
    case .ended(let names): ("ended", names)
    }
  }
}
