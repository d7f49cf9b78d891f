/// A count that a program has read from a peripheral and that grows by one at regular intervals.
package struct CoreCount: Equatable, Sendable {
  /// The cycle of the next tick.
  package let nextTick: UInt64
  /// The cycles of a tick.
  package let period: UInt64
  /// The ticks until it wraps or turns.
  package let ticksLeft: UInt64

  /// Creates a description of a count.
  package init(nextTick: UInt64, period: UInt64, ticksLeft: UInt64) {
    (self.nextTick, self.period, self.ticksLeft) = (nextTick, period, ticksLeft)
  }

  /// The cycle before which the count has grown by no more than some ticks.
  func end(of ticks: UInt64) -> UInt64 {
    let (length, isLong) = min(ticks, ticksLeft).multipliedReportingOverflow(by: period)
    let (end, isTooMuch) = nextTick.addingReportingOverflow(length)
    return isLong || isTooMuch ? .max : end
  }
}

/// What a core asks the peripherals about the values that a loop reads from them.
package protocol CoreLoopWatch: AnyObject {
  /// Begins a turn: what was read before no longer counts.
  func beginTurn()
  /// The count that was read since the last call; `nil` if none was.
  func takeCount() -> CoreCount?
  /// The cycle until which everything else that the turn has read keeps its value.
  var stableUntil: UInt64 { get }
  /// The cycle of the next event; 0 after a register was written or the run has to end.
  var nextEvent: UInt64 { get }
}

/// What came of an attempt to pass over turns of a loop.
package enum CoreLoopSkip: Equatable, Sendable {
  /// The core runs no loop that is known.
  case unknown
  /// The program left the loop, or nothing could be passed over; instructions may have run.
  case left
  /// Turns were passed over, of a loop that reads a count or of one that does not.
  case passed(isCounting: Bool)
}
