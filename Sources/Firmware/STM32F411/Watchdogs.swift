import Machines

/// IWDG: resets the chip unless it is reloaded; its 32 kHz clock is independent and cannot be stopped.
final class IWDG: Peripheral {
  static let KR: UInt32 = 0x00
  static let PR: UInt32 = 0x04
  static let RLR: UInt32 = 0x08
  static let SR: UInt32 = 0x0C

  private lazy var event = MachineEvent(chip.run) { [unowned self] in
    chip.run.requestReset(.watchdog)
  }
  private var isUnlocked = false
  private(set) var isRunning = false

  init(_ chip: Chip) {
    super.init(at: 0x4000_3000, chip)
    define(IWDG.KR, mask: 0)
    define(IWDG.PR, mask: 7)
    define(IWDG.RLR, mask: 0xFFF, reset: 0xFFF)
    define(IWDG.SR, mask: 0)
  }

  override func reset() {
    super.reset()
    (isUnlocked, isRunning) = (false, false)
    event.clear()
  }

  override func clocksDidChange() { event.reschedule() }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    guard offset == IWDG.KR else {
      if !isUnlocked { self[offset] = before }
      return
    }
    switch value & 0xFFFF {
    case 0xCCCC:
      isRunning = true
      reload()
    case 0xAAAA:
      isUnlocked = false
      reload()
    case 0x5555: isUnlocked = true
    default: isUnlocked = false
    }
  }

  private func reload() {
    guard isRunning else { return }
    let ticks = (UInt64(self[IWDG.RLR]) + 1) * (4 << UInt64(min(self[IWDG.PR], 6)))
    event.set(at: chip.nanoseconds(chip.now) + ticks * 31_250)
  }
}

/// WWDG: resets the chip when its down-counter passes 0x40, or when the program reloads it before the window (RM0383,
/// section 17).
///
/// The counter is modelled from the activation on; before it, CR keeps the value written.
final class WWDG: Peripheral {
  static let CR: UInt32 = 0x00
  static let CFR: UInt32 = 0x04
  static let SR: UInt32 = 0x08

  /// Bits of CR and CFR.
  private static let WDGA: UInt32 = 1 << 7, EWI: UInt32 = 1 << 9
  /// The value of the counter from which the next tick resets the chip.
  private static let last: UInt32 = 0x40
  private static let interrupt = 0

  /// The counter at the anchor, a cycle of the core.
  private var count: UInt32 = 0x7F
  private var anchor: UInt64 = 0
  private lazy var slot = chip.schedule.slot { [unowned self] _ in
    catchUp()
    schedule()
  }

  init(_ chip: Chip) {
    super.init(at: 0x4000_2C00, chip)
    define(WWDG.CR, mask: 0xFF, reset: 0x7F)
    define(WWDG.CFR, mask: 0x3FF, reset: 0x7F)
    define(WWDG.SR, mask: 0)
  }

  override func reset() {
    super.reset()
    count = 0x7F
    chip.schedule.clear(slot)
    refresh()
  }

  private var isActive: Bool { self[WWDG.CR] & Self.WDGA != 0 }
  /// The core cycles of a tick: PCLK1 / 4096 / 2^WDGTB.
  private var tick: UInt64 {
    4096 * (chip.clocks?.apb1Divider ?? 1) << UInt64(self[WWDG.CFR] >> 7 & 3)
  }

  override func clocksWillChange() { catchUp() }
  override func clocksDidChange() {
    if chip.isStopped { anchor = chip.now }
    schedule()
  }

  /// Counts down to now, with EWIF at 0x40 and a reset after it.
  private func catchUp() {
    guard isActive, !chip.isStopped, chip.now >= anchor else {
      anchor = chip.now
      return
    }
    let ticks = (chip.now - anchor) / tick
    anchor += ticks * tick
    let before = count
    count -= UInt32(min(ticks, UInt64(count)))
    if before > Self.last, count <= Self.last { self[WWDG.SR] |= 1 }
    if count < Self.last { chip.run.requestReset(.windowWatchdog) }
    refresh()
  }

  private func schedule() {
    chip.schedule.clear(slot)
    guard isActive, !chip.isStopped else { return }
    let ticks = count > Self.last ? UInt64(count - Self.last) : 1
    chip.schedule.set(slot, at: anchor + ticks * tick)
  }

  private func refresh() {
    chip.setLine(Self.interrupt, self[WWDG.SR] & 1 != 0 && self[WWDG.CFR] & Self.EWI != 0)
  }

  override func load(_ offset: UInt32) -> UInt32 {
    guard offset == WWDG.CR, isActive else { return self[offset] }
    catchUp()
    chip.run.polls.changes(at: anchor + tick)
    return Self.WDGA | count
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    let new = self[offset]
    self[offset] = before
    catchUp()
    switch offset {
    case WWDG.CR: reload(new, isFirst: before & Self.WDGA == 0)
    case WWDG.CFR: self[WWDG.CFR] = new | before & Self.EWI
    case WWDG.SR: self[WWDG.SR] &= value
    default: break
    }
    refresh()
    schedule()
  }

  /// Loads the counter; WDGA can only be set.
  private func reload(_ value: UInt32, isFirst: Bool) {
    self[WWDG.CR] |= value
    guard isActive else {
      self[WWDG.CR] = value
      return
    }
    let isEarly = !isFirst && count > self[WWDG.CFR] & 0x7F
    count = value & 0x7F
    if isFirst { anchor = chip.now }
    if isEarly || count < Self.last { chip.run.requestReset(.windowWatchdog) }
  }
}
