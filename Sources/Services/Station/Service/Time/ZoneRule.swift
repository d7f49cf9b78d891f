import Forecasts

/// The rule of a time zone after its last listed change.
///
/// The rule has the format of the POSIX variable `TZ`, such as `WET0WEST,M3.5.0/1,M10.5.0`
/// (POSIX.1-2017, section 8.3); hours up to 167 are allowed (RFC 8536, section 3.3.1).
package struct ZoneRule: Sendable {
  /// The time of a change in each year: a day, and the second of that day in the local time that
  /// applies before the change.
  struct Turn: Sendable, Equatable {
    /// The forms in which a day is given.
    enum Day: Sendable, Equatable {
      /// A weekday, given by the month, the week of the month (5 is the last) and the day of the
      /// week (0 is Sunday).
      case week(month: Int, week: Int, weekday: Int)
      /// A day from 1 to 365, not counting 29 February.
      case counted(Int)
      /// A day from 0 to 365, counting 29 February.
      case sinceNewYear(Int)
    }

    let day: Day
    let second: Int

    /// Returns the time of the change in a given year, in seconds since 1970 in local time.
    func moment(in year: Int) -> Int {
      let first = CivilTime.day(year, 1, 1)
      let number: Int
      switch day {
      case .sinceNewYear(let days): number = first + days
      case .counted(let days):
        let isLeap = CivilTime.day(year, 3, 1) - CivilTime.day(year, 2, 28) == 2
        number = first + days - 1 + (isLeap && days >= 60 ? 1 : 0)
      case .week(let month, let week, let weekday):
        let begin = CivilTime.day(year, month, 1)
        let end = month == 12 ? CivilTime.day(year + 1, 1, 1) : CivilTime.day(year, month + 1, 1)
        // 1 January 1970 was a Thursday.
        var found = begin + CivilTime.modulo(weekday - begin - 4, 7) + (week - 1) * 7
        while found >= end { found -= 7 }
        number = found
      }
      return number * 86400 + second
    }
  }

  /// The offset to UTC of standard time, in seconds.
  let standard: Int
  /// The offset to UTC of daylight saving time in seconds, with its start and end; `nil` if there
  /// is no daylight saving time.
  let summer: (offset: Int, begin: Turn, end: Turn)?

  /// Parses a rule; the result is `nil` if it is invalid.
  package init?(_ text: some StringProtocol) {
    var reader = ZoneRuleReader(text)
    guard reader.skipName(), let west = reader.time() else { return nil }
    standard = -west
    guard !reader.isAtEnd else {
      summer = nil
      return
    }
    guard reader.skipName() else { return nil }
    let ahead = reader.next == UInt8(ascii: ",") ? standard + 3600 : reader.time().map { -$0 }
    guard let ahead, let begin = reader.turn(), let end = reader.turn(), reader.isAtEnd else {
      return nil
    }
    summer = (ahead, begin, end)
  }

  /// Returns the offset to UTC in seconds at a time in seconds since 1970.
  package func offset(at moment: Int) -> Int {
    guard let summer else { return standard }
    let year = CivilTime.date(CivilTime.startOfDay(moment + standard) / 86400).year
    let begin = summer.begin.moment(in: year) - standard
    let end = summer.end.moment(in: year) - summer.offset
    let isSummer = begin < end ? moment >= begin && moment < end : moment >= begin || moment < end
    return isSummer ? summer.offset : standard
  }
}

/// A parser of POSIX `TZ` rules.
struct ZoneRuleReader {
  private var rest: ArraySlice<UInt8>

  init(_ text: some StringProtocol) { rest = Array(text.utf8)[...] }

  /// `true` once all of the text has been parsed.
  var isAtEnd: Bool { rest.isEmpty }

  /// The next byte; `nil` at the end of the text.
  var next: UInt8? { rest.first }

  /// Skips the name of a time zone: three or more letters, or any text in angle brackets.
  mutating func skipName() -> Bool {
    if take("<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let letters = rest.prefix { ($0 | 32) >= UInt8(ascii: "a") && ($0 | 32) <= UInt8(ascii: "z") }
    rest = rest.dropFirst(letters.count)
    return letters.count >= 3
  }

  /// Parses a time with an optional sign: hours, optionally followed by minutes and seconds after
  /// colons; returns seconds.
  mutating func time() -> Int? {
    let sign = take("-") ? -1 : 1
    if sign == 1 { _ = take("+") }
    guard let hours = number(upTo: 167) else { return nil }
    var seconds = hours * 3600
    for unit in [60, 1] where take(":") {
      guard let part = number(upTo: 59) else { return nil }
      seconds += part * unit
    }
    return sign * seconds
  }

  /// Parses the time of a change: a comma, a day, and optionally a slash and the time of day.
  ///
  /// Default for the time of day: 02:00.
  mutating func turn() -> ZoneRule.Turn? {
    guard take(","), let day = day() else { return nil }
    guard take("/") else { return ZoneRule.Turn(day: day, second: 7200) }
    return time().map { ZoneRule.Turn(day: day, second: $0) }
  }

  private mutating func day() -> ZoneRule.Turn.Day? {
    if take("J") { return number(upTo: 365).flatMap { $0 > 0 ? .counted($0) : nil } }
    guard take("M") else { return number(upTo: 365).map { .sinceNewYear($0) } }
    guard let month = number(upTo: 12), month > 0, take("."), let week = number(upTo: 5), week > 0,
      take("."), let weekday = number(upTo: 6)
    else { return nil }
    return .week(month: month, week: week, weekday: weekday)
  }

  private mutating func take(_ letter: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: letter) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func number(upTo most: Int) -> Int? {
    let digits = rest.prefix(4).prefix { $0 >= 48 && $0 <= 57 }
    rest = rest.dropFirst(digits.count)
    guard !digits.isEmpty else { return nil }
    let value = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    return value <= most ? value : nil
  }
}
