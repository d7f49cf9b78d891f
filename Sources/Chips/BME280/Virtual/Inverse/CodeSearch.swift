/// Finds the code of a converter whose compensated value is nearest to a wanted one.
///
/// It knows nothing of the formula but its values: the forward compensation is written once, in
/// the datasheet's target, and its inverse exists only as this search. In double precision the
/// formulas are parabolas in the code, so that one through three of their values leads to within a
/// code or two, from where the crossing is enclosed. What is found depends on the formula and the
/// wanted value alone.
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

  /// What a formula does as the code rises.
  enum Profile: Hashable {
    /// It rises, if only in places.
    case rising
    /// It falls, if only in places.
    case falling
    /// It does one, then the other.
    case nonMonotonic
  }

  /// The number of codes, a power of two: 20 or 16 bits.
  let range: Int32
  /// The distance between two codes at the resolution in force, a power of two.
  let step: Int32
  /// The number of codes over which the formula itself may stand still, because it drops bits.
  let grain: Int32

  private var last: Int32 { range / step - 1 }

  init(range: Int32, step: Int32 = 1, grain: Int32 = 1) {
    self.range = range
    self.step = step
    self.grain = grain
  }

  /// Finds the code for which `forward` is nearest to `wanted`; of two that are, the later.
  ///
  /// - Parameters:
  ///   - wanted: the value.
  ///   - profile: what the formula does.
  ///   - smooth: the formula in double precision, only to know where to look first.
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

  /// The larger of the differences between a code's value and those next to it.
  private func gap(at index: Int32, _ value: (Int32) -> Double) -> Double {
    let stride = max(grain / step, 1)
    let here = value(index)
    return max(
      abs(value(max(index - stride, 0)) - here), abs(value(min(index + stride, last)) - here))
  }

  /// Where the parabola through both ends and the middle of a piece meets the wanted value.
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

  /// What the formula does.
  func profile(_ forward: (Int32) -> Double) -> Profile {
    func value(_ index: Int32) -> Double { forward(index * step) }
    if turningPoint(value) != nil { return .nonMonotonic }
    return value(last) >= value(0) ? .rising : .falling
  }

  /// The index at which the value turns, if it rises at one end and falls at the other.
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
