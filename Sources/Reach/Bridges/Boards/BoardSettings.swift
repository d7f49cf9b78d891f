/// How a board and the client behind it treat reads: what a rig may say of them.
public struct BoardSettings: Hashable, Sendable {
  /// What happens to a read that is longer than the board's limit.
  public enum PastLimit: String, Hashable, Sendable, CaseIterable {
    /// As over a real board: an answer without data, which the client's library swallows; time passes.
    case silent
    /// It is refused at once, as the kernel does for an adapter that knows its limits.
    case error
  }

  /// How many bytes the board reads at most.
  public var limit: Int
  /// What happens to longer reads.
  public var pastLimit = PastLimit.silent
  /// Whether drivers can ask for the limit.
  public var tellsLimit = true
  /// How long an answer is waited for, in nanoseconds.
  public var timeOut: UInt64 = 2_000_000_000

  /// Creates settings with a limit: silent past it, told to drivers, two seconds for an answer.
  public init(limit: Int) {
    self.limit = limit
  }
}
