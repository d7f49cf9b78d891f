/// The times of listening that a file may give, in nanoseconds; `nil` for the usual ones.
public struct ListeningTimes: Hashable, Sendable {
  /// How long tags are looked for at a time.
  public var scan: Int64?
  /// How long a connection may take to be made.
  public var patience: Int64?
  /// How long data may be late before the sensor is asked what it does.
  public var late: Int64?
  /// The longest wait before a tag that was lost is tried again.
  public var longestWait: Int64?

  /// The usual ones.
  public init() {}

  /// Each that is given, with its key in files.
  package var given: [(key: String, time: Int64)] {
    [("scan", scan), ("patience", patience), ("late", late), ("longest_wait", longestWait)]
      .compactMap { pair in pair.1.map { (pair.0, $0) } }
  }
}
