import Cores
package import Machines

/// A peripheral with the common register layout: tasks from 0x000, events from 0x100, shortcuts, interrupts, registers.
///
/// Tasks and events are identified by the offset of their register, as in the product specification.
package class TaskPeripheral: RegisterBlock, BusDevice {
  package static let SHORTS: UInt32 = 0x200
  static let INTEN: UInt32 = 0x300
  package static let INTENSET: UInt32 = 0x304
  static let INTENCLR: UInt32 = 0x308
  /// An undocumented register that errata 89 and 212 use to switch the peripheral off and on.
  package static let powerSwitch: UInt32 = 0xFFC

  private static var tasks: Range<UInt32> { 0x000..<0x100 }
  private static var events: Range<UInt32> { 0x100..<0x180 }

  /// A shortcut: a bit of SHORTS that connects an event to a task.
  struct Short {
    let bit: UInt32
    let event: UInt32
    let task: UInt32
  }

  /// The chip, which releases its peripherals in `dismantle()`.
  final let chip: Chip
  /// The peripheral ID, which is also the number of its interrupt and of its page.
  let number: Int
  /// The events that are set, a bit each.
  @exclusivity(unchecked) private(set) var events: UInt32 = 0
  /// The value of INTEN, whose bits select the events that raise the interrupt.
  @exclusivity(unchecked) private(set) var interrupts: UInt32 = 0
  private let eventMask: UInt32
  private let shorts: [Short]
  /// The events that have a shortcut, a bit each.
  private let shortEvents: UInt32

  /// Creates a peripheral and adds it to the chip.
  ///
  /// - Parameters:
  ///   - number: the peripheral ID.
  ///   - events: the offsets of its events.
  ///   - shorts: its shortcuts.
  ///   - chip: the shared resources of the chip.
  init(_ number: Int, events: [UInt32], shorts: [Short] = [], _ chip: Chip) {
    self.number = number
    self.chip = chip
    self.shorts = shorts
    shortEvents = shorts.reduce(0) { $0 | TaskPeripheral.bit($1.event) }
    eventMask = events.reduce(0) { $0 | TaskPeripheral.bit($1) }
    super.init(
      at: 0x4000_0000 + UInt32(number) << 12, unmodelledRegisters: chip.run.unmodelledRegisters,
      polls: chip.run.polls)
    if !shorts.isEmpty {
      define(TaskPeripheral.SHORTS, mask: shorts.reduce(0) { $0 | 1 << $1.bit })
    }
    chip.add(self)
  }

  /// Returns a mask with the bit of an event in INTEN; the bit number is the event's offset from 0x100 divided by 4.
  @inline(__always)
  static func bit(_ event: UInt32) -> UInt32 { 1 &<< (event &>> 2) }

  /// Performs a task.
  func task(_ task: UInt32, at cycle: UInt64) {}

  /// Returns whether the peripheral has a task; an access to any other task is recorded as unmodelled.
  func hasTask(_ task: UInt32) -> Bool { true }

  /// Returns the value of a register outside the common layout.
  func value(of offset: UInt32) -> UInt32? { nil }

  /// Applies a write to a register outside the common layout.
  ///
  /// - Returns: `true` if the write was handled, in which case the value is not stored.
  func set(_ offset: UInt32, _ value: UInt32) -> Bool { false }

  /// Responds to a change of INTEN.
  func interruptsDidChange() {}

  /// Responds to a program that has cleared an event.
  func didClear(_ event: UInt32) {}

  /// Resets all registers.
  func reset() {
    events = 0
    interrupts = 0
    resetWords()
    updateLine()
  }

  /// Raises an event: sets it, requests its interrupt, and triggers the tasks that PPI and shortcuts connect to it.
  final func raise(_ event: UInt32, at cycle: UInt64) {
    let bit = TaskPeripheral.bit(event)
    events |= bit
    // Most events have neither an interrupt nor a connected task.
    if interrupts & bit != 0 { updateLine() }
    if chip.hasLinks { chip.ppi?.signal(base + event, at: cycle) }
    guard shortEvents & bit != 0, self[TaskPeripheral.SHORTS] != 0 else { return }
    for short in shorts where short.event == event && isShort(short.bit) {
      task(short.task, at: cycle)
    }
  }

  /// Returns whether an event may have an effect besides being set: an interrupt, a shortcut or a PPI channel.
  final func hasEffect(_ event: UInt32) -> Bool {
    (interrupts | shortEvents) & TaskPeripheral.bit(event) != 0 || chip.hasLinks
  }

  /// Sets an event that has no other effect.
  final func mark(_ event: UInt32) { events |= TaskPeripheral.bit(event) }

  /// Returns whether a shortcut is enabled.
  final func isShort(_ bit: UInt32) -> Bool { self[TaskPeripheral.SHORTS] >> bit & 1 != 0 }

  final func isSet(_ event: UInt32) -> Bool { events & TaskPeripheral.bit(event) != 0 }

  final func clear(_ event: UInt32) {
    events &= ~TaskPeripheral.bit(event)
    updateLine()
  }

  private func updateLine() {
    Unmanaged.passUnretained(chip.core)._withUnsafeGuaranteedRef {
      $0.setLine(16 + number, events & interrupts != 0)
    }
  }

  package override final func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case TaskPeripheral.tasks where hasTask(offset): return 0
    case TaskPeripheral.events where eventMask & TaskPeripheral.bit(offset) != 0:
      return isSet(offset) ? 1 : 0
    case TaskPeripheral.INTEN, TaskPeripheral.INTENSET, TaskPeripheral.INTENCLR: return interrupts
    case TaskPeripheral.powerSwitch where number != 0: return 1
    default: return value(of: offset)
    }
  }

  package override final func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case TaskPeripheral.tasks where hasTask(offset):
      if value & 1 != 0 { task(offset, at: chip.now) }
      return true
    case TaskPeripheral.events where eventMask & TaskPeripheral.bit(offset) != 0:
      if value & 1 != 0 {
        events |= TaskPeripheral.bit(offset)
        updateLine()
      } else {
        clear(offset)
        didClear(offset)
      }
      return true
    case TaskPeripheral.INTEN, TaskPeripheral.INTENSET, TaskPeripheral.INTENCLR:
      switch offset {
      case TaskPeripheral.INTEN: interrupts = value
      case TaskPeripheral.INTENSET: interrupts |= value
      default: interrupts &= ~value
      }
      interrupts &= eventMask
      updateLine()
      interruptsDidChange()
      return true
    case TaskPeripheral.powerSwitch where number != 0:
      if value & 1 == 0 { reset() }
      return true
    default: return set(offset, value)
    }
  }
}
