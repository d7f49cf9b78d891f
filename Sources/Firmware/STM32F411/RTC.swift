import Machines

/// RTC: the calendar, the backup registers, the wake-up timer and both alarms.
///
/// The calendar counts the years 2000 to 2099 with their leap days, as the chip's does.
package final class RTC: Peripheral {
  package static let TR: UInt32 = 0x00
  package static let DR: UInt32 = 0x04
  package static let CR: UInt32 = 0x08
  package static let ISR: UInt32 = 0x0C
  package static let PRER: UInt32 = 0x10
  package static let WUTR: UInt32 = 0x14
  package static let CALIBR: UInt32 = 0x18
  package static let ALRMAR: UInt32 = 0x1C
  package static let ALRMBR: UInt32 = 0x20
  package static let WPR: UInt32 = 0x24
  package static let SSR: UInt32 = 0x28
  package static let CALR: UInt32 = 0x3C
  package static let TAFCR: UInt32 = 0x40
  package static let ALRMASSR: UInt32 = 0x44
  package static let ALRMBSSR: UInt32 = 0x48
  /// BKP0R, the first of 20.
  package static let BKP0R: UInt32 = 0x50

  private let exti: EXTI
  /// The calendar value at the time when it was last set, in seconds since 2000, and that time in nanoseconds.
  private var anchor: (second: UInt64, time: UInt64) = (0, 0)
  private var isSetting = false
  private var flags: UInt32 = 0
  private var keys: UInt32 = 0
  /// The difference between the weekday set by the program and that of the date, in days.
  private var weekdays: UInt32 = 0
  private lazy var alarms = [
    MachineEvent(chip.run) { [unowned self] in ring(0) },
    MachineEvent(chip.run) { [unowned self] in ring(1) },
  ]
  private lazy var wakeUpTimer = MachineEvent(chip.run) { [unowned self] in wakeUp() }

  init(_ exti: EXTI, _ chip: Chip) {
    self.exti = exti
    super.init(at: 0x4000_2800, chip)
    define(RTC.TR, mask: 0x7F_7F7F)
    define(RTC.DR, mask: 0xFF_FF3F, reset: 0x2101)
    define(RTC.CR, mask: 0xFF_FFFF)
    define(RTC.ISR, mask: 0)
    define(RTC.PRER, mask: 0x7F_7FFF, reset: 0x7F_00FF)
    define(RTC.WUTR, mask: 0xFFFF, reset: 0xFFFF)
    for offset in [
      RTC.CALIBR, RTC.ALRMAR, RTC.ALRMBR, RTC.CALR, RTC.TAFCR, RTC.ALRMASSR, RTC.ALRMBSSR,
    ] { define(offset) }
    define(RTC.WPR, mask: 0)
    define(RTC.SSR, mask: 0)
    for register: UInt32 in 0..<20 { define(RTC.BKP0R + register * 4) }
  }

  /// Keeps the registers, because a reset does not affect the backup domain.
  override func reset() {
    for event in [wakeUpTimer] + alarms { event.reschedule() }
  }

  override func clocksDidChange() {
    for event in [wakeUpTimer] + alarms { event.reschedule() }
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
    case RTC.TR: return isSetting ? self[RTC.TR] : CalendarDate(second: second).timeRegister
    case RTC.DR: return isSetting ? self[RTC.DR] : date
    case RTC.ISR:
      let year = self[RTC.DR] >> 16 & 0xFF
      return 0x27 | (isSetting ? 0xC0 : 0) | (year != 0 ? 0x10 : 0) | flags
    case RTC.SSR:
      chip.run.polls.changes(at: chip.now + 1)
      let part = (time - anchor.time) % 1_000_000_000
      let whole = UInt64(self[RTC.PRER] & 0x7FFF)
      return UInt32(whole - part * (whole + 1) / 1_000_000_000)
    default: return self[offset]
    }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case RTC.WPR:
      let isSecond = keys == 0xCA && value & 0xFF == 0x53
      keys = isSecond ? 0x53 : value & 0xFF
    case RTC.BKP0R...: break
    case _ where keys != 0x53: self[offset] = before
    case RTC.TR, RTC.DR: if !isSetting { self[offset] = before }
    case RTC.CR:
      if (value ^ before) & 0x407 != 0 { scheduleWakeUp() }
      scheduleAlarms()
    case RTC.WUTR: scheduleWakeUp()
    case RTC.ALRMAR, RTC.ALRMBR: scheduleAlarms()
    case RTC.ISR: changeMode(value)
    default: break
    }
  }

  private func changeMode(_ value: UInt32) {
    flags &= value | ~0x700
    let sets = value >> 7 & 1 != 0
    guard sets != isSetting else { return }
    if sets {
      let now = CalendarDate(second: second)
      (self[RTC.TR], self[RTC.DR]) = (now.timeRegister, date)
    } else {
      weekdays = 0
      let day = CalendarDate(time: self[RTC.TR], date: self[RTC.DR]).weekday
      weekdays = (max(self[RTC.DR] >> 13 & 7, 1) + 7 - day) % 7
      anchor = (CalendarDate(time: self[RTC.TR], date: self[RTC.DR]).second, time)
    }
    isSetting = sets
    scheduleAlarms()
  }

  /// The value of DR.
  private var date: UInt32 {
    let now = CalendarDate(second: second)
    return now.dateRegister & ~0xE000 | ((now.weekday - 1 + weekdays) % 7 + 1) << 13
  }

  private func scheduleAlarms() {
    for index in 0..<2 {
      let isOn = self[RTC.CR] >> UInt32(8 + index) & 1 != 0
      let match = AlarmMatch(self[RTC.ALRMAR + UInt32(index) * 4], weekdays: weekdays)
      guard isOn, !isSetting, let next = match.next(after: second) else {
        alarms[index].clear()
        continue
      }
      alarms[index].set(at: anchor.time + (next - anchor.second) * 1_000_000_000)
    }
  }

  private func ring(_ index: Int) {
    flags |= 0x100 << UInt32(index)
    if self[RTC.CR] >> UInt32(12 + index) & 1 != 0 {
      exti.edge(17, isRising: true)
      chip.wakeUp()
    }
    scheduleAlarms()
  }

  /// Schedules the next event of the wake-up timer if WUTE is set; WUCKSEL selects the timer's clock.
  private func scheduleWakeUp() {
    guard self[RTC.CR] >> 10 & 1 != 0 else { return wakeUpTimer.clear() }
    let select = self[RTC.CR] & 7
    let clock = max(chip.clocks?.rtcClock ?? 32_768, 1)
    let ticks = UInt64(self[RTC.WUTR]) + 1 + (select >= 6 ? 0x1_0000 : 0)
    let tick: UInt64 =
      select >= 4 ? 1_000_000_000 : 1_000_000_000 * (UInt64(16) >> UInt64(select)) / clock
    wakeUpTimer.set(at: time + ticks * tick)
  }

  private func wakeUp() {
    flags |= 0x400
    if self[RTC.CR] >> 14 & 1 != 0 {
      exti.edge(22, isRising: true)
      chip.wakeUp()
    }
    scheduleWakeUp()
  }
}

/// A date and time in the BCD format of TR and DR.
struct CalendarDate {
  /// Seconds since 2000-01-01.
  let second: UInt64

  init(second: UInt64) { self.second = second }

  init(time: UInt32, date: UInt32) {
    let hour = Self.binary(time >> 16 & 0x3F) + (time >> 22 & 1) * 12
    let (minute, second) = (Self.binary(time >> 8 & 0x7F), Self.binary(time & 0x7F))
    var days = 0
    for year in 0..<Int(Self.binary(date >> 16 & 0xFF)) { days += year % 4 == 0 ? 366 : 365 }
    let month = min(max(Int(Self.binary(date >> 8 & 0x1F)), 1), 12)
    let year = Int(Self.binary(date >> 16 & 0xFF))
    for before in 1..<month { days += Self.days(of: before, year) }
    days += max(Int(Self.binary(date & 0x3F)), 1) - 1
    self.second = UInt64(days) * 86400 + UInt64(hour * 3600 + minute * 60 + second)
  }

  var timeRegister: UInt32 {
    let day = UInt32(second % 86400)
    return Self.decimal(day / 3600) << 16 | Self.decimal(day / 60 % 60) << 8
      | Self.decimal(day % 60)
  }

  var dateRegister: UInt32 {
    var (days, year, month) = (Int(second / 86400 % 36525), 0, 1)
    while days >= (year % 4 == 0 ? 366 : 365) {
      days -= year % 4 == 0 ? 366 : 365
      year += 1
    }
    while days >= Self.days(of: month, year) {
      days -= Self.days(of: month, year)
      month += 1
    }
    return Self.decimal(UInt32(year)) << 16 | weekday << 13 | Self.decimal(UInt32(month)) << 8
      | Self.decimal(UInt32(days + 1))
  }

  /// The day of the week, 1 for Monday: 2000-01-01 was a Saturday.
  var weekday: UInt32 { UInt32((second / 86400 + 5) % 7 + 1) }

  private static func days(of month: Int, _ year: Int) -> Int {
    if month == 2 { return year % 4 == 0 ? 29 : 28 }
    return [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  private static func binary(_ digits: UInt32) -> UInt32 { digits >> 4 * 10 + digits & 15 }
  private static func decimal(_ value: UInt32) -> UInt32 {
    (value / 10) << 4 | value % 10
  }
}

/// The condition of an alarm, which consists of the unmasked fields of its register.
struct AlarmMatch {
  private let word: UInt32
  private let weekdays: UInt32

  /// Creates the condition that a value of ALRMAR or ALRMBR describes.
  ///
  /// - Parameters:
  ///   - word: the value of the register.
  ///   - weekdays: the difference between the calendar's weekday and that of the date, in days.
  init(_ word: UInt32, weekdays: UInt32) {
    self.word = word
    self.weekdays = weekdays
  }

  private func isMasked(_ bit: UInt32) -> Bool { word >> bit & 1 != 0 }

  private func fits(day: UInt64) -> Bool {
    if isMasked(31) { return true }
    let date = CalendarDate(second: day * 86400)
    if word >> 30 & 1 != 0 {
      return word >> 24 & 15 == (date.weekday - 1 + weekdays) % 7 + 1
    }
    return word >> 24 & 0x3F == date.dateRegister & 0x3F
  }

  /// Returns the first matching second of a day, starting at `first`; `nil` if no second matches.
  private func second(from first: UInt64) -> UInt64? {
    let wanted = CalendarDate(time: word & 0x7F_7F7F, date: 0x101).second
    for second in first..<86400 {
      if !isMasked(23), second / 3600 != wanted / 3600 { continue }
      if !isMasked(15), second / 60 % 60 != wanted / 60 % 60 { continue }
      if !isMasked(7), second % 60 != wanted % 60 { continue }
      return second
    }
    return nil
  }

  /// Returns the next matching second after `now`, both since 2000; `nil` if none follows within nine years.
  func next(after now: UInt64) -> UInt64? {
    let from = now + 1
    for day in from / 86400..<from / 86400 + 3288 where fits(day: day) {
      if let second = second(from: day == from / 86400 ? from % 86400 : 0) {
        return day * 86400 + second
      }
    }
    return nil
  }
}
