/// What readings of a clock cost in virtual time.
///
/// A reading alone costs as little as on a machine. Who reads again and again and does nothing else waits for the
/// clock: for that the cost rises, so that such loops end.
struct ReadingCost {
  private var streak = 0

  /// Takes notice of a call that is no reading.
  mutating func interrupt() { streak = 0 }

  /// The nanoseconds that the next reading costs.
  mutating func next() -> UInt64 {
    streak += 1
    return switch streak {
    case ...64: 100
    case ...1024: 5000
    default: 20_000
    }
  }
}
