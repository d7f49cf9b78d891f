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
  /// How many instructions a turn of a loop may have.
  private static let longestTurn = 256
  /// The cycles that must be left before it is worth looking.
  private static let leastGain: UInt64 = 256

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
  @exclusivity(unchecked) private var stableUntil = UInt64.max
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
  package func didWrite() { reads = 0 }

  /// What was just read changes by itself at a cycle.
  package func changes(at cycle: UInt64) { stableUntil = min(stableUntil, cycle) }

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
    stableUntil = .max
    let (loop, stop) = turn(Self.longestTurn, end)
    let isIdle = loop != nil && isStill()
    if let loop, isIdle { pass(loop, min(end, stableUntil)) }
    standsStill = isIdle && stableUntil == .max
    conclude(found: isIdle, core.cycles)
    return stop
  }

  /// It has been looked; where the program did not wait, it is looked less often.
  private func conclude(found: Bool, _ cycle: UInt64) {
    if isSuspicious {
      isSuspicious = false
      threshold = found ? Self.first : min(threshold * 2, Self.last)
    } else {
      gap = found ? Self.firstGap : min(gap * 2, Self.lastGap)
    }
    nextLook = cycle &+ gap
  }
}
