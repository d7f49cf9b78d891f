package import Cores

/// Notices that a program may only be waiting.
///
/// It looks at registers of peripherals, again and again, or it has run for a while without rest. Then one turn of its
/// loop is looked at; where that changed nothing, those behind it are counted without being run.
package final class PollWatch {
  private static let first = 8
  private static let last = 4096
  /// How many cycles a program runs on before it is looked whether it waits for a variable: few behind a wait, many in
  /// the middle of work.
  private static let firstGap: UInt64 = 512
  private static let lastGap: UInt64 = 1 << 20
  private static let firstLearningGap: UInt64 = 1 << 12
  private static let lastLearningGap: UInt64 = 1 << 24
  /// How many instructions a turn of a loop may have.
  private static let longestTurn = 256
  /// The cycles that must be left before it is worth looking.
  private static let leastGain: UInt64 = 256
  /// After how many attempts outside the loops that are known another loop is learned.
  private static let mostMisses = 8
  /// The reads and the cycles after which the next attempt follows one that has passed over a known loop.
  private static let soonReads = 2
  private static let soonGap: UInt64 = 128

  /// How many reads without a write in between make it look whether the program waits.
  @exclusivity(unchecked) private var threshold = PollWatch.first
  @exclusivity(unchecked) private var reads = 0
  /// How many reads there have been in all.
  @exclusivity(unchecked) package private(set) var total = 0
  /// Whether it should be looked now; asked between two instructions.
  @exclusivity(unchecked) package private(set) var isSuspicious = false
  /// The cycle at which it is looked though no register was read.
  @exclusivity(unchecked) private var nextLook: UInt64 = 0
  @exclusivity(unchecked) private var gap = PollWatch.firstGap
  @exclusivity(unchecked) private var slept: UInt64 = 0
  /// Whether the last look has found a loop that does the same for ever, unless an event comes: nothing that it reads
  /// changes with time alone.
  @exclusivity(unchecked) package private(set) var standsStill = false
  /// Until which cycle what has been read stays as it is, without an event.
  @exclusivity(unchecked) package private(set) var stableUntil = UInt64.max
  /// The count that was read last, and until which cycle it keeps its value.
  @exclusivity(unchecked) private var count: CoreCount?
  @exclusivity(unchecked) private var countUntil = UInt64.max
  /// Whether a register has been written since the turn began.
  @exclusivity(unchecked) package private(set) var hasWritten = false
  /// How many attempts since the last success found the program outside the loops that are known.
  @exclusivity(unchecked) private var misses = PollWatch.mostMisses
  /// The cycle before which no other loop is learned, and the pause after the next attempt to learn one.
  @exclusivity(unchecked) private var nextLearning: UInt64 = 0
  @exclusivity(unchecked) private var learningGap = PollWatch.firstLearningGap
  /// Whether the loop that was learned last has not been passed over yet.
  @exclusivity(unchecked) private var hasLearned = false
  /// Lets the core come back soon.
  @exclusivity(unchecked) package var halt: () -> Void = {}

  /// Creates a watch that has seen nothing.
  package init() {}

  /// A register of a peripheral was read.
  package func didRead() {
    reads += 1
    total += 1
    guard reads >= threshold else { return }
    reads = 0
    isSuspicious = true
    halt()
  }

  /// A register of a peripheral was written.
  package func didWrite() {
    reads = 0
    hasWritten = true
  }

  /// What was just read changes by itself at a cycle.
  package func changes(at cycle: UInt64) { stableUntil = min(stableUntil, cycle) }

  /// A count was read that grows by one at regular intervals.
  package func counts(_ count: CoreCount) {
    self.count = count
    countUntil = min(countUntil, count.nextTick)
  }

  /// The count that was read since the last call; `nil` if none was.
  package func takeCount() -> CoreCount? {
    defer { count = nil }
    return count
  }

  /// Begins a turn of a loop: what was read before no longer counts.
  package func beginTurn() {
    (stableUntil, countUntil, count, hasWritten) = (.max, .max, nil, false)
  }

  /// Something happened for which a program may have waited.
  package func didHappen() {
    reads = 0
    standsStill = false
  }

  /// Until which cycle a core may run on before it is looked again.
  package func pause(asleep: Bool) -> UInt64 { asleep ? .max : nextLook }

  /// Whether to look now.
  ///
  /// - Parameters:
  ///   - isAsleep: whether the core sleeps.
  ///   - slept: the cycles that it has slept so far.
  ///   - cycle: the cycle now.
  /// - Returns: whether to look.
  package func isDue(asleep isAsleep: Bool, _ slept: UInt64, at cycle: UInt64) -> Bool {
    if slept != self.slept {
      // Who sleeps does not wait awake.
      self.slept = slept
      nextLook = cycle &+ gap
    }
    return isSuspicious || !isAsleep && cycle >= nextLook
  }

  /// Passes over a loop in which the program waits for something that cannot change before a cycle.
  ///
  /// One turn is run and looked at; where it left everything as it was, so do those behind it, and as many of them as
  /// end before the cycle are counted without being run.
  ///
  /// - Parameters:
  ///   - core: the core.
  ///   - end: the cycle at which something happens.
  ///   - turn: runs a turn of so many instructions at most, before a cycle.
  ///   - isStill: whether nothing has come nearer meanwhile.
  ///   - pass: counts turns that end before a cycle.
  /// - Returns: why the core stopped in the turn, if it did.
  package func look<Stop>(
    _ core: any MachineCore, before end: UInt64,
    turn: (_ steps: Int, _ end: UInt64) -> (loop: CoreLoop?, stop: Stop?),
    isStill: () -> Bool, pass: (CoreLoop, UInt64) -> Void
  ) -> Stop? {
    guard end > core.cycles + Self.leastGain else {
      conclude(found: true, core.cycles)
      return nil
    }
    beginTurn()
    let (loop, stop) = turn(Self.longestTurn, end)
    let isIdle = loop != nil && isStill()
    if let loop, isIdle { pass(loop, min(end, stableUntil, countUntil)) }
    standsStill = isIdle && stableUntil == .max && countUntil == .max
    conclude(found: isIdle, core.cycles)
    return stop
  }

  /// Whether enough cycles are left before an event to pass over a loop; else the next attempt follows later.
  package func hasRoom(_ cycle: UInt64, before end: UInt64) -> Bool {
    if end > cycle + Self.leastGain { return true }
    conclude(found: true, cycle)
    return false
  }

  /// Turns of a loop that is known were passed over.
  package func didPass(isCounting: Bool, at cycle: UInt64) {
    misses = 0
    if hasLearned {
      hasLearned = false
      learningGap = max(learningGap / 4, Self.firstLearningGap)
    }
    standsStill = !isCounting && stableUntil == .max
    conclude(found: true, cycle)
  }

  /// The program was outside the loops that are known, or has left one.
  ///
  /// - Returns: whether that was seldom enough to look again soon; else a loop should be learned.
  package func didMiss(at cycle: UInt64) -> Bool {
    guard misses < Self.mostMisses else { return false }
    misses += 1
    standsStill = false
    conclude(found: true, cycle)
    return true
  }

  /// How many instructions an attempt to learn a loop looks at: few at first.
  package var learningSteps: Int { learningGap > Self.firstLearningGap << 4 ? 1536 : 256 }

  /// Whether enough time has passed since the last attempt to learn a loop.
  package func mayLearn(at cycle: UInt64) -> Bool {
    guard cycle >= nextLearning else { return false }
    nextLearning = cycle &+ learningGap
    learningGap = min(learningGap * 4, Self.lastLearningGap)
    return true
  }

  /// A loop was learned: the next attempt to pass over it follows soon.
  package func didLearn(at cycle: UInt64) {
    (misses, hasLearned) = (0, true)
    conclude(found: true, cycle)
  }

  /// It has been looked; where the program did not wait, it is looked less often.
  private func conclude(found: Bool, _ cycle: UInt64) {
    if misses < Self.mostMisses {
      (isSuspicious, reads, threshold, gap) = (false, 0, Self.soonReads, Self.soonGap)
    } else if isSuspicious {
      isSuspicious = false
      threshold = found ? Self.first : min(threshold * 2, Self.last)
    } else {
      gap = found ? Self.firstGap : min(gap * 2, Self.lastGap)
    }
    nextLook = cycle &+ gap
  }
}
