package import Barometry

/// What a crew has been told of its cabin, and when it must be told again.
///
/// At each change of the status, as soon as a reserve time is known, and whenever what was said no longer serves: it leaves
/// more than 5 % too much or 25 % too little, or half of it has passed; in the last minute only where it was too much.
package struct CabinLog {
  private var status: LeakAssessment.Status?
  /// The last bound in seconds that was told, and when.
  private var told: (bound: Double, time: Double)?
  /// Where the pressure lay, and whether it leaked, when that was told.
  private var level = CabinLevel.usual, isLeaking = false
  /// Whether it lay below what anybody bears.
  private var isUnbearable = false

  /// Whether an assessment at a time in seconds must be told; what must be is taken as told.
  package mutating func mustTell(_ assessment: LeakAssessment, at time: Double) -> Bool {
    let bound = assessment.reserve?.bound
    let isWorse = isNowUnbearable(assessment)
    guard assessment.status != status || isWorse || isOutdated(bound, at: time) else {
      return false
    }
    status = assessment.status
    told = bound.map { ($0, time) }
    return true
  }

  /// Whether the pressure has fallen below what anybody bears since this was asked last; noise at that limit is no row of them.
  private mutating func isNowUnbearable(_ assessment: LeakAssessment) -> Bool {
    if assessment.pressure < LeakAnalysis.lowerLimit {
      defer { isUnbearable = true }
      return !isUnbearable
    }
    if assessment.level != .low { isUnbearable = false }
    return false
  }

  /// Whether the pressure has left where people can be, or gone from one side to the other, since this was asked last.
  package mutating func isAlarm(_ assessment: LeakAssessment) -> Bool {
    defer { level = assessment.level }
    return assessment.level != .usual && assessment.level != level
  }

  /// Whether a leak has been declared since this was asked last; a sensor that is silent ends none.
  package mutating func isNewLeak(_ assessment: LeakAssessment) -> Bool {
    switch assessment.status {
    case .leak:
      defer { isLeaking = true }
      return !isLeaking
    case .stale, .fault: return false
    default:
      isLeaking = false
      return false
    }
  }

  private func isOutdated(_ bound: Double?, at time: Double) -> Bool {
    guard let bound else { return false }
    guard let told else { return true }
    let left = told.bound - (time - told.time)
    // What is over stays over.
    guard told.bound > 0 else { return bound > 60 }
    if left > max(1.05 * bound, bound + 1) { return true }
    // Of the last minute nothing is told again but what was too much: each second would have its line.
    return told.bound > 60 && (left < min(0.8 * bound, bound - 20) || 2 * left < told.bound)
  }
}
