/// When each air of a scenario begins, and how old a right program's values may be.
struct Timing: Sendable {
  /// When each air begins that may be shown, in seconds since power came on.
  let starts: [Double]
  /// When the part falls silent for good.
  let end: Double
  /// When the first event takes place.
  let event: Double
  /// The time from one reading to the next, in seconds.
  let pace: Double
  /// How long before it is printed a value may have been measured, in seconds.
  let age: Double

  /// Creates the times of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: the scenario.
  ///   - place: where and when.
  ///   - age: how old values may be, in seconds.
  init(_ scenario: Scenario, at place: Scenario.Place, age: Double) {
    starts = scenario.phases[scenario.shown].map { phase in
      switch phase.start {
      case .seconds(let seconds): seconds
      case .rest(let index): place.rest(index)
      }
    }
    event = place.event
    pace = place.pace
    end = scenario.isGone ? place.event : .infinity
    self.age = age
  }

  /// Which of the airs a value may show that was printed at a time.
  func airs(at time: PrintTime) -> Range<Int> {
    let first = starts.lastIndex { $0 <= time.start - age } ?? 0
    let last = starts.lastIndex { $0 <= time.end } ?? first
    return first..<max(first, last) + 1
  }

  /// Whether what was printed at a time cannot have been measured.
  func isGone(at time: PrintTime) -> Bool { time.start - age > end }
}
