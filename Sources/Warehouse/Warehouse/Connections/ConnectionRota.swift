/// Which tags are connected when a dongle holds fewer than there are.
///
/// Tags take turns: as many as the dongle holds are connected, stay for a time, and make room for the next. The time of a
/// round is stated: no tag is heard less often, as long as connections are made in the time that is planned for them.
public struct ConnectionRota: Hashable, Sendable {
  /// How many tags there are.
  public let tags: Int
  /// How many the dongle holds.
  public let connections: Int
  /// How long a tag stays connected, and how long it takes to connect, in nanoseconds.
  public let stay, connecting: Int64

  /// Creates a rota; at least one connection, and times of at least a nanosecond.
  public init(tags: Int, connections: Int, stay: Int64, connecting: Int64) {
    (self.tags, self.connections) = (max(tags, 0), max(connections, 1))
    (self.stay, self.connecting) = (max(stay, 1), max(connecting, 0))
  }

  /// Whether tags take turns at all.
  public var rotates: Bool { tags > connections }

  /// How many turns a round has.
  public var turns: Int { rotates ? (tags + connections - 1) / connections : 1 }

  /// The time from one turn of a tag to its next in nanoseconds: what its period is to the alarms; 0 where none rotates.
  ///
  /// A dongle makes one connection at a time, so that a turn begins with as many of them as it holds.
  public var round: Int64 {
    guard rotates else { return 0 }
    return Int64(turns) * (stay + Int64(connections) * connecting)
  }

  /// The tags that are connected in a turn, counted from 0 on; the turns of a round begin again behind it.
  public func members(ofTurn turn: Int) -> Range<Int> {
    guard rotates, turn >= 0 else { return 0..<tags }
    let first = turn % turns * connections
    return first..<min(first + connections, tags)
  }

  /// The turn at a time since the hub began, in nanoseconds.
  public func turn(at time: Int64) -> Int {
    guard rotates, time > 0 else { return 0 }
    return Int(time / (stay + Int64(connections) * connecting))
  }
}
