/// A count that a program reads from a peripheral, and that increments by one at regular intervals.
package struct CoreCount: Equatable, Sendable {
  /// The cycle of the next tick, at which the count increments.
  package let nextTick: UInt64
  /// The number of cycles between two ticks.
  package let period: UInt64
  /// The number of ticks until the count wraps or changes direction.
  package let ticksLeft: UInt64

  package init(nextTick: UInt64, period: UInt64, ticksLeft: UInt64) {
    (self.nextTick, self.period, self.ticksLeft) = (nextTick, period, ticksLeft)
  }

  /// Returns the cycle until which the count grows by at most `ticks`.
  func end(of ticks: UInt64) -> UInt64 {
    let (length, isLong) = min(ticks, ticksLeft).multipliedReportingOverflow(by: period)
    let (end, isTooMuch) = nextTick.addingReportingOverflow(length)
    return isLong || isTooMuch ? .max : end
  }
}

/// Information from the peripherals about the values that a loop reads.
package protocol CoreLoopWatch: AnyObject {
  /// Starts an iteration and forgets the values read before.
  func beginIteration()
  /// Returns the count that the program has read since the last call; `nil` if it has not read one.
  func takeCount() -> CoreCount?
  /// The cycle until which all values that the iteration has read, except the count, stay unchanged.
  var stableUntil: UInt64 { get }
  /// The cycle of the next event; 0 if a register was written or the run has to end.
  var nextEvent: UInt64 { get }
}

/// The result of an attempt to skip loop iterations.
package enum CoreLoopSkip: Equatable, Sendable {
  /// The core is not in a learned loop.
  case unknown
  /// The program left the loop, or no iteration could be skipped; the core may have executed instructions.
  case left
  /// Iterations were skipped; `isCounting` is `true` if the loop reads a count.
  case passed(isCounting: Bool)
}

/// A loop without effect, in which each iteration ends in the state in which it started.
package struct CoreLoop: Equatable, Sendable {
  /// The number of cycles in one iteration.
  package let cycles: UInt64
  /// The number of instructions in one iteration.
  package let instructions: UInt64
}

/// A watchpoint: an address range in which loads, stores, or both stop the core.
package struct MemoryWatch: Hashable, Sendable {
  /// The first address.
  package var address: UInt32
  /// The length in bytes.
  package var count: UInt32
  /// `true` if loads stop the core.
  package var onLoad: Bool
  /// `true` if stores stop the core.
  package var onStore: Bool

  package init(address: UInt32, count: UInt32, onLoad: Bool, onStore: Bool) {
    self.address = address
    self.count = count
    self.onLoad = onLoad
    self.onStore = onStore
  }

  /// Returns whether an access overlaps the range and is of a kind that stops the core.
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
  /// The address of the access.
  package let address: UInt32
  /// `true` for a store, `false` for a load.
  package let isStore: Bool
  /// The watchpoint.
  package let watch: MemoryWatch

  package init(address: UInt32, isStore: Bool, watch: MemoryWatch) {
    self.address = address
    self.isStore = isStore
    self.watch = watch
  }
}
