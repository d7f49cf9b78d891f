/// A search for the converter code whose compensated value is nearest to a wanted value.
///
/// There is no inverse formula. The search only evaluates the compensation, which is implemented once, in the target
/// BME280. In double precision the compensated value is a parabola over the code, so a parabola through three values
/// comes within a code or two of the solution, which is then bracketed. The result depends only on the formula and the
/// wanted value.
struct CodeSearch {
  /// A code and the quality of its fit.
  struct Result {
    /// The code, a multiple of the step.
    var code: Int32
    /// The compensated value of the code.
    var value: Double
    /// `true` if the compensated value is within one resolution step of the wanted value.
    var isReached: Bool
  }

  /// The monotonicity of a formula over the code.
  enum Profile: Hashable {
    /// The value rises with the code, and may be constant in parts.
    case rising
    /// The value falls with the code, and may be constant in parts.
    case falling
    /// The value rises in one part and falls in another.
    case nonMonotonic
  }

  /// The number of codes of the channel: 2^20 or 2^16.
  let range: Int32
  /// The distance between two codes at the current resolution, a power of two.
  let step: Int32
  /// The number of consecutive codes over which the formula may be constant because it drops bits.
  let grain: Int32

  private var last: Int32 { range / step - 1 }

  init(range: Int32, step: Int32 = 1, grain: Int32 = 1) {
    self.range = range
    self.step = step
    self.grain = grain
  }

  /// Finds the code for which `forward` is nearest to `wanted`, or the later of two equally near codes.
  ///
  /// - Parameters:
  ///   - wanted: the wanted value.
  ///   - profile: the monotonicity of the formula.
  ///   - smooth: the formula in double precision, which is only used for the initial guess.
  ///   - forward: the formula.
  /// - Returns: the code and its value.
  @inline(__always)
  func nearest(
    to wanted: Double, _ profile: Profile, smooth: (Int32) -> Double, _ forward: (Int32) -> Double
  ) -> Result {
    func value(_ index: Int32) -> Double { forward(index * step) }
    func nearest(from first: Int32, to last: Int32, isRising: Bool) -> Bracket {
      var crossing = Bracket(of: wanted, from: first, to: last, isRising: isRising)
      crossing.find(near: estimate(of: wanted, from: first, to: last, smooth), value)
      return crossing
    }
    var best: Bracket
    if profile == .nonMonotonic, let turn = turningPoint(value) {
      let isRising = value(turn) > value(0)
      best = nearest(from: 0, to: turn, isRising: isRising)
      let other = nearest(from: turn, to: last, isRising: !isRising)
      if other.error <= best.error { best = other }
    } else {
      let isRising = profile == .nonMonotonic ? value(last) >= value(0) : profile == .rising
      best = nearest(from: 0, to: last, isRising: isRising)
    }
    return Result(
      code: best.nearest.index * step, value: best.nearest.value,
      isReached: best.isEnclosed || best.error <= gap(at: best.nearest.index, value))
  }

  /// Returns the larger of the differences between the value of a code and the values of its two neighbours.
  private func gap(at index: Int32, _ value: (Int32) -> Double) -> Double {
    let stride = max(grain / step, 1)
    let here = value(index)
    return max(
      abs(value(max(index - stride, 0)) - here), abs(value(min(index + stride, last)) - here))
  }

  /// Returns the index at which the parabola through both ends and the middle of an interval has the wanted value.
  @inline(__always)
  private func estimate(
    of wanted: Double, from first: Int32, to last: Int32, _ smooth: (Int32) -> Double
  ) -> Int32 {
    let half = max((last - first) / 2, 1)
    let start = smooth(first * step)
    let middle = smooth((first + half) * step)
    let end = smooth((first + 2 * half) * step)
    // With x = -1, 0, 1 at these three: square x^2 + linear x + middle.
    let square = (end + start) / 2 - middle
    let linear = (end - start) / 2
    let missing = wanted - middle
    let root = (linear * linear + 4 * square * missing).squareRoot()
    let x = 2 * missing / (linear + (linear < 0 ? -root : root))
    let index = Double(first + half) + Double(half) * (x.isFinite ? min(max(x, -1), 1) : 0)
    return min(max(Int32(index), first), last)
  }

  /// Returns the monotonicity of the formula.
  func profile(_ forward: (Int32) -> Double) -> Profile {
    func value(_ index: Int32) -> Double { forward(index * step) }
    if turningPoint(value) != nil { return .nonMonotonic }
    return value(last) >= value(0) ? .rising : .falling
  }

  /// Returns the index of the extremum, or `nil` unless the value rises at one end and falls at the other.
  @inline(__always)
  private func turningPoint(_ value: (Int32) -> Double) -> Int32? {
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
}

/// A bracket of the two neighbouring codes between which a monotonic formula crosses a value.
struct Bracket {
  /// A code and its value; a code outside the interval has no value and an infinite error.
  struct Side {
    var index: Int32
    var value = Double.infinity
  }

  private let wanted: Double
  private let isRising: Bool
  private let first, last: Int32
  private var before, after: Side

  /// Creates a bracket that spans a whole interval.
  init(of wanted: Double, from first: Int32, to last: Int32, isRising: Bool) {
    self.wanted = wanted
    self.isRising = isRising
    (self.first, self.last) = (first, last)
    before = Side(index: first - 1)
    after = Side(index: last + 1)
  }

  /// `true` if the interval has codes on both sides of the crossing.
  var isEnclosed: Bool { before.index >= first && after.index <= last }

  /// The side nearer to the wanted value, or the later of two equally near sides.
  var nearest: Side {
    abs(before.value - wanted) < abs(after.value - wanted) ? before : after
  }

  /// The absolute error of the nearer side.
  var error: Double { abs(nearest.value - wanted) }

  /// Brackets the crossing with growing steps from an initial guess, then bisects.
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

  /// Evaluates a code; returns `true` if it is before the crossing.
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
