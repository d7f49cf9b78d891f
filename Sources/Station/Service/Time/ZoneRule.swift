import Forecasts

/// What clocks do from a zone's last listed change on: the text of POSIX's variable `TZ`, such as
/// `WET0WEST,M3.5.0/1,M10.5.0` (POSIX.1-2017, section 8.3; hours to 167 as RFC 8536, section 3.3.1, allows).
package struct ZoneRule: Sendable {
  /// A day of each year, and the second of it by the clock that then goes.
  struct Turn: Sendable, Equatable {
    /// How the day is named.
    enum Day: Sendable, Equatable {
      /// Month, week of it (5 is the last), day of the week from Sunday, 0.
      case week(month: Int, week: Int, weekday: Int)
      /// 1 to 365; 29 February is never counted.
      case counted(Int)
      /// 0 to 365; 29 February is counted.
      case sinceNewYear(Int)
    }

    let day: Day
    let second: Int

    /// When it is in a year: seconds since 1970 of a clock that shows this time.
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
        // The first of January 1970 was a Thursday.
        var found = begin + CivilTime.modulo(weekday - begin - 4, 7) + (week - 1) * 7
        while found >= end { found -= 7 }
        number = found
      }
      return number * 86400 + second
    }
  }

  /// Seconds ahead of UTC, in winter.
  let standard: Int
  /// Seconds ahead of UTC in summer, and when it begins and ends; `nil` where clocks do not change.
  let summer: (offset: Int, begin: Turn, end: Turn)?

  /// Reads a rule; `nil` where the text is none.
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

  /// Seconds ahead of UTC at a moment.
  package func offset(at moment: Int) -> Int {
    guard let summer else { return standard }
    let year = CivilTime.date(CivilTime.startOfDay(moment + standard) / 86400).year
    let begin = summer.begin.moment(in: year) - standard
    let end = summer.end.moment(in: year) - summer.offset
    let isSummer = begin < end ? moment >= begin && moment < end : moment >= begin || moment < end
    return isSummer ? summer.offset : standard
  }
}
