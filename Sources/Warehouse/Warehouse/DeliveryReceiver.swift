/// The duplicate detection of a receiver, which keeps the sequence numbers received from each hub
/// and the gaps between them.
///
/// A hub may deliver a record more than once; a receiver drops the duplicates, which it recognizes
/// by hub, epoch and sequence. The epoch identifies the hub's queue file: in a new file, sequence
/// numbers restart at 1. Contiguous sequences use constant memory.
public struct DeliveryReceiver: Hashable, Sendable {
  private struct Received: Hashable {
    /// The highest sequence up to which every sequence has been received.
    var through: UInt64 = 0
    /// The sequences received after the first gap.
    var beyond: Set<UInt64> = []
  }

  private struct Source: Hashable {
    let hub, epoch: String
  }

  private var hubs: [Source: Received] = [:]
  /// The number of dropped duplicates.
  public private(set) var repeats = 0

  /// Creates a receiver that has received no records.
  public init() {}

  /// Records a received sequence number.
  ///
  /// - Returns: `true` if the record is new. Sequence 0 is invalid and never counts as new.
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

  /// The highest sequence of a hub up to which no record is missing; the receiver confirms the
  /// records up to it.
  public func through(_ hub: String, epoch: String = "") -> UInt64 {
    hubs[Source(hub: hub, epoch: epoch)]?.through ?? 0
  }

  /// The number of records of a hub that were received after the first gap.
  public func countBeyondGap(_ hub: String, epoch: String = "") -> Int {
    hubs[Source(hub: hub, epoch: epoch)]?.beyond.count ?? 0
  }
}
