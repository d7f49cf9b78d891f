/// A loop of a program that does the same again and again: each turn ends in the state in which it began.
package struct CoreLoop: Equatable, Sendable {
  /// The cycles of a turn.
  package let cycles: UInt64
  /// The instructions of a turn.
  package let instructions: UInt64
}
