/// Exceptions by number: which are pending, enabled and being handled, and how urgent each is.
///
/// 1 to 15 are the core's own, 16 and up the interrupts of the microcontroller. A class, since a structure of this size
/// is copied where it is only looked at.
final class ArmInterrupts {
  /// The exceptions of the core by name.
  static let nonMaskable = 2, hardFault = 3, memory = 4, bus = 5, usage = 6
  /// The exceptions that faults raise.
  static let faults = hardFault...usage
  static let supervisorCall = 11, monitor = 12, pendSV = 14, sysTick = 15

  @exclusivity(unchecked) private(set) var pending = InlineArray<4, UInt64>(repeating: 0)
  @exclusivity(unchecked) private(set) var enabled = InlineArray<4, UInt64>(repeating: 0)
  @exclusivity(unchecked) private(set) var active = InlineArray<4, UInt64>(repeating: 0)
  /// The lines on which devices ask now.
  @exclusivity(unchecked) private var lines = InlineArray<4, UInt64>(repeating: 0)
  @exclusivity(unchecked) private var priorities = InlineArray<256, UInt8>(repeating: 0)
  /// The bits of a priority that the part has.
  let priorityMask: UInt8
  /// AIRCR.PRIGROUP.
  @exclusivity(unchecked) var grouping: UInt32 = 0

  /// Creates them as after a reset: the core's own are enabled, but for three kinds of fault.
  init(priorityBits: Int) {
    priorityMask = UInt8(truncatingIfNeeded: 0xFF << (8 - priorityBits))
    enabled[0] = 0xFF8F
  }

  /// Makes them as after a reset again.
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

  /// Whether an exception is being handled besides one of them.
  func isAnyActive(but number: Int) -> Bool {
    var others = active
    Self.set(&others, number, false)
    return others[0] | others[1] | others[2] | others[3] != 0
  }

  /// Whether an interrupt of the microcontroller is pending, enabled or not.
  var isAnyInterruptPending: Bool {
    pending[0] >> 16 | pending[1] | pending[2] | pending[3] != 0
  }

  /// Whether an interrupt of the microcontroller is enabled.
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

  /// The priority register of an exception.
  subscript(priorityOf number: Int) -> UInt8 {
    get { priorities[number] }
    set { priorities[number] = newValue & priorityMask }
  }

  /// How urgent an exception is: the less, the more.
  func priority(_ number: Int) -> Int {
    switch number {
    case 1...3: number - 4
    default: Int(priorities[number])
    }
  }

  /// The part of a priority that decides whether another is interrupted.
  func group(_ priority: Int) -> Int {
    priority < 0 ? priority : priority & ~((2 << Int(grouping)) - 1)
  }

  /// The priority of what is being handled; 256 when nothing is.
  var activePriority: Int {
    var least = 256
    Self.each(active) { least = min(least, group(priority($0))) }
    return least
  }

  /// The most urgent exception that is pending and enabled.
  var next: Int? {
    var ready = pending
    for index in 0..<4 { ready[index] &= enabled[index] }
    // As a rule there is none.
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
