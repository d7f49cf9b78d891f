package import I2C
package import I2CTrace
package import Quantities

/// Reconstructs one part from a trace.
///
/// It receives each transfer to the part in order, like `TransferText`.
package protocol PartRecord {
  /// Records a transfer; if it failed, only the messages before the failure.
  mutating func take(_ transfer: TracedTransfer)

  /// The number of bytes that a virtual part needs, such as its calibration, but that are missing
  /// from the trace.
  var missing: Int { get }

  /// Creates a virtual part that answers with the recorded data.
  ///
  /// - Parameters:
  ///   - address: the bus address of the part.
  ///   - pace: the scaling of the times in the trace.
  /// - Returns: the part and its model; `nil` if data that the part needs are missing from the
  ///   trace.
  func part(
    at address: I2CAddress, pace: Replay.Pace
  ) -> (model: any PartModel, part: any VirtualPart)?

  /// Returns the reason why no virtual part can be created, as a phrase to print after the name of
  /// the trace.
  func shortcoming(at address: I2CAddress) -> String

  /// Returns the difference between the results of two records of the same part; `nil` if they
  /// cannot be compared.
  func difference(from other: any PartRecord) -> RecordDifference?
}

/// The difference between the results of two records of a part.
package struct RecordDifference: Sendable {
  /// The number of readings in the first and in the second record; only as many as the shorter
  /// record contains are compared.
  package let first, second: Int
  /// The largest difference of each measured quantity, in °C, Pa or %.
  package let largest: PerQuantity<Double?>

  package init(first: Int, second: Int, largest: PerQuantity<Double?>) {
    (self.first, self.second, self.largest) = (first, second, largest)
  }

  /// The number of compared readings.
  package var count: Int { min(first, second) }
}

/// Checks the transfers between a program and one part for driver errors, in constant memory.
///
/// It receives each transfer to the part in order, like `TransferText`.
package protocol PartListener {
  /// Checks a transfer.
  mutating func take(_ transfer: TracedTransfer)

  /// Returns the warning about errors that a real part would not tolerate; `nil` if there were
  /// none.
  mutating func warning() -> PartWarning?
}

/// A one-line warning about the errors that a program makes in the use of a part.
package struct PartWarning: Hashable, Sendable {
  /// The most severe error and its number of occurrences.
  package let sentence: String
  /// The number of other kinds of errors.
  package let others: Int
  /// `true` if `aneroid audit` and `aneroid explain` support the part.
  package let isExplained: Bool
  /// What a real part may do instead, as a sentence; `nil` if it behaves the same way.
  package let doubt: String?

  package init(
    _ sentence: String, others: Int, isExplained: Bool = true, doubt: String? = nil
  ) {
    self.doubt = doubt
    self.sentence = sentence
    self.others = others
    self.isExplained = isExplained
  }
}

/// Describes the transfers to one part with the register names of its datasheet.
///
/// It receives each transfer in order, because one may set the register address and the next one read from it.
package protocol TransferText {
  /// Describes a transfer; returns `nil` if the part does not support it.
  mutating func meaning(of transfer: TracedTransfer) -> String?

  /// The number of transfers so far that do not fit this part. Default: 0.
  var doubts: Int { get }

  /// Returns whether a transfer reads a measured value. Default: `false`.
  ///
  /// A text receives each transfer once, here or in `meaning(of:)`.
  mutating func readsResult(_ transfer: TracedTransfer) -> Bool
}

extension TransferText {
  package var doubts: Int { 0 }
  package mutating func readsResult(_ transfer: TracedTransfer) -> Bool { false }
}
