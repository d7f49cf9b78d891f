package import Cores

/// A detector of programs that only wait in a polling loop.
///
/// A check is due when a program reads peripheral registers repeatedly, or runs for a while without sleeping. One
/// iteration of its loop is then analysed. If the iteration changed nothing, the following iterations are counted
/// without being executed.
package final class PollWatch {
  private static let first = 8
  private static let last = 4096
  /// The minimum number of cycles between two checks of a program that polls a variable, not a register.
  ///
  /// The number of cycles grows from this value while the program does not wait.
  private static let firstGap: UInt64 = 512
  /// The maximum number of cycles between two checks of a program that polls a variable.
  private static let lastGap: UInt64 = 1 << 20
  private static let firstLearningGap: UInt64 = 1 << 12
  private static let lastLearningGap: UInt64 = 1 << 24
  /// The maximum number of instructions in an iteration of a polling loop.
  private static let longestIteration = 256
  /// The minimum number of cycles until the next event; with fewer cycles left, a loop is not skipped.
  private static let leastGain: UInt64 = 256
  /// The maximum number of consecutive checks in which the program is in no learned loop; a new loop is then learned.
  private static let maxMisses = 8
  /// The number of register reads after which the next check is due while the program runs in learned loops.
  private static let soonReads = 2
  /// The number of cycles after which the next check is due while the program runs in learned loops.
  private static let soonGap: UInt64 = 128

  /// The number of register reads, without a write between them, that triggers a check.
  @exclusivity(unchecked) private var threshold = PollWatch.first
  @exclusivity(unchecked) private var reads = 0
  /// The total number of register reads.
  @exclusivity(unchecked) package private(set) var total = 0
  /// `true` if a check is due; polled between instructions.
  @exclusivity(unchecked) package private(set) var isCheckDue = false
  /// The cycle at which a check is due even without register reads.
  @exclusivity(unchecked) private var nextLook: UInt64 = 0
  @exclusivity(unchecked) private var gap = PollWatch.firstGap
  @exclusivity(unchecked) private var slept: UInt64 = 0
  /// `true` if the last check found a loop that repeats until an event, because no value that it reads changes by time
  /// alone.
  @exclusivity(unchecked) package private(set) var isIdleLoop = false
  /// The cycle until which the values that the program has read in this iteration stay the same unless an event occurs.
  @exclusivity(unchecked) package private(set) var stableUntil = UInt64.max
  /// The count, for example of a timer, that the program has read last.
  @exclusivity(unchecked) private var count: CoreCount?
  /// The cycle until which all counts that the program has read in this iteration keep their values.
  @exclusivity(unchecked) private var countUntil = UInt64.max
  /// `true` if a register was written in this iteration.
  @exclusivity(unchecked) package private(set) var hasWritten = false
  /// The number of consecutive checks that found the program outside the loops learned so far.
  @exclusivity(unchecked) private var misses = PollWatch.maxMisses
  /// The cycle before which no further attempt is made to learn a loop.
  @exclusivity(unchecked) private var nextLearning: UInt64 = 0
  /// The number of cycles between the next attempt to learn a loop and the attempt after it.
  @exclusivity(unchecked) private var learningGap = PollWatch.firstLearningGap
  /// `true` if the most recently learned loop has not been skipped yet.
  @exclusivity(unchecked) private var hasLearned = false
  /// A callback that ends the current run of the core.
  @exclusivity(unchecked) package var halt: () -> Void = {}

  /// Creates a detector in its initial state.
  package init() {}

  /// Records a read of a peripheral register.
  package func didRead() {
    reads += 1
    total += 1
    guard reads >= threshold else { return }
    reads = 0
    isCheckDue = true
    halt()
  }

  /// Records a write to a peripheral register.
  package func didWrite() {
    reads = 0
    hasWritten = true
  }

  /// Records that the register value that the program has just read will change at a cycle even if no event occurs.
  package func changes(at cycle: UInt64) { stableUntil = min(stableUntil, cycle) }

  /// Records that the program has read a count that increments at regular intervals, such as a timer.
  package func counts(_ count: CoreCount) {
    self.count = count
    countUntil = min(countUntil, count.nextTick)
  }

  /// Returns the count that the program has read since the last call; `nil` if it has not read one.
  package func takeCount() -> CoreCount? {
    defer { count = nil }
    return count
  }

  /// Starts the analysis of an iteration and forgets the values read before.
  package func beginIteration() {
    (stableUntil, countUntil, count, hasWritten) = (.max, .max, nil, false)
  }

  /// Records an event that the program may have waited for.
  package func didFireEvent() {
    reads = 0
    isIdleLoop = false
  }

  /// Returns the cycle until which the core may run before the next check; there is no limit while the core sleeps.
  package func pause(asleep: Bool) -> UInt64 { asleep ? .max : nextLook }

  /// Returns whether a check is due.
  ///
  /// - Parameters:
  ///   - isAsleep: `true` if the core sleeps.
  ///   - slept: the cycles spent asleep so far.
  ///   - cycle: the current cycle.
  /// - Returns: `true` if a check is due.
  package func isDue(asleep isAsleep: Bool, _ slept: UInt64, at cycle: UInt64) -> Bool {
    if slept != self.slept {
      // A program that sleeps does not poll.
      self.slept = slept
      nextLook = cycle &+ gap
    }
    return isCheckDue || !isAsleep && cycle >= nextLook
  }

  /// Skips a loop in which the program waits for a value that cannot change before a cycle.
  ///
  /// One iteration is executed and analysed. If it changed nothing, the following iterations that end before the cycle
  /// are counted without being executed.
  ///
  /// - Parameters:
  ///   - core: the core.
  ///   - end: the cycle of the next event.
  ///   - findLoop: a function that executes one iteration of at most the given number of instructions, before a cycle.
  ///   - isStill: a function that returns `false` if the iteration has scheduled an earlier event.
  ///   - pass: a function that counts the iterations that end before a cycle.
  /// - Returns: the stop reason if the core stopped during the iteration.
  package func look<Stop>(
    _ core: any MachineCore, before end: UInt64,
    findLoop: (_ steps: Int, _ end: UInt64) -> (loop: CoreLoop?, stop: Stop?),
    isStill: () -> Bool, pass: (CoreLoop, UInt64) -> Void
  ) -> Stop? {
    guard end > core.cycles + Self.leastGain else {
      conclude(found: true, core.cycles)
      return nil
    }
    beginIteration()
    let (loop, stop) = findLoop(Self.longestIteration, end)
    let isIdle = loop != nil && isStill()
    if let loop, isIdle { pass(loop, min(end, stableUntil, countUntil)) }
    isIdleLoop = isIdle && stableUntil == .max && countUntil == .max
    conclude(found: isIdle, core.cycles)
    return stop
  }

  /// Returns whether enough cycles remain before an event to skip a loop; otherwise schedules the next attempt.
  package func hasRoom(_ cycle: UInt64, before end: UInt64) -> Bool {
    if end > cycle + Self.leastGain { return true }
    conclude(found: true, cycle)
    return false
  }

  /// Records that iterations of a learned loop were skipped.
  package func didPass(isCounting: Bool, at cycle: UInt64) {
    misses = 0
    if hasLearned {
      hasLearned = false
      learningGap = max(learningGap / 4, Self.firstLearningGap)
    }
    isIdleLoop = !isCounting && stableUntil == .max
    conclude(found: true, cycle)
  }

  /// Records that the program was found outside the learned loops, or that it has left one.
  ///
  /// - Returns: `true` to try again soon; `false` if this has happened so often that a new loop should be learned.
  package func didMiss(at cycle: UInt64) -> Bool {
    guard misses < Self.maxMisses else { return false }
    misses += 1
    isIdleLoop = false
    conclude(found: true, cycle)
    return true
  }

  /// The maximum number of instructions that the next attempt to learn a loop executes in search of the loop; it is
  /// small at first.
  package var learningSteps: Int { learningGap > Self.firstLearningGap << 4 ? 1536 : 256 }

  /// Returns whether enough time has passed since the last attempt to learn a loop.
  package func mayLearn(at cycle: UInt64) -> Bool {
    guard cycle >= nextLearning else { return false }
    nextLearning = cycle &+ learningGap
    learningGap = min(learningGap * 4, Self.lastLearningGap)
    return true
  }

  /// Records that a loop was learned; the next attempt to skip it follows soon.
  package func didLearn(at cycle: UInt64) {
    (misses, hasLearned) = (0, true)
    conclude(found: true, cycle)
  }

  /// Ends a check; checks become less frequent if the program did not wait.
  private func conclude(found: Bool, _ cycle: UInt64) {
    if misses < Self.maxMisses {
      (isCheckDue, reads, threshold, gap) = (false, 0, Self.soonReads, Self.soonGap)
    } else if isCheckDue {
      isCheckDue = false
      threshold = found ? Self.first : min(threshold * 2, Self.last)
    } else {
      gap = found ? Self.firstGap : min(gap * 2, Self.lastGap)
    }
    nextLook = cycle &+ gap
  }
}
