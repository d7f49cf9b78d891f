/// The rule that a crew goes to its safe haven while there is time: an alarm of its own, next to that of the leak.
///
/// The call stands whatever the sensor does afterwards, and while slopes begin anew behind a hatch: it is over only when
/// the fall is, or when far more time is left again. Below the crew's limit no time is left, whether the pressure falls or not.
/// A sensor that falls silent while the air leaks stops no leak: what was left runs on, and the crew is called when it is short.
public struct SafeHaven: Hashable, Sendable {
  /// What an assessment changes.
  public enum Change: Hashable, Sendable {
    /// The crew is called.
    case called
    /// The call is over.
    case over
  }

  /// Below which reserve time in seconds the crew is called; 10 minutes as flown.
  public let least: Double
  /// Whether the crew has been called and the call is not over.
  public private(set) var isCalled = false
  /// The time that is left from a sample on.
  public struct Left: Hashable, Sendable {
    /// The seconds, below 0 where none are left.
    public let seconds: Double
    /// Whether that is what is left at least; else it is left at most.
    public let isLeast: Bool

    /// What of it is left after some more seconds.
    func after(_ seconds: Double) -> Left {
      Left(seconds: self.seconds - seconds, isLeast: isLeast)
    }
  }

  /// What is known of a leak.
  private enum Sight: Hashable, Sendable {
    /// There is none.
    case none
    /// Samples show it; with what was left from the last of them on, as far as that is known.
    case seen(Left?)
    /// The sensor is silent since such a sample.
    case unseen(Left?)
  }

  private var sight = Sight.none
  /// Whether the air leaked by the last samples of a sensor that is silent now.
  public var leaksUnseen: Bool { if case .unseen = sight { true } else { false } }

  /// Creates the rule.
  ///
  /// - Parameter least: below which reserve time in seconds the crew is called.
  public init(least: Double = 600) { self.least = least }

  /// Looks at how a cabin stands.
  ///
  /// - Parameter assessment: how it stands.
  /// - Returns: what that changes; `nil` where it changes nothing.
  public mutating func take(_ assessment: LeakAssessment) -> Change? {
    remember(assessment)
    let isOver: Bool
    if let left = unseen(assessment) ?? Self.left(assessment) {
      if !isCalled, left.seconds < least {
        isCalled = true
        return .called
      }
      isOver = left.seconds > 1.5 * least && assessment.sudden == nil && !leaksUnseen
    } else {
      isOver = [.stable, .rising, .high].contains(assessment.status)
    }
    guard isCalled, isOver else { return nil }
    isCalled = false
    return .over
  }

  /// What is left by the last samples of a sensor that is silent now.
  ///
  /// - Parameter assessment: how a cabin stands.
  /// - Returns: the time; `nil` where the sensor is not silent, or none was known.
  public func unseen(_ assessment: LeakAssessment) -> Left? {
    if case .unseen(let left) = sight { left?.after(assessment.age) } else { nil }
  }

  private mutating func remember(_ assessment: LeakAssessment) {
    switch (assessment.status, sight) {
    case (.leak, _): sight = .seen(Self.left(assessment)?.after(-assessment.age))
    case (.stale, .seen(let left)), (.fault, .seen(let left)): sight = .unseen(left)
    case (.stale, _), (.fault, _): break
    default: sight = .none
    }
  }

  /// The time that is left: at least, as far as that is known, else at most; `nil` where neither is.
  private static func left(_ assessment: LeakAssessment) -> Left? {
    if assessment.level == .low { return Left(seconds: -1, isLeast: true) }
    if let reserve = assessment.reserve { return Left(seconds: reserve.bound, isLeast: true) }
    return assessment.most.map { Left(seconds: $0, isLeast: false) }
  }
}
