/// A count read from a peripheral that increments by one at regular intervals.
package struct CoreCount: Equatable, Sendable {
  /// The cycle of the next tick.
  package let nextTick: UInt64
  /// Cycles of a tick.
  package let period: UInt64
  /// Ticks until the count wraps or changes direction.
  package let ticksLeft: UInt64

  /// Creates a count.
  package init(nextTick: UInt64, period: UInt64, ticksLeft: UInt64) {
    (self.nextTick, self.period, self.ticksLeft) = (nextTick, period, ticksLeft)
  }

  /// Returns the cycle until which the count has grown by at most `ticks`.
  func end(of ticks: UInt64) -> UInt64 {
    let (length, isLong) = min(ticks, ticksLeft).multipliedReportingOverflow(by: period)
    let (end, isTooMuch) = nextTick.addingReportingOverflow(length)
    return isLong || isTooMuch ? .max : end
  }
}

/// Information from the peripherals about the values that a loop reads.
package protocol CoreLoopWatch: AnyObject {
  /// Starts an iteration: discards what was read before.
  func beginIteration()
  /// Returns the count that was read since the last call; `nil` if none was.
  func takeCount() -> CoreCount?
  /// The cycle until which all other values read in the iteration stay the same.
  var stableUntil: UInt64 { get }
  /// The cycle of the next event; 0 after a register was written or the run has to end.
  var nextEvent: UInt64 { get }
}

/// The result of an attempt to skip loop iterations.
package enum CoreLoopSkip: Equatable, Sendable {
  /// The core is not in a learned loop.
  case unknown
  /// The program left the loop, or no iteration could be skipped; instructions may have run.
  case left
  /// Iterations were skipped.
  case passed(isCounting: Bool)
}

/// A loop that repeats without effect: each iteration ends in the state in which it started.
package struct CoreLoop: Equatable, Sendable {
  /// Cycles of an iteration.
  package let cycles: UInt64
  /// Instructions of an iteration.
  package let instructions: UInt64
}

/// A watchpoint: an address range whose loads or stores stop the core.
package struct MemoryWatch: Hashable, Sendable {
  /// The first address.
  package var address: UInt32
  /// The length in bytes.
  package var count: UInt32
  /// Whether loads and stores stop the core.
  package var onLoad: Bool
  package var onStore: Bool

  /// Creates a watchpoint.
  package init(address: UInt32, count: UInt32, onLoad: Bool, onStore: Bool) {
    self.address = address
    self.count = count
    self.onLoad = onLoad
    self.onStore = onStore
  }

  /// Returns whether an access overlaps the range.
  package func matches(_ start: UInt32, _ bytes: UInt32, isStore: Bool) -> Bool {
    guard isStore ? onStore : onLoad else { return false }
    return start &- address < count || address &- start < bytes
  }

  /// Returns whether the range overlaps a page of memory.
  func touches(page: Int) -> Bool {
    let base = UInt32(page) << AddressSpace.pageBits
    return matches(base, AddressSpace.pageSize, isStore: onStore)
  }
}

/// An access that hit a watchpoint.
package struct MemoryWatchHit: Equatable, Sendable {
  /// The address of the access, and whether it was a store.
  package let address: UInt32
  package let isStore: Bool
  /// The watchpoint.
  package let watch: MemoryWatch

  /// Creates a hit.
  package init(address: UInt32, isStore: Bool, watch: MemoryWatch) {
    self.address = address
    self.isStore = isStore
    self.watch = watch
  }
}
