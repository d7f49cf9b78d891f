public import Warehouse

/// How a hub listens to its tags; times in nanoseconds.
public struct ListeningPlan: Hashable, Sendable {
  /// How many connections the dongle holds; 7 unless given.
  public var connections = 7
  /// How long tags stay connected where they take turns; 20 s unless given.
  public var stay: Int64 = 20_000_000_000
  /// How long one connection takes to be made, as the time of a turn counts it; 500 ms unless given.
  public var connecting: Int64 = 500_000_000
  /// How long a connection may take to be made before it is given up; 5 s unless given.
  public var patience: UInt64 = 5_000_000_000
  /// How long tags are looked for at a time; 5 s unless given: fifty of a tag's advertisements.
  public var scan: UInt64 = 5_000_000_000
  /// How long an answer may take before the connection is given up; 35 s unless given, beyond the 30 s after which a stack says so
  /// (Core Specification, Vol 3, Part F, 3.3.3).
  public var answer: UInt64 = 35_000_000_000
  /// From one question for the strength of the signal to the next; 60 s unless given.
  public var signal: UInt64 = 60_000_000_000
  /// The wait before a tag is tried again, and the longest one; 1 s and 5 min unless given.
  public var firstWait: Int64 = 1_000_000_000
  /// The longest wait before a tag is tried again.
  public var longestWait: Int64 = 300_000_000_000
  /// Whether temperature and humidity alone are listened to, and no pressure.
  public var onlyHumidity = false

  /// How long the data of a sensor may be late before it is asked what it does; 5 s unless given, and three periods at least.
  public var late: UInt64 = 5_000_000_000

  /// Creates the usual plan.
  public init() {}

  /// Creates the usual plan but for the times that a file gives.
  public init(_ times: ListeningTimes) {
    func nanoseconds(_ time: Int64?, _ usual: UInt64) -> UInt64 {
      time.map { UInt64(max($0, 1)) } ?? usual
    }
    scan = nanoseconds(times.scan, scan)
    patience = nanoseconds(times.patience, patience)
    late = nanoseconds(times.late, late)
    if let longest = times.longestWait {
      (firstWait, longestWait) = (min(firstWait, longest), longest)
    }
  }

  /// How often in a row a sensor may be late before the connection is given up.
  static let mostLate = 3
  /// How long an end of a connection may take.
  static let leaving: UInt64 = 10_000_000_000
  /// The longest period that a tag keeps by itself: 255 steps of 10 ms; for longer ones it is switched on each time.
  static let longestPeriod: Int64 = 2_550_000_000
}

/// A tag that is listened to.
public struct ListenedTag: Hashable, Sendable {
  /// Its address, `A4:DA:32:00:00:01`; whether it is a random one is told by its advertisements.
  public var address: String
  /// From one reading to the next, in nanoseconds.
  public var period: Int64

  /// Creates one of its parts.
  public init(_ address: String, period: Int64) {
    (self.address, self.period) = (address, max(period, 1))
  }
}
