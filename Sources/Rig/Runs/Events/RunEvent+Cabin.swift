package import Barometry
import Quantities
package import Rigs
import Support

extension RunEvent {
  /// The status of a cabin.
  ///
  /// It is emitted at each change of the status and when the reported reserve time is outdated: it
  /// was more than 5 % too long or 25 % too short, or half of it has passed. In the last minute,
  /// only a time that was too long is corrected.
  package struct CabinReport: Hashable, Sendable {
    /// The time of the assessment.
    package let time: UInt64
    package let sensorID: Rig.SensorID
    /// The assessment of the pressure.
    package let assessment: LeakAssessment
  }

  /// A step of the search for a leak.
  package struct SearchStep: Hashable, Sendable {
    /// An action of the crew or a result of the search.
    package enum Step: Hashable, Sendable {
      /// A hatch was moved, as the sentence describes.
      case moved(String)
      /// The pressure still falls, so these modules do not leak.
      case cleared([String])
      /// The pressure has stopped falling, so the leak is in one of these modules.
      case isolated([String])
      /// The leak is in this module.
      case found(String)
      /// Closing this hatch had no clear effect within the time that the hatch may stay closed.
      case unanswered(String)
      /// This hatch has been closed for longer than allowed.
      case overdue(String)
      /// The pressure falls at this sensor but not at the sensors on the other side of closed hatches,
      /// so the leak is in one of these modules.
      case side([String])
      /// No further hatch can narrow down these modules, so the search is over.
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

    /// The time of the step.
    package let time: UInt64
    package let sensorID: Rig.SensorID
    /// The action or the result.
    package let step: Step
  }
}

extension RunEvent.SearchStep {
  /// The step in words.
  package var sentence: String { step.sentence }
}

extension RunEvent.SearchStep.Step {
  /// The step in words.
  package var sentence: String {
    switch self {
    case .moved(let sentence): sentence
    case .cleared(let names): "the pressure still falls: \(names.joined(separator: ", ")) tight"
    case .isolated(let names):
      "the pressure has stopped falling: the leak is in \(names.joined(separator: " or "))"
    case .found(let name): "the leak is in \(name): the hatches around it are closed for good"
    case .unanswered(let hatch): "closing hatch \(hatch) was inconclusive within half of T1mm"
    case .overdue(let hatch):
      "hatch \(hatch) has been closed for longer than half of T1mm: the pressure may keep it shut"
    case .side(let names):
      "the pressure falls only on this side of closed hatches: the leak is in \(names.joined(separator: " or "))"
    case .ended(let names):
      "the search ends: no further hatch can narrow down the leak among \(names.joined(separator: ", "))"
    }
  }
}

extension RunEvent.CabinReport {
  /// The status in words.
  package var sentence: String {
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    var parts = [
      "\(assessment.status.name)", "\(Decimal.fixed(assessment.pressure / millimetre, 2)) mmHg",
    ]
    if assessment.level == .low {
      let isUnbearable = assessment.pressure < LeakAnalysis.lowerLimit
      let limit =
        isUnbearable ? LeakAnalysis.lowerLimit : max(assessment.limit, LeakAnalysis.lowerLimit)
      let survival = isUnbearable ? ", the limit of survival" : ""
      parts.append("under \(Decimal.fixed(limit / millimetre, 1)) mmHg\(survival), no time left")
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
        "reserve at most \(Self.minutes(most)) to \(limit) mmHg, at least: not yet known")
    } else if assessment.status == .leak {
      parts.append("reserve not yet known: \(assessment.pending)")
    }
    return parts.joined(separator: ", ")
  }

  private static func minutes(_ seconds: Double) -> String {
    "\(Decimal.fixed(seconds / 60, 1)) min"
  }
}

extension LeakAssessment {
  /// The reason why a declared leak has no reserve time yet, and when one is expected.
  package var pending: String {
    let reason = "more samples are needed to measure its rate"
    guard let settled, settled > 0 else { return reason }
    let time =
      settled < 90
      ? "\(Decimal.fixed(settled.rounded(.up), 0)) s" : "\(Decimal.fixed(settled / 60, 0)) min"
    return "\(reason), within about \(time)"
  }
}
