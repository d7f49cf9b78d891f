/// The rule that calls the crew to its safe haven in time.
///
/// This alarm is separate from the leak alarm.
///
/// The call persists during sensor failures and while the slopes are measured again after a hatch
/// was moved. It ends only when the pressure stops falling, or when more than 1.5 times `least`
/// is left. Below the crew's limit no time is left, whether or not the pressure falls. If the
/// sensor fails during a leak, the last known time keeps running down, and the crew is called when
/// it is short.
public struct SafeHaven: Hashable, Sendable {
  /// The change of the alarm that an assessment causes.
  public enum Change: Hashable, Sendable {
    /// The crew is called.
    case called
    /// The call has ended.
    case over
  }

  /// The reserve time in seconds below which the crew is called.
  ///
  /// Default: 600, the value used in space flight.
  public let least: Double
  /// `true` if a call is active.
  public private(set) var isCalled = false
  /// A lower or an upper bound of the time left until the crew must leave.
  public struct Left: Hashable, Sendable {
    /// The seconds; negative if no time is left.
    public let seconds: Double
    /// `true` if `seconds` is a lower bound, `false` if it is an upper bound.
    public let isLeast: Bool

    /// Returns the time left when `seconds` more seconds have passed.
    func after(_ seconds: Double) -> Left {
      Left(seconds: self.seconds - seconds, isLeast: isLeast)
    }
  }

  /// The current knowledge about a leak.
  private enum Observation: Hashable, Sendable {
    /// There is no leak.
    case none
    /// The samples show a leak; the value is the time left at the last sample, if known.
    case observed(Left?)
    /// The sensor has failed during a leak; the value is the time left at the last sample, if
    /// known.
    case lost(Left?)
  }

  private var observation = Observation.none
  /// `true` if the sensor has failed during a leak.
  public var isLeakUnobserved: Bool { if case .lost = observation { true } else { false } }

  /// Creates the rule.
  ///
  /// - Parameter least: the reserve time in seconds below which the crew is called. Default: 600.
  public init(least: Double = 600) { self.least = least }

  /// Evaluates an assessment.
  ///
  /// - Parameter assessment: the state of the cabin.
  /// - Returns: the change of the alarm; `nil` if the alarm does not change.
  public mutating func take(_ assessment: LeakAssessment) -> Change? {
    update(assessment)
    let isOver: Bool
    if let left = unobservedTime(assessment) ?? Self.left(assessment) {
      if !isCalled, left.seconds < least {
        isCalled = true
        return .called
      }
      isOver = left.seconds > 1.5 * least && assessment.sudden == nil && !isLeakUnobserved
    } else {
      isOver = [.stable, .rising, .high].contains(assessment.status)
    }
    guard isCalled, isOver else { return nil }
    isCalled = false
    return .over
  }

  /// Returns the time left now, extrapolated from the last samples before the sensor failed.
  ///
  /// - Parameter assessment: the state of the cabin.
  /// - Returns: the time; `nil` if the sensor has not failed, or the time was unknown.
  public func unobservedTime(_ assessment: LeakAssessment) -> Left? {
    if case .lost(let left) = observation { left?.after(assessment.age) } else { nil }
  }

  /// `true` if the sensor has failed during a leak.
  @available(*, deprecated, renamed: "isLeakUnobserved")
  public var leaksUnseen: Bool { isLeakUnobserved }

  /// Returns the time left now, extrapolated from the last samples before the sensor failed.
  @available(*, deprecated, renamed: "unobservedTime(_:)")
  public func unseen(_ assessment: LeakAssessment) -> Left? { unobservedTime(assessment) }

  private mutating func update(_ assessment: LeakAssessment) {
    switch (assessment.status, observation) {
    case (.leak, _): observation = .observed(Self.left(assessment)?.after(-assessment.age))
    case (.stale, .observed(let left)), (.fault, .observed(let left)): observation = .lost(left)
    case (.stale, _), (.fault, _): break
    default: observation = .none
    }
  }

  /// Returns the remaining time: the lower bound if known, otherwise the upper bound; `nil` if neither is known.
  private static func left(_ assessment: LeakAssessment) -> Left? {
    if assessment.level == .low { return Left(seconds: -1, isLeast: true) }
    if let reserve = assessment.reserve { return Left(seconds: reserve.bound, isLeast: true) }
    return assessment.most.map { Left(seconds: $0, isLeast: false) }
  }
}
