package import I2CTrace

/// What the transfers to one part mean, in the names of its datasheet.
///
/// It is told of each transfer in turn, as an address may be sent in one and read from in the next.
package protocol TransferText {
  /// The meaning of a transfer; `nil` where it is none that such a part knows.
  mutating func meaning(of transfer: TracedTransfer) -> String?
}
