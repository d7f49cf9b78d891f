/// A loop iteration as a list of instructions, and the conditions under which further iterations take the same path.
///
/// ``AvrLoopAnalysis`` creates it from one iteration. The path, and the values left in registers for the next
/// iteration, depend only on those registers, on memory, on peripheral registers with constant values, and on
/// ``conditions`` about an increasing count.
final class AvrLoopPath {
  /// A check between two instructions.
  struct Check {
    enum Kind {
      /// Captures the byte of a register for the conditions.
      case capture(Int)
      /// The register pair must hold this value, as in the analysed iteration.
      case pair(UInt16)
      /// The register must hold this value.
      case byte(UInt8)
      /// The previous instruction read a count.
      case count
    }
    /// The index of the instruction before which the check is made.
    let index: Int
    let register: Int
    let kind: Kind
  }

  /// The instructions, followed by the first one again.
  let ops: [UnsafePointer<AvrOp>]
  let cycles: UInt64
  /// The stack pointer at the start.
  let stack: UInt16
  /// A mask with 0xFF for each register that an iteration reads before writing it.
  let live: SIMD32<UInt8>
  /// RAM addresses that an iteration reads before writing them.
  let cells: [UInt16]
  let checks: [Check]
  let conditions: [AvrLoopCondition]

  /// Creates a path.
  init(
    ops: [UnsafePointer<AvrOp>], cycles: UInt64, stack: UInt16, live: SIMD32<UInt8>,
    cells: [UInt16], checks: [Check], conditions: [AvrLoopCondition]
  ) {
    (self.ops, self.cycles, self.stack, self.live) = (ops, cycles, stack, live)
    (self.cells, self.checks, self.conditions) = (cells, checks, conditions)
  }

  /// The maximum number of captured bytes.
  static let maxCaptures = 128

  var head: UnsafePointer<AvrOp> { ops[0] }
  var count: Int { ops.count - 1 }

  /// Returns the index of an instruction in the iteration.
  func index(of op: UnsafePointer<AvrOp>) -> Int? {
    ops.withUnsafeBufferPointer { $0.firstIndex(of: op) }
  }
}

/// A comparison in a loop whose operand grows with a count, and the outcome that keeps the program in the loop.
///
/// Operands are multi-byte integers. An operand derived from a count by additions, subtractions and shifts changes by a
/// fixed slope with each tick, modulo its width, so the number of ticks until the outcome changes follows from the
/// values of one iteration.
struct AvrLoopCondition {
  enum Kind: Equatable {
    /// Carry of a subtraction: left is lower than right, unsigned.
    case below
    /// Left is less than right, signed.
    case less
    /// The difference is zero.
    case equal
    /// The top bit of the result.
    case top(bits: UInt64)
  }

  /// The bytes of an operand, the lowest first: a captured byte by its index, a constant by its complement.
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
  /// Whether the result is a sum rather than a difference.
  var isSum: Bool
  var left = Bytes()
  var right = Bytes()
  var leftSlope: Int64
  var rightSlope: Int64

  /// Returns the number of ticks for which the outcome stays the same.
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
