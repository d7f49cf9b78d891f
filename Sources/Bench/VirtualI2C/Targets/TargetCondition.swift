public import Quantities

/// What is wrong within a target while a fault lasts, in words that any sensor can understand.
///
/// A target takes what it knows, and counts how often it had an effect: that is the proof that the fault fired.
public enum TargetCondition: Hashable, Sendable {
  /// The supply dips, and of its memory the part copies only the first bytes; an effect is a copy.
  case partialMemory(kept: Int)
  /// Whenever the part starts anew, one byte of its memory is copied wrong; an effect is a copy.
  case wrongMemory(byte: Int, mask: UInt8)
  /// New results never reach the data registers; an effect is a conversion.
  case frozen
  /// Conversions take as long as the data sheet allows; an effect is a conversion.
  case slow
  /// The results are off, in kelvins, pascals and percent; an effect is a conversion.
  case offset(PerQuantity<Double>)
  /// The results drift, in kelvins, pascals and percent an hour; an effect is a conversion.
  case drift(PerQuantity<Double>)
}
