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
  /// Whether the air leaked by the last samples of a sensor that is silent now.
  public private(set) var leaksUnseen = false
  /// The seconds that were left from the last sample on, while it leaked.
  private var leftFromLast: Double?
  /// Whether it leaked when a sample was seen last.
  private var wasLeaking = false

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
      if !isCalled, left < least {
        isCalled = true
        return .called
      }
      isOver = left > 1.5 * least && assessment.sudden == nil && !leaksUnseen
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
  /// - Returns: the seconds that are left at least, below 0 where none are; `nil` where it is not silent, or none were known.
  public func unseen(_ assessment: LeakAssessment) -> Double? {
    leaksUnseen ? leftFromLast.map { $0 - assessment.age } : nil
  }

  private mutating func remember(_ assessment: LeakAssessment) {
    switch assessment.status {
    case .leak:
      (leaksUnseen, wasLeaking) = (false, true)
      leftFromLast = Self.left(assessment).map { $0 + assessment.age }
    case .stale, .fault:
      leaksUnseen = wasLeaking
    default:
      (leaksUnseen, wasLeaking, leftFromLast) = (false, false, nil)
    }
  }

  /// The seconds that are left: at least, as far as that is known, else at most; `nil` where neither is.
  private static func left(_ assessment: LeakAssessment) -> Double? {
    if assessment.level == .low { return -1 }
    return assessment.reserve?.bound ?? assessment.sudden?.most
  }
}
