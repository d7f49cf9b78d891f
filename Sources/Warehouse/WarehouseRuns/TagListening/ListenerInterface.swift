public import Warehouse

/// The options of a listener; all times are in nanoseconds.
public struct ListenerOptions: Hashable, Sendable {
  /// The number of simultaneous connections that the dongle supports.
  ///
  /// Default: 7.
  public var connections = 7
  /// The time for which a tag stays connected if tags take turns.
  ///
  /// Default: 20 s.
  public var stay: Int64 = 20_000_000_000
  /// The time allowed for establishing each connection in a slot, in which one group of tags is
  /// connected.
  ///
  /// Default: 500 ms.
  public var connecting: Int64 = 500_000_000
  /// The timeout of a connection attempt.
  ///
  /// Default: 5 s.
  public var connectTimeout: UInt64 = 5_000_000_000
  /// The duration of a scan.
  ///
  /// Default: 5 s, which is 50 advertising intervals of a tag.
  public var scan: UInt64 = 5_000_000_000
  /// The timeout of a request.
  ///
  /// Default: 35 s, which is longer than the 30 s after which a Bluetooth stack reports a timeout
  /// (Core Specification, Vol 3, Part F, 3.3.3).
  public var responseTimeout: UInt64 = 35_000_000_000
  /// The interval between measurements of the signal strength.
  ///
  /// Default: 60 s.
  public var signal: UInt64 = 60_000_000_000
  /// The initial delay before the listener tries again to reach a tag.
  ///
  /// Default: 1 s.
  public var firstWait: Int64 = 1_000_000_000
  /// The maximum delay before the listener tries again to reach a tag.
  ///
  /// Default: 5 min.
  public var longestWait: Int64 = 300_000_000_000
  /// `true` to enable only the temperature and humidity sensor.
  public var onlyHumidity = false

  /// The time without data after which the listener reads back the sensor's configuration.
  ///
  /// Default: 5 s. If a sensor stays enabled between measurements, the listener waits for at least
  /// three periods.
  public var late: UInt64 = 5_000_000_000

  /// Creates the default options.
  public init() {}

  /// Creates options with the timings of a hub file, and the defaults for all others.
  public init(_ times: ListenerTimings) {
    func nanoseconds(_ time: Int64?, _ usual: UInt64) -> UInt64 {
      time.map { UInt64(max($0, 1)) } ?? usual
    }
    scan = nanoseconds(times.scan, scan)
    connectTimeout = nanoseconds(times.connectTimeout, connectTimeout)
    late = nanoseconds(times.late, late)
    if let longest = times.longestWait {
      (firstWait, longestWait) = (min(firstWait, longest), longest)
    }
  }

  /// The number of consecutive times that data may be late before the listener closes the
  /// connection.
  static let mostLate = 3
  /// The timeout of a disconnection.
  static let leaving: UInt64 = 10_000_000_000
  /// The longest period that a tag supports: 255 steps of 10 ms.
  ///
  /// For longer periods, the listener enables the tag's sensor for each measurement.
  static let longestPeriod: Int64 = 2_550_000_000
}

/// A tag that the listener connects to.
public struct WatchedTag: Hashable, Sendable {
  /// The address, such as `A4:DA:32:00:00:01`.
  ///
  /// The tag's advertisements contain the type of the address, which is public or random.
  public var address: String
  /// The time between two readings in nanoseconds.
  public var period: Int64

  /// Creates a tag to listen to.
  public init(_ address: String, period: Int64) {
    (self.address, self.period) = (address, max(period, 1))
  }
}

/// An event of a listener that should be logged.
public enum ListenerEvent: Hashable, Sendable {
  /// Tags take turns, because there are more tags than the dongle supports connections; `time` is
  /// the duration of a round in nanoseconds.
  case round(tags: Int, connections: Int, time: Int64)
  /// The dongle supports only this number of connections, which is less than configured.
  case fewerConnections(Int)
  /// A tag of the kind `kind` is connected, and its sensors are enabled.
  case listening(tag: String, kind: String)
  /// A tag is not available, for the given reason.
  case lost(tag: String, Reason)
  /// The radio can no longer be used, for the given reason.
  case gone(String)

  /// The reason why a tag is not available.
  public enum Reason: Hashable, Sendable {
    /// No advertisement was received.
    case unheard
    /// Advertisements were received, but the connection attempt failed.
    case unreachable
    /// The connection ended, with the controller's reason code.
    case disconnected(UInt8)
    /// The tag did not respond to the named request, or responded with an error.
    case mute(String)
    /// The tag is connected, but sends no notifications.
    case quiet
    /// The tag is not of a supported kind.
    case unknownKind
  }
}

extension ListenerEvent: CustomStringConvertible {
  /// The event as a sentence without a full stop.
  public var description: String {
    switch self {
    case .round(let tags, let connections, let time):
      "\(tags) tags share \(Self.counted(connections)) in turn; a round takes "
        + "\(time / 1_000_000_000) s"
    case .fewerConnections(let count):
      "the dongle holds at most \(Self.counted(count)), which the tags share in turn"
    case .listening(let tag, let kind): "\(tag) is connected, a \(kind)"
    case .lost(let tag, let reason): "\(tag) \(reason)"
    case .gone(let why): "the radio is gone: \(why)"
    }
  }

  private static func counted(_ connections: Int) -> String {
    "\(connections) connection\(connections == 1 ? "" : "s")"
  }
}

extension ListenerEvent.Reason: CustomStringConvertible {
  /// The reason as the predicate of a sentence about the tag.
  public var description: String {
    switch self {
    case .unheard: "sends no advertisements"
    case .unreachable: "advertises, but does not connect"
    case .disconnected(let reason):
      "is disconnected (reason 0x" + String(reason, radix: 16, uppercase: true) + ")"
    case .mute(let step): "did not respond: \(step)"
    case .quiet: "is connected, but sends no notifications"
    case .unknownKind: "is not a supported kind of tag"
    }
  }
}
