package import Barometry
import Quantities
package import Rigs
import Text

extension RunEvent {
  /// How a cabin stands: at each change of its status, and whenever the reserve time that was told no longer serves: it
  /// left more than 5 % too much or 25 % too little, or half of it has passed; in the last minute only where it was too much.
  package struct CabinReport: Hashable, Sendable {
    /// When.
    package let time: UInt64
    /// By which sensor.
    package let place: Rig.SensorID
    /// What a display shows.
    package let assessment: LeakAssessment
  }

  /// A step of the search for a leak.
  package struct SearchStep: Hashable, Sendable {
    /// What was done, or found.
    package enum Step: Hashable, Sendable {
      /// A hatch was moved.
      case moved(String)
      /// The fall goes on: these modules are tight.
      case cleared([String])
      /// The fall has stopped: the leak is in one of these modules.
      case isolated([String])
      /// The leak is in this module.
      case found(String)
      /// This hatch has told nothing in the time for which it may stay closed.
      case unanswered(String)
      /// This hatch has been closed for longer than it may be.
      case overdue(String)
      /// No hatch can tell any more in which of these modules the leak is: the search is over.
      case ended([String])

      package init(_ finding: LeakSearch.Finding) {
        switch finding {
        case .cleared(let names): self = .cleared(names)
        case .isolated(let names): self = .isolated(names)
        case .found(let name): self = .found(name)
        case .unanswered(let hatch): self = .unanswered(hatch)
        case .overdue(let hatch): self = .overdue(hatch)
        }
      }
    }

    /// When.
    package let time: UInt64
    /// By which sensor.
    package let place: Rig.SensorID
    /// What was done, or found.
    package let step: Step
  }
}

extension RunEvent.SearchStep {
  /// The step in words.
  package var sentence: String { step.sentence }
}

extension RunEvent.SearchStep.Step {
  /// It in words.
  package var sentence: String {
    switch self {
    case .moved(let sentence): sentence
    case .cleared(let names): "the fall goes on: \(names.joined(separator: ", ")) tight"
    case .isolated(let names):
      "the fall has stopped: the leak is in \(names.joined(separator: " or "))"
    case .found(let name): "the leak is in \(name): what shuts it away stays closed"
    case .unanswered(let hatch): "hatch \(hatch) has told nothing in half of T1mm"
    case .overdue(let hatch):
      "hatch \(hatch) is closed for longer than half of T1mm: the air may hold it shut"
    case .ended(let names):
      "the search ends: no hatch can tell in which of \(names.joined(separator: ", ")) the leak is"
    }
  }
}

extension RunEvent.CabinReport {
  /// How it stands in words.
  package var sentence: String {
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    var parts = [
      "\(assessment.status.name)", "\(Decimal.fixed(assessment.pressure / millimetre, 2)) mmHg",
    ]
    if assessment.level == .low {
      let isUnbearable = assessment.pressure < LeakAnalysis.lowerLimit
      let limit =
        isUnbearable ? LeakAnalysis.lowerLimit : max(assessment.limit, LeakAnalysis.lowerLimit)
      parts.append(
        "under \(Decimal.fixed(limit / millimetre, 1)) mmHg\(isUnbearable ? ", which nobody bears" : ""), no time left"
      )
    }
    if assessment.level == .high {
      parts.append("over \(Decimal.fixed(CabinLevel.highest / millimetre, 1)) mmHg")
    }
    if assessment.isOutside, assessment.status != .outside {
      parts.append("outside the sensor's specification")
    }
    if let rate = assessment.rate {
      let perMinute = 60 / millimetre
      let rate = Decimal.measured(rate.value * perMinute, rate.uncertainty * perMinute, 3)
      parts.append("\(rate.value) +- \(rate.uncertainty) mmHg/min")
    }
    if let seconds = assessment.secondsPerMillimetre {
      parts.append("1 mmHg in \(Decimal.fixed(seconds, 1)) s")
    }
    if assessment.level == .low { return parts.joined(separator: ", ") }
    if let reserve = assessment.reserve {
      let limit = Decimal.fixed(assessment.limit / millimetre, 1)
      parts.append(
        "reserve at least \(Self.minutes(reserve.bound)) to \(limit) mmHg (probably \(Self.minutes(reserve.expected)))"
      )
    } else if let most = assessment.most {
      let limit = Decimal.fixed(assessment.limit / millimetre, 1)
      parts.append(
        "reserve at most \(Self.minutes(most)) to \(limit) mmHg, at least: not known yet")
    } else if assessment.status == .leak {
      parts.append("reserve not known yet: \(assessment.pending)")
    }
    return parts.joined(separator: ", ")
  }

  private static func minutes(_ seconds: Double) -> String {
    "\(Decimal.fixed(seconds / 60, 1)) min"
  }
}

extension LeakAssessment {
  /// Why a leak that has been declared has no reserve time yet, and when it is expected to have one.
  package var pending: String {
    let reason = "the samples since its beginning must show its rate"
    guard let settled, settled > 0 else { return reason }
    let time =
      settled < 90
      ? "\(Decimal.fixed(settled.rounded(.up), 0)) s" : "\(Decimal.fixed(settled / 60, 0)) min"
    return "\(reason), within about \(time)"
  }
}
