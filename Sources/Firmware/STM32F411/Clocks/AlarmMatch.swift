/// When an alarm of the calendar rings: at the fields of its register that are not masked.
struct AlarmMatch {
  private let word: UInt32
  private let weekdays: UInt32

  /// Creates the match of a register ALRMAR or ALRMBR.
  ///
  /// - Parameters:
  ///   - word: what the register holds.
  ///   - weekdays: by how much the calendar's day of the week differs from that of the date.
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

  /// The first second of a day, not before one, that fits; `nil` where none does.
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

  /// The next second behind one that fits, both since 2000; `nil` where there is none for nine years.
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
