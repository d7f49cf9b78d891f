/// How long to wait before connecting again: twice as long each time, up to a limit, and never exactly.
public struct BackOff: Hashable, Sendable {
  /// The first and the longest wait, in nanoseconds.
  public let first, longest: Int64
  /// How often it has failed on end.
  public private(set) var failures = 0

  /// Creates one that has not failed; a second and five minutes unless given.
  public init(first: Int64 = 1_000_000_000, longest: Int64 = 300_000_000_000) {
    (self.first, self.longest) = (max(first, 1), max(longest, first, 1))
  }

  /// A connection failed or was lost.
  ///
  /// - Parameter chance: a number from 0 up to 1: tags that were lost together do not come back together.
  /// - Returns: after how many nanoseconds to try again: from half the wait to all of it.
  public mutating func wait(chance: Double) -> Int64 {
    var wait = first
    for _ in 0..<min(failures, 62) where wait < longest {
      wait = wait > longest / 2 ? longest : 2 * wait
    }
    failures = min(failures + 1, 1_000_000)
    let share = 0.5 + 0.5 * min(max(chance, 0), 1)
    return max(Int64(Double(min(wait, longest)) * share), 1)
  }

  /// A connection holds: the next failure waits for the first time only.
  public mutating func succeed() { failures = 0 }
}
