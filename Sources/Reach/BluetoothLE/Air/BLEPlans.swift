/// What will happen, the earliest first; of two at the same time the one that was planned first.
struct BLEPlans {
  /// Something that will happen.
  struct Plan {
    let time: UInt64
    fileprivate let order: UInt64
    let action: () -> Void

    fileprivate func precedes(_ other: Plan) -> Bool {
      time == other.time ? order < other.order : time < other.time
    }
  }

  /// A binary heap.
  private var heap: [Plan] = []
  private var count: UInt64 = 0

  var first: Plan? { heap.first }

  mutating func add(at time: UInt64, _ action: @escaping () -> Void) {
    heap.append(Plan(time: time, order: count, action: action))
    count += 1
    var child = heap.count - 1
    while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes the first, if it is due by a time.
  mutating func removeFirst(by time: UInt64) -> Plan? {
    guard let first = heap.first, first.time <= time else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].precedes(heap[least]) { least = child }
      guard least != parent else { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
