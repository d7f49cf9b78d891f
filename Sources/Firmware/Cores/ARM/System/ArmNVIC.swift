/// The pending, enabled, active and priority state of all exceptions.
///
/// Exceptions 1 to 15 belong to the core; from 16 on they are the interrupts of the microcontroller. The type is a class
/// because a structure of this size would be copied on reads.
final class ArmNVIC {
  /// Exception numbers of the core.
  static let nonMaskable = 2, hardFault = 3, memory = 4, bus = 5, usage = 6
  /// The fault exceptions: HardFault and the configurable ones.
  static let faults = hardFault...usage
  static let supervisorCall = 11, monitor = 12, pendSV = 14, sysTick = 15

  @exclusivity(unchecked) private(set) var pending = InlineArray<4, UInt64>(repeating: 0)
  @exclusivity(unchecked) private(set) var enabled = InlineArray<4, UInt64>(repeating: 0)
  @exclusivity(unchecked) private(set) var active = InlineArray<4, UInt64>(repeating: 0)
  /// The levels of the interrupt lines, with one bit per exception number.
  @exclusivity(unchecked) private var lines = InlineArray<4, UInt64>(repeating: 0)
  @exclusivity(unchecked) private var priorities = InlineArray<256, UInt8>(repeating: 0)
  /// A mask of the implemented bits of a priority.
  let priorityMask: UInt8
  /// AIRCR.PRIGROUP.
  @exclusivity(unchecked) var grouping: UInt32 = 0

  /// Creates the reset state, in which all core exceptions except MemManage, BusFault and UsageFault are enabled.
  init(priorityBits: Int) {
    priorityMask = UInt8(truncatingIfNeeded: 0xFF << (8 - priorityBits))
    enabled[0] = 0xFF8F
  }

  /// Restores the reset state.
  func reset() {
    for index in 0..<4 { (pending[index], enabled[index]) = (0, 0) }
    for index in 0..<4 { (active[index], lines[index]) = (0, 0) }
    for index in 0..<256 { priorities[index] = 0 }
    grouping = 0
    enabled[0] = 0xFF8F
  }

  func isPending(_ number: Int) -> Bool { pending[number >> 6] >> UInt64(number & 63) & 1 != 0 }
  func isEnabled(_ number: Int) -> Bool { enabled[number >> 6] >> UInt64(number & 63) & 1 != 0 }
  func isActive(_ number: Int) -> Bool { active[number >> 6] >> UInt64(number & 63) & 1 != 0 }

  /// Returns whether an exception other than `number` is active.
  func isAnyActive(but number: Int) -> Bool {
    var others = active
    Self.set(&others, number, false)
    return others[0] | others[1] | others[2] | others[3] != 0
  }

  /// `true` if an interrupt of the microcontroller is pending, even a disabled one.
  var isAnyInterruptPending: Bool {
    pending[0] >> 16 | pending[1] | pending[2] | pending[3] != 0
  }

  /// `true` if an interrupt of the microcontroller is enabled.
  var isAnyInterruptEnabled: Bool {
    enabled[0] >> 16 | enabled[1] | enabled[2] | enabled[3] != 0
  }

  func isHigh(_ number: Int) -> Bool { lines[number >> 6] >> UInt64(number & 63) & 1 != 0 }

  func setLine(_ number: Int, _ value: Bool) { Self.set(&lines, number, value) }
  func setPending(_ number: Int, _ value: Bool) { Self.set(&pending, number, value) }
  func setEnabled(_ number: Int, _ value: Bool) { Self.set(&enabled, number, value) }
  func setActive(_ number: Int, _ value: Bool) { Self.set(&active, number, value) }

  private static func set(_ bits: inout InlineArray<4, UInt64>, _ number: Int, _ value: Bool) {
    let bit: UInt64 = 1 << UInt64(number & 63)
    if value { bits[number >> 6] |= bit } else { bits[number >> 6] &= ~bit }
  }

  /// The value of an exception's priority register.
  subscript(priorityOf number: Int) -> UInt8 {
    get { priorities[number] }
    set { priorities[number] = newValue & priorityMask }
  }

  /// Returns the priority of an exception; lower values are more urgent.
  func priority(_ number: Int) -> Int {
    switch number {
    case 1...3: number - 4
    default: Int(priorities[number])
    }
  }

  /// Returns the group part of a priority, which determines preemption.
  func group(_ priority: Int) -> Int {
    priority < 0 ? priority : priority & ~((2 << Int(grouping)) - 1)
  }

  /// The group priority of the most urgent active exception; 256 if no exception is active.
  var activePriority: Int {
    var least = 256
    Self.each(active) { least = min(least, group(priority($0))) }
    return least
  }

  /// The most urgent exception that is pending and enabled.
  var next: Int? {
    var ready = pending
    for index in 0..<4 { ready[index] &= enabled[index] }
    // Usually no exception is ready.
    guard ready[0] | ready[1] | ready[2] | ready[3] != 0 else { return nil }
    var found: Int?
    Self.each(ready) { number in
      if let best = found, priority(best) <= priority(number) { return }
      found = number
    }
    return found
  }

  private static func each(_ bits: InlineArray<4, UInt64>, _ body: (Int) -> Void) {
    for index in 0..<4 where bits[index] != 0 {
      var rest = bits[index]
      while rest != 0 {
        body(index << 6 + rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
  }
}

/// A fault, whose raw value is its bit in CFSR.
package enum ArmFault: UInt32, Sendable {
  /// MPU or execute-never violations: IACCVIOL, DACCVIOL, MUNSTKERR, MSTKERR.
  case protectedFetch = 0, protectedAccess = 1, protectedUnstacking = 3, protectedStacking = 4
  /// MLSPERR: an MPU violation during lazy stacking.
  case lazyProtected = 5
  /// Bus errors: IBUSERR, PRECISERR, STKERR, UNSTKERR.
  case fetch = 8, access = 9, stacking = 12, unstacking = 11
  /// LSPERR: a bus error during lazy stacking.
  case lazy = 13
  /// UNDEFINSTR, INVSTATE, INVPC, NOCP.
  case undefined = 16, state = 17, badReturn = 18, coprocessor = 19
  /// UNALIGNED, DIVBYZERO.
  case unaligned = 24, division = 25
  /// A vector table read failed; this raises HardFault and has no bit in CFSR.
  case vector = 32
  /// SVC was executed at a priority that does not allow its exception; this raises HardFault and has no bit in CFSR.
  case call = 33

  /// A description for messages.
  package var words: String {
    switch self {
    case .protectedFetch: "an instruction fetch from an execute-never address"
    case .protectedAccess: "a load or store that violates memory protection"
    case .protectedStacking: "stacking that violates memory protection"
    case .protectedUnstacking: "unstacking that violates memory protection"
    case .lazyProtected: "lazy FPU stacking that violates memory protection"
    case .fetch: "an instruction fetch with a bus error"
    case .access: "a load or store with a bus error"
    case .stacking: "stacking with a bus error"
    case .unstacking: "unstacking with a bus error"
    case .lazy: "lazy FPU stacking with a bus error"
    case .undefined: "an undefined instruction"
    case .state: "a branch without the Thumb bit"
    case .badReturn: "an invalid exception return"
    case .coprocessor: "an instruction for a coprocessor that is disabled or missing"
    case .unaligned: "an unaligned access"
    case .division: "a division by zero"
    case .vector: "a failed read of the vector table"
    case .call: "an SVC at a priority that blocks its exception"
    }
  }

  /// The number of the exception that the fault raises; a vector or call fault escalates to HardFault.
  var exception: Int {
    switch rawValue {
    case ..<8: ArmNVIC.memory
    case ..<16: ArmNVIC.bus
    default: ArmNVIC.usage
    }
  }
}
