package import Barometry

/// What a crew has been told of its cabin, and when it must be told again.
///
/// At each change of the status, as soon as a reserve time is known, and whenever what was said no longer serves: it leaves
/// more than 5 % too much or 25 % too little, or half of it has passed.
package struct CabinLog {
  private var status: LeakAssessment.Status?
  /// The last bound in seconds that was told, and when.
  private var told: (bound: Double, time: Double)?

  /// Whether an assessment at a time in seconds must be told; what must be is taken as told.
  package mutating func mustTell(_ assessment: LeakAssessment, at time: Double) -> Bool {
    let bound = assessment.reserve?.bound
    guard assessment.status != status || isOutdated(bound, at: time) else { return false }
    status = assessment.status
    told = bound.map { ($0, time) }
    return true
  }

  private func isOutdated(_ bound: Double?, at time: Double) -> Bool {
    guard let bound else { return false }
    guard let told else { return true }
    let left = told.bound - (time - told.time)
    // What is over stays over.
    guard told.bound > 0 else { return bound > 60 }
    return left > 1.05 * bound || left < 0.8 * bound || 2 * left < told.bound
  }
}
