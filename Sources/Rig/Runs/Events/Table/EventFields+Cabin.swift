import Barometry
import Text

extension RunEvent.CabinReport: PlacedEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("status", "how the cabin stands") { .string("\($0.assessment.status.name)") },
      EventField(
        "alarm", "below-limit or overpressure, whatever the status is; left out where it is neither"
      ) { $0.assessment.level.alarm.map { .string("\($0)") } },
      EventField("pressure_pa", "the pressure in Pa") { .decimal($0.assessment.pressure) },
      EventField(
        "outside_specification",
        "whether the sensor is not made for that pressure; left out while it is"
      ) { $0.assessment.isOutside ? .bool(true) : nil },
      EventField("initial_pa", "the pressure before it fell, in Pa") {
        .decimal($0.assessment.initial)
      },
      decimal("rate_pa_per_s", "the change of pressure at constant temperature, in Pa/s") {
        $0.assessment.rate?.value
      },
      decimal("uncertainty_pa_per_s", "how uncertain the rate is, in Pa/s") {
        $0.assessment.rate?.uncertainty
      },
      decimal("window_s", "the seconds over which the rate was measured") {
        $0.assessment.rate?.window
      },
      EventField("samples", "how many samples the rate rests on") {
        $0.assessment.rate.map { .integer($0.count) }
      },
      decimal("t1mm_s", "the seconds in which the pressure falls by 1 mmHg") {
        $0.assessment.secondsPerMillimetre
      },
      reserve("limit_pa", "the pressure at which the cabin is left, in Pa") { report, _, _ in
        report.assessment.limit
      },
      reserve("reserve_s", "the probable seconds until that pressure") { _, upper, _ in
        upper.expected
      },
      reserve("reserve_conservative_s", "the seconds that are left at least") { _, upper, _ in
        upper.bound
      },
      decimal(
        "reserve_at_most_s",
        "the seconds that are left at most, by a sudden fall alone; left out once more is known"
      ) { $0.assessment.most },
      reserve("lower_limit_pa", "the pressure at which nobody may be there, in Pa") { _, _, _ in
        LeakAnalysis.lowerLimit
      },
      reserve("lower_reserve_s", "the probable seconds until that pressure") { _, _, lower in
        lower.expected
      },
      reserve("lower_reserve_conservative_s", "the seconds until then that are left at least") {
        _, _, lower in lower.bound
      },
    ]

  /// A field of a report that knows its reserve times.
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

extension RunEvent.SearchStep: PlacedEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("step", "moved, cleared, isolated, found, unanswered, overdue or ended") {
        .string($0.step.told.name)
      },
      EventField("modules", "the modules that it is about") {
        .array($0.step.told.modules.map { .string($0) })
      },
      EventField("text", "the step in words") { .string($0.sentence) },
    ]
}

extension RunEvent.SearchStep.Step {
  /// Its name and the modules that it is about.
  fileprivate var told: (name: String, modules: [String]) {
    switch self {
    case .moved: ("moved", [])
    case .cleared(let names): ("cleared", names)
    case .isolated(let names): ("isolated", names)
    case .found(let name): ("found", [name])
    case .unanswered: ("unanswered", [])
    case .overdue: ("overdue", [])
    case .ended(let names): ("ended", names)
    }
  }
}
