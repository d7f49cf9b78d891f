import Machines

/// RTC: a calendar that counts seconds, the backup registers, the wake-up timer and the alarms.
///
/// Its ten years and leap days are counted as the calendar of the part does (years 2000 to 2099).
final class Calendar: Peripheral {
  private let lines: ExternalInterrupts
  /// The second at which the calendar was set, since 2000, and the time then in nanoseconds.
  private var anchor: (second: UInt64, time: UInt64) = (0, 0)
  private var isSetting = false
  private var flags: UInt32 = 0
  private var keys: UInt32 = 0
  /// By how much the day of the week that was set differs from that of the date.
  private var weekdays: UInt32 = 0
  private lazy var alarms = [
    Alarm(chip) { [unowned self] in ring(0) }, Alarm(chip) { [unowned self] in ring(1) },
  ]
  private lazy var alarm = Alarm(chip) { [unowned self] in wakeUp() }

  init(_ lines: ExternalInterrupts, _ chip: Silicon) {
    self.lines = lines
    super.init(at: 0x4000_2800, chip)
    define(0x00, mask: 0x7F_7F7F)
    define(0x04, mask: 0xFF_FF3F, reset: 0x2101)
    define(0x08, mask: 0xFF_FFFF)
    define(0x0C, mask: 0)
    define(0x10, mask: 0x7F_7FFF, reset: 0x7F_00FF)
    define(0x14, mask: 0xFFFF, reset: 0xFFFF)
    for offset: UInt32 in [0x18, 0x1C, 0x20, 0x3C, 0x40, 0x44, 0x48] { define(offset) }
    define(0x24, mask: 0)
    define(0x28, mask: 0)
    for register: UInt32 in 0..<20 { define(0x50 + register * 4) }
  }

  /// A reset leaves the backup domain as it is.
  override func reset() {
    for alarm in [alarm] + alarms { alarm.renew() }
  }

  override func clocksDidChange() {
    for alarm in [alarm] + alarms { alarm.renew() }
  }

  private var time: UInt64 { chip.nanoseconds(chip.now) }
  private var second: UInt64 {
    let passed = (time - anchor.time) / 1_000_000_000
    let next = anchor.time + (passed + 1) * 1_000_000_000
    chip.run.polls.changes(at: chip.run.clock.cycle(at: next))
    return anchor.second + passed
  }

  override func load(_ offset: UInt32) -> UInt32 {
    switch offset {
    case 0x00: return isSetting ? self[0] : CalendarDate(second: second).timeRegister
    case 0x04: return isSetting ? self[4] : date
    case 0x0C:
      let year = self[4] >> 16 & 0xFF
      return 0x27 | (isSetting ? 0xC0 : 0) | (year != 0 ? 0x10 : 0) | flags
    case 0x28:
      chip.run.polls.changes(at: chip.now + 1)
      let part = (time - anchor.time) % 1_000_000_000
      let whole = UInt64(self[0x10] & 0x7FFF)
      return UInt32(whole - part * (whole + 1) / 1_000_000_000)
    default: return self[offset]
    }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case 0x24:
      let isSecond = keys == 0xCA && value & 0xFF == 0x53
      keys = isSecond ? 0x53 : value & 0xFF
    case 0x50...: break
    case _ where keys != 0x53: self[offset] = before
    case 0x00, 0x04: if !isSetting { self[offset] = before }
    case 0x08:
      if (value ^ before) & 0x407 != 0 { plan() }
      planAlarms()
    case 0x14: plan()
    case 0x1C, 0x20: planAlarms()
    case 0x0C: changeMode(value)
    default: break
    }
  }

  private func changeMode(_ value: UInt32) {
    flags &= value | ~0x700
    let sets = value >> 7 & 1 != 0
    guard sets != isSetting else { return }
    if sets {
      let now = CalendarDate(second: second)
      (self[0], self[4]) = (now.timeRegister, date)
    } else {
      weekdays = 0
      let day = CalendarDate(time: self[0], date: self[4]).weekday
      weekdays = (max(self[4] >> 13 & 7, 1) + 7 - day) % 7
      anchor = (CalendarDate(time: self[0], date: self[4]).second, time)
    }
    isSetting = sets
    planAlarms()
  }

  /// The date as its register shows it.
  private var date: UInt32 {
    let now = CalendarDate(second: second)
    return now.dateRegister & ~0xE000 | ((now.weekday - 1 + weekdays) % 7 + 1) << 13
  }

  private func planAlarms() {
    for index in 0..<2 {
      let isOn = self[0x08] >> UInt32(8 + index) & 1 != 0
      let match = AlarmMatch(self[0x1C + UInt32(index) * 4], weekdays: weekdays)
      guard isOn, !isSetting, let next = match.next(after: second) else {
        alarms[index].clear()
        continue
      }
      alarms[index].set(at: anchor.time + (next - anchor.second) * 1_000_000_000)
    }
  }

  private func ring(_ index: Int) {
    flags |= 0x100 << UInt32(index)
    if self[0x08] >> UInt32(12 + index) & 1 != 0 {
      lines.edge(17, isRising: true)
      chip.wakeUp()
    }
    planAlarms()
  }

  /// The wake-up timer: WUTE, and its clock from WUCKSEL.
  private func plan() {
    guard self[0x08] >> 10 & 1 != 0 else { return alarm.clear() }
    let select = self[0x08] & 7
    let clock = max(chip.clocks?.calendarClock ?? 32_768, 1)
    let ticks = UInt64(self[0x14]) + 1 + (select >= 6 ? 0x1_0000 : 0)
    let tick: UInt64 =
      select >= 4 ? 1_000_000_000 : 1_000_000_000 * (UInt64(16) >> UInt64(select)) / clock
    alarm.set(at: time + ticks * tick)
  }

  private func wakeUp() {
    flags |= 0x400
    if self[0x08] >> 14 & 1 != 0 {
      lines.edge(22, isRising: true)
      chip.wakeUp()
    }
    plan()
  }
}
