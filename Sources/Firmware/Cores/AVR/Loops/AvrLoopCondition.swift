/// A comparison in a loop whose operand grows with a count, with the outcome that keeps the program in the loop.
///
/// The operands are integers of some bytes. One that is derived from a count by sums, differences and shifts changes by a
/// fixed slope with each tick, modulo the range of its bytes; so the ticks until the outcome changes follow from the values
/// of one turn.
struct AvrLoopCondition {
  enum Kind: Equatable {
    /// The carry of a difference: left is below right, unsigned.
    case below
    /// Left is below right, signed.
    case less
    /// The difference is zero.
    case equal
    /// The highest of some bits of the result.
    case top(bits: UInt64)
  }

  /// The bytes of an operand, the lowest first: a captured one by its number, a constant by its complement.
  struct Bytes {
    private(set) var count = 0
    private var sources = SIMD8<Int16>()

    mutating func append(_ source: Int16) {
      sources[count] = source
      count += 1
    }

    /// The numbers of the captured bytes.
    var captures: [Int] { (0..<count).compactMap { sources[$0] < 0 ? nil : Int(sources[$0]) } }

    func value(_ captured: UnsafeMutablePointer<UInt8>) -> UInt64 {
      var value: UInt64 = 0
      for index in 0..<count {
        let source = sources[index]
        let byte = source < 0 ? UInt64(~source) : UInt64(captured[Int(source)])
        value |= byte << UInt64(8 * index)
      }
      return value
    }
  }

  var kind: Kind
  var outcome: Bool
  /// Whether the result is a sum; else it is a difference.
  var isSum: Bool
  var left = Bytes()
  var right = Bytes()
  var leftSlope: Int64
  var rightSlope: Int64

  /// The ticks for which the outcome stays what it was in a turn.
  func ticks(_ captured: UnsafeMutablePointer<UInt8>) -> UInt64 {
    let (a, b) = (left.value(captured), right.value(captured))
    let range: UInt64 = 1 << UInt64(8 * left.count)
    switch kind {
    case .below: return compared(a, b, range)
    case .less: return compared(a ^ range >> 1, b ^ range >> 1, range)
    case .equal:
      let slope = leftSlope - rightSlope
      if outcome { return slope == 0 ? .max : 0 }
      return Self.ticks(a &- b & (range - 1), slope, within: 1, range - 1)
    case .top(let bits):
      let (half, mask): (UInt64, UInt64) = (1 << (bits - 1), 1 << bits - 1)
      let value = (isSum ? a &+ b : a &- b) & mask
      let slope = isSum ? leftSlope + rightSlope : leftSlope - rightSlope
      return outcome
        ? Self.ticks(value, slope, within: half, mask)
        : Self.ticks(value, slope, within: 0, half - 1)
    }
  }

  private func compared(_ a: UInt64, _ b: UInt64, _ range: UInt64) -> UInt64 {
    guard (a < b) == outcome else { return 0 }
    if rightSlope == 0 {
      return outcome
        ? Self.ticks(a, leftSlope, within: 0, b - 1)
        : Self.ticks(a, leftSlope, within: b, range - 1)
    }
    return outcome
      ? Self.ticks(b, rightSlope, within: a + 1, range - 1)
      : Self.ticks(b, rightSlope, within: 0, a)
  }

  private static func ticks(
    _ value: UInt64, _ slope: Int64, within low: UInt64, _ high: UInt64
  ) -> UInt64 {
    guard value >= low, value <= high else { return 0 }
    if slope == 0 { return .max }
    return slope > 0 ? (high - value) / UInt64(slope) : (value - low) / slope.magnitude
  }
}
