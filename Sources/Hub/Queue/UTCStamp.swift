/// Formats UTC time stamps, such as `2026-11-23T06:00:00.250Z`.
package enum UTCStamp {
  /// Formats a time stamp with milliseconds.
  ///
  /// - Parameter nanoseconds: The time in nanoseconds since 1970, UTC.
  /// - Returns: The time stamp in ISO 8601.
  package static func text(_ nanoseconds: Int64) -> String {
    let milliseconds = floored(nanoseconds, 1_000_000)
    let seconds = floored(milliseconds, 1000)
    let days = floored(seconds, 86400)
    let second = seconds - days * 86400
    let (year, month, day) = date(days)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let fraction = String(1000 + milliseconds - seconds * 1000).dropFirst()
    let padded = String(repeating: "0", count: max(0, 4 - String(year).count)) + String(year)
    return "\(padded)-\(two(month))-\(two(day))T\(two(second / 3600)):\(two(second / 60 % 60)):"
      + "\(two(second % 60)).\(fraction)Z"
  }

  /// Formats a time stamp with nanoseconds, as in records: `2026-11-23T06:00:00.250000000Z`.
  package static func exact(_ nanoseconds: Int64) -> String {
    let part = nanoseconds - floored(nanoseconds, 1_000_000_000) * 1_000_000_000
    return text(nanoseconds).dropLast(4) + String(1_000_000_000 + part).dropFirst() + "Z"
  }

  /// Returns the civil date for a number of days since 1970 (Howard Hinnant, chrono-compatible
  /// low-level date algorithms, days_to_civil).
  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = floored(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 4 / 25)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func floored(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
  }
}
