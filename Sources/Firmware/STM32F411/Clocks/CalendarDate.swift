/// A moment of the calendar, as its registers write it: decimal digits of four bits.
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
