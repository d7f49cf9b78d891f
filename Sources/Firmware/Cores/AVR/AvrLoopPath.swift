/// A loop iteration as a list of instructions, and the conditions under which further iterations take the same path.
///
/// `AvrLoopAnalysis` creates the path from one iteration. An iteration takes this path and leaves the same register
/// values if the `live` registers, the `cells` in memory and the peripheral registers have the same values, and if
/// the increasing count that it reads meets the `conditions`.
final class AvrLoopPath {
  /// A check to perform between two instructions.
  struct Check {
    enum Kind {
      /// The check stores the value of the register, for use by the conditions, as the captured byte with this index.
      case capture(Int)
      /// The register pair must have this value, as in the analysed iteration.
      case pair(UInt16)
      /// The register must have this value.
      case byte(UInt8)
      /// The previous instruction must have read a count from a peripheral.
      case count
    }
    /// The index of the instruction before which to perform the check.
    let index: Int
    let register: Int
    let kind: Kind
  }

  /// The instructions of the iteration, followed by the first one again.
  let ops: [UnsafePointer<AvrOp>]
  let cycles: UInt64
  /// The stack pointer at the start of an iteration.
  let stack: UInt16
  /// A mask with 0xFF for each register that an iteration reads before writing it.
  let live: SIMD32<UInt8>
  /// The RAM addresses that an iteration reads and later writes.
  let cells: [UInt16]
  let checks: [Check]
  let conditions: [AvrLoopCondition]

  init(
    ops: [UnsafePointer<AvrOp>], cycles: UInt64, stack: UInt16, live: SIMD32<UInt8>,
    cells: [UInt16], checks: [Check], conditions: [AvrLoopCondition]
  ) {
    (self.ops, self.cycles, self.stack, self.live) = (ops, cycles, stack, live)
    (self.cells, self.checks, self.conditions) = (cells, checks, conditions)
  }

  /// The maximum number of register values that the checks capture.
  static let maxCaptures = 128

  var head: UnsafePointer<AvrOp> { ops[0] }
  var count: Int { ops.count - 1 }

  /// Returns the index of an instruction in the iteration.
  func index(of op: UnsafePointer<AvrOp>) -> Int? {
    ops.withUnsafeBufferPointer { $0.firstIndex(of: op) }
  }
}

/// A comparison in a loop whose operands depend on a count, and the outcome that keeps the program on the path.
///
/// Operands are multi-byte integers. An operand derived from a count by additions, subtractions and shifts changes by a
/// fixed slope with each tick, modulo its width, so the number of ticks until the outcome changes follows from the
/// values of one iteration.
struct AvrLoopCondition {
  enum Kind: Equatable {
    /// The left operand is less than the right, unsigned (the carry of the subtraction).
    case below
    /// The left operand is less than the right, signed.
    case less
    /// The operands are equal.
    case equal
    /// The top bit of the sum or difference, which has this number of bits, is set.
    case top(bits: UInt64)
  }

  /// The bytes of an operand, the lowest first.
  ///
  /// A captured byte is represented by its index. A constant byte is represented by its bitwise complement, which is
  /// negative.
  struct Bytes {
    private(set) var count = 0
    private var sources = SIMD8<Int16>()

    mutating func append(_ source: Int16) {
      sources[count] = source
      count += 1
    }

    /// The indices of the captured bytes.
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
  /// `true` if the operation is an addition rather than a subtraction or comparison.
  var isSum: Bool
  var left = Bytes()
  var right = Bytes()
  var leftSlope: Int64
  var rightSlope: Int64

  /// Returns the number of ticks of the count during which the outcome stays the same.
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
