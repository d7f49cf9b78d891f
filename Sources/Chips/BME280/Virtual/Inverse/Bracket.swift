/// Where a formula that rises or falls throughout crosses a value: between two neighbouring codes.
struct Bracket {
  /// A code and its value; a code outside the piece has none, and is infinitely wrong.
  struct Side {
    var index: Int32
    var value = Double.infinity
  }

  private let wanted: Double
  private let isRising: Bool
  private let first, last: Int32
  private var before, after: Side

  /// Creates the search of a piece; at first nothing is known but its ends.
  init(of wanted: Double, from first: Int32, to last: Int32, isRising: Bool) {
    self.wanted = wanted
    self.isRising = isRising
    (self.first, self.last) = (first, last)
    before = Side(index: first - 1)
    after = Side(index: last + 1)
  }

  /// Whether codes on both sides exist.
  var isEnclosed: Bool { before.index >= first && after.index <= last }

  /// The side that is nearer, the later of two that are.
  var nearest: Side {
    abs(before.value - wanted) < abs(after.value - wanted) ? before : after
  }

  /// How far the nearer side is off.
  var error: Double { abs(nearest.value - wanted) }

  /// From a first look, growing steps enclose the crossing; then halving finds it.
  @inline(__always)
  mutating func find(near estimate: Int32, _ forward: (Int32) -> Double) {
    var isBefore = look(at: estimate, forward)
    var reach: Int32 = 1
    while after.index - before.index > reach {
      let wasBefore = isBefore
      isBefore = look(at: wasBefore ? before.index + reach : after.index - reach, forward)
      if isBefore != wasBefore { break }
      reach *= 4
    }
    while after.index - before.index > 1 {
      _ = look(at: before.index + (after.index - before.index) / 2, forward)
    }
  }

  /// Looks at a code; returns whether it comes before the crossing.
  @inline(__always)
  private mutating func look(at index: Int32, _ forward: (Int32) -> Double) -> Bool {
    let value = forward(index)
    let isBefore = isRising ? value < wanted : value > wanted
    if isBefore {
      before = Side(index: index, value: value)
    } else {
      after = Side(index: index, value: value)
    }
    return isBefore
  }
}
