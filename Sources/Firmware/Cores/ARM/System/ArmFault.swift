/// A fault of a program: its bit in CFSR and the exception that it raises.
package enum ArmFault: UInt32, Sendable {
  /// A fetch, a load or store, a stacking at an exception that hit nothing.
  case fetch = 8, access = 9, stacking = 12, unstacking = 11
  /// An instruction that is not defined, a state without Thumb, a bad return, a missing coprocessor.
  case undefined = 16, state = 17, badReturn = 18, coprocessor = 19
  /// An unaligned access, a division by zero.
  case unaligned = 24, division = 25

  /// The exception it raises.
  var exception: Int { rawValue < 16 ? ArmInterrupts.bus : ArmInterrupts.usage }
}
