package import I2C
package import I2CTrace
package import Quantities

/// Reconstructs one part from a trace.
///
/// It receives each transfer to the part in order, like ``TransferText``.
package protocol PartRecord {
  /// Records a transfer; of a failed one only the messages before the failure.
  mutating func take(_ transfer: TracedTransfer)

  /// The number of bytes, such as calibration, that the trace lacks and that a virtual part needs.
  var missing: Int { get }

  /// Creates a virtual part that answers with the recorded data.
  ///
  /// - Parameters:
  ///   - address: its bus address.
  ///   - pace: the scaling of the times in the trace.
  /// - Returns: the part and its model; `nil` if the trace lacks data that it needs.
  func part(
    at address: I2CAddress, pace: Replay.Pace
  ) -> (model: any PartModel, part: any VirtualPart)?

  /// The reason why no virtual part can be created, as a phrase after the name of the trace.
  func shortcoming(at address: I2CAddress) -> String

  /// The difference between the results of two records of the same part; `nil` if they cannot be compared.
  func difference(from other: any PartRecord) -> RecordDifference?
}

/// The difference between the results of two records of a part.
package struct RecordDifference: Sendable {
  /// The number of readings in the first and in the second record; the shorter length is compared.
  package let first, second: Int
  /// The largest difference of each measured quantity, in the stored unit.
  package let largest: PerQuantity<Double?>

  /// Creates a difference.
  package init(first: Int, second: Int, largest: PerQuantity<Double?>) {
    (self.first, self.second, self.largest) = (first, second, largest)
  }

  /// The number of compared readings.
  package var count: Int { min(first, second) }
}

/// Checks the transfers between a program and one part for driver errors, in constant memory.
///
/// It receives each transfer to the part in order, like ``TransferText``.
package protocol PartListener {
  /// Checks a transfer.
  mutating func take(_ transfer: TracedTransfer)

  /// The warning about errors that a real part would not tolerate; `nil` if there were none.
  mutating func warning() -> PartWarning?
}

/// A warning about the driver errors of a program with a part, on one line.
package struct PartWarning: Hashable, Sendable {
  /// The most severe error and its number of occurrences.
  package let sentence: String
  /// The number of other kinds of errors.
  package let others: Int
  /// Whether `aneroid audit` and `aneroid explain` support the part.
  package let isExplained: Bool

  /// Creates a warning.
  package init(_ sentence: String, others: Int, isExplained: Bool = true) {
    self.sentence = sentence
    self.others = others
    self.isExplained = isExplained
  }
}

/// Describes the transfers to one part with the register names of its datasheet.
///
/// It receives each transfer in order, because one may set the register address and the next one read from it.
package protocol TransferText {
  /// Describes a transfer; `nil` if it is not one that the part supports.
  mutating func meaning(of transfer: TracedTransfer) -> String?

  /// The number of transfers so far that do not fit this part. Default: 0.
  var doubts: Int { get }
}

extension TransferText {
  package var doubts: Int { 0 }
}
