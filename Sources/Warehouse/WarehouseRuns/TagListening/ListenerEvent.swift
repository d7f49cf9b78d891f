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
