/// The schedule by which tags take turns if a dongle supports fewer connections than there are
/// tags.
///
/// In each slot the dongle connects to as many tags as it supports, stays connected for a fixed
/// time, and then disconnects to make room for the next group. The duration of a round is the
/// maximum time between two readings of a tag, provided that connecting takes no longer than
/// planned.
public struct RoundRobin: Hashable, Sendable {
  /// The number of tags.
  public let tags: Int
  /// The number of simultaneous connections that the dongle supports.
  public let connections: Int
  /// The time for which a tag stays connected, and the time that one connection attempt takes, in
  /// nanoseconds.
  public let stay, connecting: Int64

  /// Creates a schedule.
  ///
  /// Values are clamped to at least one connection and a stay of one nanosecond.
  public init(tags: Int, connections: Int, stay: Int64, connecting: Int64) {
    (self.tags, self.connections) = (max(tags, 0), max(connections, 1))
    (self.stay, self.connecting) = (max(stay, 1), max(connecting, 0))
  }

  /// `true` if tags take turns because there are more tags than connections.
  public var sharesConnections: Bool { tags > connections }

  /// The number of slots in a round.
  public var slots: Int { sharesConnections ? (tags + connections - 1) / connections : 1 }

  /// The time between the starts of two slots of the same tag in nanoseconds, used as the tag's
  /// period for alarms; 0 if all tags are connected at once.
  ///
  /// A dongle connects to one tag at a time, so each slot includes the time for connecting to each
  /// of its tags.
  public var round: Int64 {
    guard sharesConnections else { return 0 }
    return Int64(slots) * (stay + Int64(connections) * connecting)
  }

  /// The tags connected in a slot, as indices from 0.
  ///
  /// Slot numbers wrap around after a round.
  public func members(ofSlot slot: Int) -> Range<Int> {
    guard sharesConnections, slot >= 0 else { return 0..<tags }
    let first = slot % slots * connections
    return first..<min(first + connections, tags)
  }

  /// Returns the slot at a time, given in nanoseconds since the hub started.
  public func slot(at time: Int64) -> Int {
    guard sharesConnections, time > 0 else { return 0 }
    return Int(time / (stay + Int64(connections) * connecting))
  }
}

/// The exponential back-off between attempts to reconnect, with jitter.
public struct BackOff: Hashable, Sendable {
  /// The initial and the maximum delay in nanoseconds.
  public let first, longest: Int64
  /// The number of consecutive failures.
  public private(set) var failures = 0

  /// Creates a back-off without failures.
  ///
  /// Default: 1 s initially, 5 min at most.
  public init(first: Int64 = 1_000_000_000, longest: Int64 = 300_000_000_000) {
    (self.first, self.longest) = (max(first, 1), max(longest, first, 1))
  }

  /// Registers a failed or lost connection.
  ///
  /// - Parameter chance: A random number from 0 to 1, so tags lost at the same time do not retry at
  ///   the same time.
  /// - Returns: The delay before the next attempt in nanoseconds, between half the current delay
  ///   and the full one.
  public mutating func wait(chance: Double) -> Int64 {
    var wait = first
    for _ in 0..<min(failures, 62) where wait < longest {
      wait = wait > longest / 2 ? longest : 2 * wait
    }
    failures = min(failures + 1, 1_000_000)
    let share = 0.5 + 0.5 * min(max(chance, 0), 1)
    return max(Int64(Double(min(wait, longest)) * share), 1)
  }

  /// Registers a working connection, which resets the delay to its initial value.
  public mutating func succeed() { failures = 0 }
}

/// The radio timings that a hub file may set, in nanoseconds; `nil` selects the default.
public struct ListenerTimings: Hashable, Sendable {
  /// The duration of a scan.
  public var scan: Int64?
  /// The timeout of a connection attempt.
  public var connectTimeout: Int64?
  /// The time without data after which the hub reads back the sensor's configuration.
  public var late: Int64?
  /// The maximum delay between attempts to reconnect to a lost tag.
  public var longestWait: Int64?

  /// Creates timings with default values.
  public init() {}

  /// The timings that the hub file sets, with their keys in the file.
  package var given: [(key: String, time: Int64)] {
    [("scan", scan), ("patience", connectTimeout), ("late", late), ("longest_wait", longestWait)]
      .compactMap { pair in pair.1.map { (pair.0, $0) } }
  }
}

/// A priority queue of timed items: a binary heap ordered by time.
///
/// Items with equal times keep the order in which they were scheduled.
package struct TimerQueue<Item> {
  private var heap: [(time: Int64, order: UInt64, item: Item)] = []
  private var planned: UInt64 = 0

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    (heap[one].time, heap[one].order) < (heap[other].time, heap[other].order)
  }

  package init() {}

  /// Schedules an item.
  package mutating func schedule(_ item: Item, at time: Int64) {
    planned += 1
    heap.append((time, planned, item))
    var index = heap.count - 1
    while index > 0, isBefore(index, (index - 1) / 2) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// The time of the earliest item; `nil` if the queue is empty.
  package var nextTime: Int64? { heap.first?.time }

  /// Removes and returns the earliest item; returns `nil` if the queue is empty.
  package mutating func next() -> (time: Int64, item: Item)? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return (first.time, first.item) }
    heap[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && isBefore(child, least)
      {
        least = child
      }
      guard least != index else { break }
      heap.swapAt(index, least)
      index = least
    }
    return (first.time, first.item)
  }
}
