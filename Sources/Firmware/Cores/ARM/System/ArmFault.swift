/// A fault of a program: its bit in CFSR and the exception that it raises.
package enum ArmFault: UInt32, Sendable {
  /// A fetch, a load or store, a stacking or unstacking at an exception that the MPU or the memory map forbids.
  case protectedFetch = 0, protectedAccess = 1, protectedUnstacking = 3, protectedStacking = 4
  /// The FPU's part of a frame, written when it was needed, where the MPU forbids it.
  case lazyProtected = 5
  /// A fetch, a load or store, a stacking at an exception that hit nothing.
  case fetch = 8, access = 9, stacking = 12, unstacking = 11
  /// The FPU's part of a frame, written when it was needed, that hit nothing.
  case lazy = 13
  /// An instruction that is not defined, a state without Thumb, a bad return, a missing coprocessor.
  case undefined = 16, state = 17, badReturn = 18, coprocessor = 19
  /// An unaligned access, a division by zero.
  case unaligned = 24, division = 25
  /// A vector that cannot be read: not in CFSR, a HardFault at once.
  case vector = 32

  /// The exception it raises.
  var exception: Int {
    switch rawValue {
    case ..<8: ArmInterrupts.memory
    case ..<16: ArmInterrupts.bus
    default: ArmInterrupts.usage
    }
  }
}
