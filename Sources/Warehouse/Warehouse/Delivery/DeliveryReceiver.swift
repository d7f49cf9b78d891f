/// What a receiver of records knows: which it has, so that it drops repeats and sees what is missing.
///
/// A hub delivers at least once; hub, epoch and sequence make it exactly once. The epoch names the file in which a record has its
/// number: where a hub gets another file, numbers begin anew. Sequences of a hub that came in order take no room.
public struct DeliveryReceiver: Hashable, Sendable {
  private struct Received: Hashable {
    /// All sequences up to here have been received.
    var through: UInt64 = 0
    /// Those beyond a gap.
    var beyond: Set<UInt64> = []
  }

  private struct Source: Hashable {
    let hub, epoch: String
  }

  private var hubs: [Source: Received] = [:]
  /// How many repeats were dropped.
  public private(set) var repeats = 0

  /// Creates a receiver that has nothing.
  public init() {}

  /// Takes a record.
  ///
  /// - Returns: whether it is new; a sequence of 0 is none.
  public mutating func take(hub: String, epoch: String = "", sequence: UInt64) -> Bool {
    guard sequence > 0 else { return false }
    let source = Source(hub: hub, epoch: epoch)
    var received = hubs[source, default: Received()]
    guard sequence > received.through, !received.beyond.contains(sequence) else {
      repeats += 1
      return false
    }
    received.beyond.insert(sequence)
    while received.beyond.remove(received.through + 1) != nil { received.through += 1 }
    hubs[source] = received
    return true
  }

  /// Up to which sequence it has all of a hub: what it confirms to it.
  public func through(_ hub: String, epoch: String = "") -> UInt64 {
    hubs[Source(hub: hub, epoch: epoch)]?.through ?? 0
  }

  /// How many records of a hub it has beyond a gap.
  public func countBeyondGap(_ hub: String, epoch: String = "") -> Int {
    hubs[Source(hub: hub, epoch: epoch)]?.beyond.count ?? 0
  }
}
