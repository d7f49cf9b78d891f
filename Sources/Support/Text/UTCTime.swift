/// UTC times in the notation used in files: `2013-01-01T06:00:00Z`.
public enum UTCTime {
  /// Parses a UTC time with whole seconds, in the years 1970 to 2199; returns nanoseconds since
  /// 1970, or `nil` if the text is invalid.
  public static func parse(_ text: some StringProtocol) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 20, bytes[19] == UInt8(ascii: "Z") else { return nil }
    let separators: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
    for (index, separator) in separators where bytes[index] != separator.asciiValue { return nil }
    func number(_ start: Int, _ length: Int) -> Int64? {
      var value: Int64 = 0
      for byte in bytes[start..<(start + length)] {
        guard (48...57).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 48)
      }
      return value
    }
    guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
      let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
      (1970...2199).contains(year), (1...12).contains(month),
      (1...daysInMonth(month, year)).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
    return seconds * 1_000_000_000
  }

  /// Parses a time as written in tables: `2013-01-01 06:00`, with optional seconds, fraction and
  /// time zone.
  ///
  /// A zone is written as `Z`, `+01:00`, `-0530` or `+01`. Default: UTC.
  public static func parseLoosely(_ text: some StringProtocol) -> Int64? {
    var bare = text.hasSuffix("Z") ? String(text.dropLast()) : String(text)
    var shift: Int64 = 0
    if let sign = bare.lastIndex(where: { $0 == "+" || $0 == "-" }),
      bare[..<sign].utf8.count >= 16
    {
      guard !text.hasSuffix("Z"), let zone = zone(bare[sign...]) else { return nil }
      shift = zone
      bare = String(bare[..<sign])
    }
    var fraction: Int64 = 0
    if let point = bare.lastIndex(of: "."), bare[..<point].utf8.count == 19 {
      guard let parsed = nanoseconds(bare[point...].dropFirst()) else { return nil }
      fraction = parsed
      bare = String(bare[..<point])
    }
    let seconds = bare.utf8.count == 16 ? ":00" : ""
    let moment = parse(bare.replacing(" ", with: "T", maxReplacements: 1) + seconds + "Z")
    return moment.map { $0 - shift + fraction }
  }

  /// Parses a time zone such as `+01:00`, `-0530` or `+01`; returns its offset from UTC in
  /// nanoseconds.
  private static func zone(_ text: Substring) -> Int64? {
    let digits = text.dropFirst().filter { $0 != ":" }
    let hasColon = text.count == 6 && text.dropFirst(3).first == ":"
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(digits),
      digits.count == text.count - (hasColon ? 2 : 1), [2, 4].contains(digits.count)
    else { return nil }
    let (hours, minutes) = digits.count == 2 ? (number, 0) : (number / 100, number % 100)
    guard hours <= 14, minutes < 60 else { return nil }
    return (text.first == "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000_000_000
  }

  /// Parses the digits of a fraction of a second; returns nanoseconds.
  ///
  /// Digits after the ninth are ignored.
  private static func nanoseconds(_ digits: Substring) -> Int64? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    let nine = digits.prefix(9)
    return Int64(nine + String(repeating: "0", count: 9 - nine.count))
  }

  /// Formats nanoseconds since 1970 as `2013-01-01T06:00:00Z`.
  public static func stamp(_ nanoseconds: Int64) -> String {
    text(nanoseconds).replacing(" ", with: "T") + "Z"
  }

  /// Formats nanoseconds since 1970 with a fraction of a second: `2013-01-01T06:00:00.250Z`.
  ///
  /// - Parameters:
  ///   - nanoseconds: the time, which may be before 1970.
  ///   - decimals: the number of decimals, 1 to 9; further digits are cut off.
  /// - Returns: the time.
  public static func stamp(_ nanoseconds: Int64, decimals: Int) -> String {
    let part = nanoseconds % 1_000_000_000
    let digits = String(1_000_000_000 + (part < 0 ? part + 1_000_000_000 : part)).dropFirst()
    return stamp(nanoseconds).dropLast() + "." + digits.prefix(decimals) + "Z"
  }

  /// Formats nanoseconds since 1970 as `2013-01-01 06:00:00`.
  public static func text(_ nanoseconds: Int64) -> String {
    let seconds = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var whole = seconds.quotient - (seconds.remainder < 0 ? 1 : 0)
    var day = whole / 86400
    whole -= day * 86400
    if whole < 0 {
      whole += 86400
      day -= 1
    }
    let (year, month, dayOfMonth) = date(day)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2)) "
      + "\(padded(whole / 3600, 2)):\(padded(whole / 60 % 60, 2)):\(padded(whole % 60, 2))"
  }

  /// Returns the month, 1 to 12, of a time in nanoseconds since 1970.
  public static func month(_ nanoseconds: Int64) -> Int {
    let day = nanoseconds >= 0 ? nanoseconds / 86_400_000_000_000 : -1
    return Int(date(day).1)
  }

  private static func padded(_ value: Int64, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private static func daysInMonth(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the number of days from 1970-01-01 to a date in the Gregorian calendar.
  public static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  /// Returns the date that is some days after 1970-01-01.
  public static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    return (
      yearOfEra + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }
}
