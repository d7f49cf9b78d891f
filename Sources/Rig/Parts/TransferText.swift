package import I2CTrace

/// What the transfers to one part mean, in the names of its datasheet.
///
/// It is told of each transfer in turn, as an address may be sent in one and read from in the next.
package protocol TransferText {
  /// The meaning of a transfer; `nil` where it is none that such a part knows.
  mutating func meaning(of transfer: TracedTransfer) -> String?

  /// How many of the transfers so far no such part would have been asked for, or would have answered so.
  var doubts: Int { get }
}

extension TransferText {
  /// It means nothing to it where it is for another part.
  package var doubts: Int { 0 }
}
