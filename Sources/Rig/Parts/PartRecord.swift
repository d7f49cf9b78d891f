package import I2C
package import I2CTrace
package import Quantities

/// What a trace tells of one part.
///
/// It is told of each transfer to the part in turn, as ``TransferText`` is.
package protocol PartRecord {
  /// Takes what happened to the part; of a transfer that failed only what came before the failure.
  mutating func take(_ transfer: TracedTransfer)

  /// How many bytes are missing that a virtual part needs before it can measure.
  var missing: Int { get }

  /// Creates a virtual part that answers with what was recorded.
  ///
  /// - Parameters:
  ///   - address: where it answers.
  ///   - pace: how the times of the trace become its own.
  /// - Returns: the part and its model; `nil` where the trace tells too little of it.
  func part(
    at address: I2CAddress, pace: Replay.Pace
  ) -> (model: any PartModel, part: any VirtualPart)?

  /// Why there is no virtual part of it, in words that follow the name of the trace.
  func shortcoming(at address: I2CAddress) -> String

  /// By how much the results of another record of the same part differ; `nil` where the two cannot be compared.
  func difference(from other: any PartRecord) -> RecordDifference?
}

/// By how much the results of two records of a part differ.
package struct RecordDifference: Sendable {
  /// How many readings the first and the second hold; as many as both have are compared.
  package let first, second: Int
  /// The largest difference of each quantity that the part measures, in the kept unit.
  package let largest: PerQuantity<Double?>

  /// Creates a difference.
  package init(first: Int, second: Int, largest: PerQuantity<Double?>) {
    (self.first, self.second, self.largest) = (first, second, largest)
  }

  /// How many readings were compared.
  package var count: Int { min(first, second) }
}
