/// What readings of a clock cost in virtual time.
///
/// A reading alone costs as little as on a machine. Who reads again and again, and at most looks whether something has
/// happened, waits for the clock: for that the cost rises, so that such loops end.
struct ReadingCost {
  private var streak = 0

  /// What is called in loops that wait for the clock, apart from its readings: looks that do not wait.
  private static let neutral: Set<SystemCall> = [
    .clockGettime, .gettimeofday, .time, .poll, .ppoll, .select, .pselect6, .epollWait, .epollPwait,
    .epollPwait2,
  ]

  /// Takes notice of a call.
  mutating func heard(_ call: SystemCall) {
    if !Self.neutral.contains(call) { interrupt() }
  }

  /// Takes notice of something else than a reading.
  mutating func interrupt() { streak = 0 }

  /// The nanoseconds that the next reading costs.
  mutating func next() -> UInt64 {
    streak += 1
    return switch streak {
    case ...64: 100
    case ...1024: 5000
    case ...4096: 20_000
    default: 100_000
    }
  }
}
