/// Duplicate detection of a receiver: the sequence numbers received from each hub, and the gaps between them.
///
/// A hub delivers at least once; hub, epoch and sequence together give exactly-once delivery. The epoch identifies the
/// queue
/// file: in a new file, sequence numbers restart at 1. Contiguous sequences use constant memory.
public struct DeliveryReceiver: Hashable, Sendable {
  private struct Received: Hashable {
    /// All sequences up to this one have been received.
    var through: UInt64 = 0
    /// The received sequences after a gap.
    var beyond: Set<UInt64> = []
  }

  private struct Source: Hashable {
    let hub, epoch: String
  }

  private var hubs: [Source: Received] = [:]
  /// The number of dropped duplicates.
  public private(set) var repeats = 0

  /// Creates a receiver without records.
  public init() {}

  /// Records a received sequence number.
  ///
  /// - Returns: Whether the record is new. Sequence 0 is invalid and never new.
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

  /// The highest sequence of a hub up to which no record is missing; the receiver confirms up to it.
  public func through(_ hub: String, epoch: String = "") -> UInt64 {
    hubs[Source(hub: hub, epoch: epoch)]?.through ?? 0
  }

  /// The number of received records of a hub after a gap.
  public func countBeyondGap(_ hub: String, epoch: String = "") -> Int {
    hubs[Source(hub: hub, epoch: epoch)]?.beyond.count ?? 0
  }
}
