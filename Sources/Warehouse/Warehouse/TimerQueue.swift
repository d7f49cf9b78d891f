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
