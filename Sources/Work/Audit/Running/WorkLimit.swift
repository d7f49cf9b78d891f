/// When a program that goes on is given up: after so much processor time of its own, or when for so long
/// nothing has moved at all.
///
/// A busy machine slows a program down, but makes it neither work more nor stand still.
struct WorkLimit {
  /// The limit, in nanoseconds.
  let nanoseconds: UInt64
  /// How often is looked, in nanoseconds.
  private static let intervalNanoseconds: UInt64 = 100_000_000

  private var nextLook: UInt64 = 0
  /// How much had been worked before, in ticks.
  private let start: UInt64
  /// The most processor time that was seen, in ticks.
  private var ticks: UInt64
  private var steps = 0
  private var lastMove: UInt64

  /// Whether a tenth of the processor time is used up.
  var isSlow: Bool {
    Double(ticks - start) * ProcessTree.tick * 1e10 > Double(nanoseconds)
  }

  /// Creates a limit of which nothing is used.
  ///
  /// - Parameters:
  ///   - nanoseconds: the limit.
  ///   - now: the time, in nanoseconds.
  ///   - ticks: the processor time before, which does not count.
  init(nanoseconds: UInt64, from now: UInt64 = 0, beyond ticks: UInt64 = 0) {
    self.nanoseconds = nanoseconds
    start = ticks
    self.ticks = ticks
    lastMove = now
  }

  /// Looks whether it is over.
  ///
  /// - Parameters:
  ///   - now: the time, in nanoseconds.
  ///   - steps: how much has been seen of the program: lines, transfers.
  ///   - tree: how much it has worked; asked ten times a second at most.
  /// - Returns: whether the program is to be given up.
  mutating func isOver(at now: UInt64, steps: Int, tree: () -> ProcessTree) -> Bool {
    guard now >= nextLook else { return false }
    nextLook = now + Self.intervalNanoseconds
    let tree = tree()
    return isOver(at: now, steps: steps, ticks: tree.ticks, isRunnable: tree.isRunnable)
  }

  /// Judges what was seen.
  mutating func isOver(at now: UInt64, steps: Int, ticks: UInt64, isRunnable: Bool) -> Bool {
    if ticks > self.ticks || steps != self.steps || isRunnable { lastMove = now }
    self.ticks = max(self.ticks, ticks)
    self.steps = steps
    return Double(self.ticks - start) * ProcessTree.tick * 1e9 > Double(nanoseconds)
      || now - lastMove > nanoseconds
  }
}
