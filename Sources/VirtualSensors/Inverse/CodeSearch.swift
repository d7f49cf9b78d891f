/// Finds the code of a converter whose compensated value is nearest to a wanted one.
///
/// It knows nothing of the formula but its values: the forward compensation is written once, in
/// the datasheet's target, and its inverse exists only as this search. The formulas are smooth
/// and have at most one turning point, so one or two monotonic pieces are searched.
struct CodeSearch {
  /// The code found and how well it fits.
  struct Result {
    /// The code, a multiple of the step.
    var code: Int32
    /// Its compensated value.
    var value: Double
    /// Whether the value is within one step of the resolution of the wanted one.
    var isReached: Bool
  }

  /// The number of codes, a power of two: 20 or 16 bits.
  let range: Int32
  /// The distance between two codes at the resolution in force, a power of two.
  let step: Int32
  /// The number of codes over which the formula itself may stand still, because it drops bits.
  let grain: Int32

  /// Finds the code for which `forward` is nearest to `wanted`.
  ///
  /// Where the formula is known to be monotonic, no turning point is looked for.
  @inline(__always)
  func nearest(
    to wanted: Double, isMonotonic: Bool = false, _ forward: (Int32) -> Double
  ) -> Result {
    let last = range / step - 1
    func value(_ index: Int32) -> Double { forward(index * step) }
    var best = Best(wanted: wanted, index: 0, value: .infinity)
    let turn = isMonotonic ? nil : turningPoint(last, value)
    search(from: 0, to: turn ?? last, best: &best, value)
    if let turn { search(from: turn, to: last, best: &best, value) }
    let stride = max(grain / step, 1)
    let below = abs(value(max(best.index - stride, 0)) - best.value)
    let above = abs(value(min(best.index + stride, last)) - best.value)
    return Result(
      code: best.index * step, value: best.value,
      isReached: best.error <= max(below, above))
  }

  /// The best code so far.
  private struct Best {
    let wanted: Double
    var index: Int32
    var value: Double
    var error: Double { abs(value - wanted) }

    // Of codes that are equally near, the later one stands: it is closer to the crossing.
    mutating func consider(_ candidate: Int32, _ value: Double) {
      guard abs(value - wanted) <= error else { return }
      (index, self.value) = (candidate, value)
    }
  }

  /// Whether the formula rises or falls throughout.
  func isMonotonic(_ forward: (Int32) -> Double) -> Bool {
    turningPoint(range / step - 1) { forward($0 * step) } == nil
  }

  /// The index at which the value turns, if it rises at one end and falls at the other.
  @inline(__always)
  private func turningPoint(_ last: Int32, _ value: (Int32) -> Double) -> Int32? {
    let stride = max(last / 64, 1)
    let start = value(stride) - value(0)
    let end = value(last) - value(last - stride)
    guard start * end < 0 else { return nil }
    var (low, high) = (Int32(0), last)
    while high - low > 2 {
      let third = (high - low) / 3
      let (left, right) = (low + third, high - third)
      if (value(left) < value(right)) == (start > 0) { low = left } else { high = right }
    }
    return low + 1
  }

  /// Searches a monotonic piece: straight lines come close, doubling steps from there enclose the
  /// crossing, and halving finds it.
  @inline(__always)
  private func search(
    from start: Int32, to end: Int32, best: inout Best, _ value: (Int32) -> Double
  ) {
    var piece = Piece(low: start, high: end, atLow: value(start), atHigh: value(end))
    best.consider(start, piece.atLow)
    best.consider(end, piece.atHigh)
    guard piece.encloses(best.wanted) else { return }
    for _ in 0..<3 where piece.width > 1 {
      let guess = piece.interpolated(best.wanted)
      piece.narrow(at: guess, value(guess), &best)
    }
    var reach = max(2 * grain / step, 2)
    while reach < piece.width {
      let probe = piece.isLowNear ? piece.low + reach : piece.high - reach
      let wasLowNear = piece.isLowNear
      piece.narrow(at: probe, value(probe), &best)
      if piece.isLowNear != wasLowNear { break }
      reach *= 4
    }
    while piece.width > 1 {
      let middle = piece.low + piece.width / 2
      piece.narrow(at: middle, value(middle), &best)
    }
  }

  /// A monotonic piece of the formula around the wanted value.
  private struct Piece {
    var low, high: Int32
    var atLow, atHigh: Double
    /// Which end was moved last; it is the nearer one after an interpolation.
    private(set) var isLowNear = true
    private let isRising: Bool

    init(low: Int32, high: Int32, atLow: Double, atHigh: Double) {
      (self.low, self.high, self.atLow, self.atHigh) = (low, high, atLow, atHigh)
      isRising = atHigh >= atLow
    }

    var width: Int32 { high - low }

    func encloses(_ wanted: Double) -> Bool {
      isRising ? atLow < wanted && wanted < atHigh : atHigh < wanted && wanted < atLow
    }

    /// Where a straight line between the ends meets the wanted value, inside the piece.
    func interpolated(_ wanted: Double) -> Int32 {
      guard atHigh != atLow else { return low + width / 2 }
      let share = (wanted - atLow) / (atHigh - atLow)
      return min(max(low + Int32(Double(width) * share), low + 1), high - 1)
    }

    /// Moves the end on whose side of the wanted value a code lies.
    mutating func narrow(at code: Int32, _ value: Double, _ best: inout Best) {
      best.consider(code, value)
      isLowNear = (value < best.wanted) == isRising
      if isLowNear { (low, atLow) = (code, value) } else { (high, atHigh) = (code, value) }
    }
  }
}
