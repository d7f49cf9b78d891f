/// What a listener tells people of its work.
public enum ListeningNews: Hashable, Sendable {
  /// Tags take turns: how many there are, how many the dongle holds, and the time of a round in nanoseconds.
  case round(tags: Int, connections: Int, time: Int64)
  /// The dongle holds fewer connections than the plan says.
  case fewerConnections(Int)
  /// A tag is listened to; its kind.
  case listening(tag: String, kind: String)
  /// A tag cannot be listened to for now, and why.
  case lost(tag: String, Reason)
  /// The radio is gone, and why.
  case gone(String)

  /// Why a tag is not listened to.
  public enum Reason: Hashable, Sendable {
    /// No advertisement of it was heard.
    case unheard
    /// It was heard, and did not connect.
    case unreachable
    /// The connection ended, with the controller's reason.
    case disconnected(UInt8)
    /// It did not answer, or refused, at a step.
    case mute(String)
    /// It is connected and tells nothing.
    case quiet
    /// It is no kind of tag that is known.
    case unknownKind
  }
}

extension ListeningNews: CustomStringConvertible {
  /// A sentence without its end.
  public var description: String {
    switch self {
    case .round(let tags, let connections, let time):
      "\(tags) tags take turns on \(Self.counted(connections)): a round takes "
        + "\(time / 1_000_000_000) s"
    case .fewerConnections(let count):
      "the dongle holds no more than \(Self.counted(count)); the tags take turns"
    case .listening(let tag, let kind): "\(tag) is connected, a \(kind)"
    case .lost(let tag, let reason): "\(tag) \(reason)"
    case .gone(let why): "the radio is gone: \(why)"
    }
  }

  private static func counted(_ connections: Int) -> String {
    "\(connections) connection\(connections == 1 ? "" : "s")"
  }
}

extension ListeningNews.Reason: CustomStringConvertible {
  /// What is said of the tag.
  public var description: String {
    switch self {
    case .unheard: "is not heard"
    case .unreachable: "is heard and does not connect"
    case .disconnected(let reason):
      "is disconnected (reason 0x" + String(reason, radix: 16, uppercase: true) + ")"
    case .mute(let step): "did not answer: \(step)"
    case .quiet: "is connected and tells nothing"
    case .unknownKind: "is no tag of a known kind"
    }
  }
}
