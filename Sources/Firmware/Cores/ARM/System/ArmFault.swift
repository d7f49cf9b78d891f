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
  /// A supervisor call where none can be taken: not in CFSR either, a HardFault at once.
  case call = 33

  /// What the core did when it was raised, in words.
  package var words: String {
    switch self {
    case .protectedFetch: "code at an address from which none may be run"
    case .protectedAccess: "a load or store that the MPU or the memory map forbids"
    case .protectedStacking: "stacking where the MPU or the memory map forbids it"
    case .protectedUnstacking: "unstacking where the MPU or the memory map forbids it"
    case .lazyProtected: "stacking of the FPU's registers where the MPU forbids it"
    case .fetch: "code where no memory answers"
    case .access: "a load or store where no memory answers"
    case .stacking: "stacking where no memory answers"
    case .unstacking: "unstacking where no memory answers"
    case .lazy: "stacking of the FPU's registers where no memory answers"
    case .undefined: "an undefined instruction"
    case .state: "a jump without the Thumb bit"
    case .badReturn: "a bad return from an exception"
    case .coprocessor: "an instruction of a coprocessor that is off or not there"
    case .unaligned: "an unaligned access"
    case .division: "a division by zero"
    case .vector: "a vector that cannot be read"
    case .call: "a supervisor call where none can be taken"
    }
  }

  /// The exception it raises.
  var exception: Int {
    switch rawValue {
    case ..<8: ArmInterrupts.memory
    case ..<16: ArmInterrupts.bus
    default: ArmInterrupts.usage
    }
  }
}
