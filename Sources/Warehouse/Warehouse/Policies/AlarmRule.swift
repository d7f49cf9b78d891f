/// One limit, and what a breach of it takes to become an alarm.
///
/// The rule stands in every alarm that it raised, so that a later change of the policy changes no record.
public struct AlarmRule: Hashable, Sendable {
  /// What an alarm of it is about.
  public var cause: AlarmCause
  /// How grave an alarm of it is.
  public var level: AlarmLevel
  /// The limit in °C, %, Pa, percent of the battery, or periods without data; 0 for faults.
  public var limit: Double
  /// How long the breach must last, in nanoseconds, from its first reading to its last.
  public var onDelay: Int64
  /// How far behind the limit a value must lie for the alarm to be over.
  public var hysteresis: Double

  /// Creates a rule.
  public init(
    _ cause: AlarmCause, _ level: AlarmLevel, limit: Double, onDelay: Int64 = 0,
    hysteresis: Double = 0
  ) {
    (self.cause, self.level, self.limit) = (cause, level, limit)
    (self.onDelay, self.hysteresis) = (onDelay, hysteresis)
  }

  /// Whether a value lies beyond the limit; a value on the limit does not.
  public func isBreached(by value: Double) -> Bool { cause.isHigh ? value > limit : value < limit }

  /// Whether a value lies so far behind the limit that an alarm is over.
  public func isOver(at value: Double) -> Bool {
    cause.isHigh ? value <= limit - hysteresis : value >= limit + hysteresis
  }

  /// Whether one value lies further beyond the limit than another.
  public func isWorse(_ value: Double, than other: Double) -> Bool {
    cause.isHigh ? value > other : value < other
  }
}
