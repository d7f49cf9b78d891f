package import I2CTrace

/// Listens to a program and one part while they talk, in constant memory.
///
/// It is told of each transfer to the part in turn, as ``TransferText`` is.
package protocol PartListener {
  /// Takes what has happened.
  mutating func take(_ transfer: TracedTransfer)

  /// What the program did that a real part punishes; `nil` where there is nothing to say.
  mutating func remark() -> PartRemark?
}

/// What a program does wrong with a part, in words for a line.
package struct PartRemark: Hashable, Sendable {
  /// The worst of what happened, with how often.
  package let sentence: String
  /// How many other kinds of mistakes there were.
  package let others: Int
  /// Whether audits and diagnoses know such a part, and can explain what it meets.
  package let isExplained: Bool

  /// Creates a remark.
  package init(_ sentence: String, others: Int, isExplained: Bool = true) {
    self.sentence = sentence
    self.others = others
    self.isExplained = isExplained
  }
}
