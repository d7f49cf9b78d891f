/// A turn of a loop as the list of its instructions, with what must hold for further turns to take the same way.
///
/// ``AvrLoopAnalysis`` makes it from one turn. Which way the program takes, and what it leaves in the registers that the
/// next turn reads, depends only on those registers, on memory, on registers of peripherals that keep their values, and
/// on ``conditions`` about a count that grows.
final class AvrLoopPath {
  /// Something to look at between two instructions.
  struct Look {
    enum Kind {
      /// Keeps the byte of a register for the conditions.
      case capture(Int)
      /// The pair of registers holds this value, as in the turn that was analysed.
      case pair(UInt16)
      /// The register holds this value.
      case byte(UInt8)
      /// A count was read by the instruction before.
      case count
    }
    /// The instruction before which it is due, by its position in the turn.
    let index: Int
    let register: Int
    let kind: Kind
  }

  /// The instructions, and the first one again.
  let ops: [UnsafePointer<AvrOp>]
  let cycles: UInt64
  /// The stack pointer at the beginning.
  let stack: UInt16
  /// 0xFF for each register that a turn reads before it writes it.
  let live: SIMD32<UInt8>
  /// The bytes of RAM that a turn reads before it writes them.
  let cells: [UInt16]
  let looks: [Look]
  let conditions: [AvrLoopCondition]

  /// Creates a path.
  init(
    ops: [UnsafePointer<AvrOp>], cycles: UInt64, stack: UInt16, live: SIMD32<UInt8>,
    cells: [UInt16], looks: [Look], conditions: [AvrLoopCondition]
  ) {
    (self.ops, self.cycles, self.stack, self.live) = (ops, cycles, stack, live)
    (self.cells, self.looks, self.conditions) = (cells, looks, conditions)
  }

  /// The bytes that a path may capture.
  static let mostCaptures = 128

  var head: UnsafePointer<AvrOp> { ops[0] }
  var count: Int { ops.count - 1 }

  /// The position of an instruction in the turn.
  func index(of op: UnsafePointer<AvrOp>) -> Int? {
    ops.withUnsafeBufferPointer { $0.firstIndex(of: op) }
  }
}
