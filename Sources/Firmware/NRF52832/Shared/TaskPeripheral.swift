import Cores
import Machines

/// A peripheral as all of them are laid out: tasks from 0x000, events from 0x100, shortcuts, interrupts, registers.
class TaskPeripheral: RegisterBlock, BusDevice {
  /// A shortcut: which bit of SHORTS lets an event trigger a task.
  struct Short {
    let bit: UInt32
    let event: Int
    let task: Int
  }

  /// The part, which lets go of its peripherals when nobody uses it any more.
  final let die: Die
  /// Its number, which is that of its interrupt and of its page.
  let number: Int
  /// The events that are set, a bit each.
  @exclusivity(unchecked) private(set) var events: UInt32 = 0
  /// INTEN.
  @exclusivity(unchecked) private(set) var interrupts: UInt32 = 0
  private let eventMask: UInt32
  private let shorts: [Short]
  /// The events that have a shortcut, a bit each.
  private let shortEvents: UInt32

  /// - Parameters:
  ///   - number: its number.
  ///   - events: the numbers of its events: (address - 0x100) / 4.
  ///   - shorts: its shortcuts.
  ///   - die: what it is a part of.
  init(_ number: Int, events: [Int], shorts: [Short] = [], _ die: Die) {
    self.number = number
    self.die = die
    self.shorts = shorts
    shortEvents = shorts.reduce(0) { $0 | 1 << UInt32($1.event) }
    eventMask = events.reduce(0) { $0 | 1 << UInt32($1) }
    super.init(
      at: 0x4000_0000 + UInt32(number) << 12, untouched: die.run.untouched,
      polls: die.run.polls)
    if !shorts.isEmpty {
      define(0x200, mask: shorts.reduce(0) { $0 | 1 << $1.bit })
    }
    die.add(self)
  }

  /// Does a task; the number is its address divided by 4.
  func task(_ index: Int, at cycle: UInt64) {}

  /// Whether a task of that number is there; what is not is told to the ledger.
  func hasTask(_ index: Int) -> Bool { true }

  /// The value of a register that is none of the common ones.
  func value(of offset: UInt32) -> UInt32? { nil }

  /// A write of a register that is none of the common ones.
  func set(_ offset: UInt32, _ value: UInt32) -> Bool { false }

  /// Is told when INTEN has changed.
  func interruptsDidChange() {}

  /// Is told when a program has cleared an event.
  func didClear(_ event: Int) {}

  /// Begins anew as after a reset.
  func reset() {
    events = 0
    interrupts = 0
    resetWords()
    updateLine()
  }

  /// Lets an event happen: it is set, interrupts, and triggers what is tied to it.
  final func raise(_ event: Int, at cycle: UInt64) {
    let bit: UInt32 = 1 << UInt32(event)
    events |= bit
    // Most events are of no interest to anybody.
    if interrupts & bit != 0 { updateLine() }
    if die.hasLinks { die.ppi?.signal(base + 0x100 + UInt32(event * 4), at: cycle) }
    guard shortEvents & bit != 0, self[0x200] != 0 else { return }
    for short in shorts where short.event == event && isShort(short.bit) {
      task(short.task, at: cycle)
    }
  }

  /// Whether an event does more than to be set: it interrupts, or something may be tied to it.
  final func isHeeded(_ event: Int) -> Bool {
    let bit: UInt32 = 1 << UInt32(event)
    return (interrupts | shortEvents) & bit != 0 || die.hasLinks
  }

  /// Sets an event that nobody heeds.
  final func mark(_ event: Int) { events |= 1 << UInt32(event) }

  /// Whether a shortcut is on.
  final func isShort(_ bit: UInt32) -> Bool { self[0x200] >> bit & 1 != 0 }

  final func isSet(_ event: Int) -> Bool { events >> UInt32(event) & 1 != 0 }

  final func clear(_ event: Int) {
    events &= ~(1 << UInt32(event))
    updateLine()
  }

  private func updateLine() {
    Unmanaged.passUnretained(die.core)._withUnsafeGuaranteedRef {
      $0.setLine(16 + number, events & interrupts != 0)
    }
  }

  override final func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case 0..<0x100 where hasTask(Int(offset / 4)): return 0
    case 0x100..<0x180 where eventMask >> ((offset - 0x100) / 4) & 1 != 0:
      return events >> ((offset - 0x100) / 4) & 1
    case 0x300, 0x304, 0x308: return interrupts
    case 0xFFC where number != 0: return 1
    default: return value(of: offset)
    }
  }

  override final func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case 0..<0x100 where hasTask(Int(offset / 4)):
      if value & 1 != 0 { task(Int(offset / 4), at: die.now) }
      return true
    case 0x100..<0x180 where eventMask >> ((offset - 0x100) / 4) & 1 != 0:
      let event = Int(offset - 0x100) / 4
      if value & 1 != 0 {
        events |= 1 << UInt32(event)
        updateLine()
      } else {
        clear(event)
        didClear(event)
      }
      return true
    case 0x300, 0x304, 0x308:
      switch offset {
      case 0x300: interrupts = value
      case 0x304: interrupts |= value
      default: interrupts &= ~value
      }
      interrupts &= eventMask
      updateLine()
      interruptsDidChange()
      return true
    case 0xFFC where number != 0:
      // POWER, as errata 89 and 212 use it: what is switched off and on again begins anew.
      if value & 1 == 0 { reset() }
      return true
    default: return set(offset, value)
    }
  }
}
