import Support

/// UTC times as whole seconds since 1970, and their calendar dates.
package enum CivilTime {
  /// Returns the number of days from 1970 to a Gregorian date.
  package static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    Int(UTCTime.days(Int64(year), Int64(month), Int64(day)))
  }

  /// Returns the date that is a number of days after the start of 1970.
  package static func date(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let date = UTCTime.date(Int64(day))
    return (Int(date.year), Int(date.month), Int(date.day))
  }

  /// Returns the seconds since 1970 for a date and time; `nil` if they do not exist.
  package static func seconds(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0
  ) -> Int? {
    guard (1...9999).contains(year), (1...12).contains(month), (0...23).contains(hour),
      (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
    let number = Self.day(year, month, day)
    guard date(number) == (year, month, day) else { return nil }
    return number * 86400 + hour * 3600 + minute * 60 + second
  }

  /// Returns the start of the day that contains a time.
  package static func startOfDay(_ seconds: Int) -> Int {
    seconds - modulo(seconds, 86400)
  }

  /// Returns the month that contains a time, 1 to 12.
  package static func month(_ seconds: Int) -> Int { date(startOfDay(seconds) / 86400).month }

  /// Returns the non-negative remainder of a division.
  package static func modulo(_ value: Int, _ by: Int) -> Int {
    let rest = value % by
    return rest < 0 ? rest + by : rest
  }

  /// Formats a time as `2013-10-01T01:00`, followed by a suffix.
  package static func text(_ seconds: Int, seconds withSeconds: Bool = false, suffix: String = "")
    -> String
  {
    let date = date((seconds - modulo(seconds, 86400)) / 86400)
    let rest = modulo(seconds, 86400)
    let time = "\(two(rest / 3600)):\(two(rest / 60 % 60))"
    return dateText(date.year, date.month, date.day) + "T" + time
      + (withSeconds ? ":" + two(rest % 60) : "") + suffix
  }

  /// Formats a time as `2013-10-01T01:00:00Z`.
  package static func stamp(_ seconds: Int) -> String {
    text(seconds, seconds: true, suffix: "Z")
  }

  /// Formats the day that contains a time as `2013-10-01`.
  package static func dateText(of seconds: Int) -> String {
    let date = date(startOfDay(seconds) / 86400)
    return dateText(date.year, date.month, date.day)
  }

  private static func dateText(_ year: Int, _ month: Int, _ day: Int) -> String {
    let text = String(year)
    return String(repeating: "0", count: max(0, 4 - text.count)) + text + "-" + two(month) + "-"
      + two(day)
  }

  private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

  /// Parses `2013-10-01T01:00:00Z`, `2013-10-01 1:00`, `2013-10-01_01:00:00` or `2013-10-01` as UTC.
  package static func parse(_ text: some StringProtocol) -> Int? {
    var numbers: [Int] = []
    var open = false
    for byte in text.utf8 {
      switch byte {
      case 48...57:
        if open, let last = numbers.popLast() {
          guard last < 100_000 else { return nil }
          numbers.append(last * 10 + Int(byte - 48))
        } else {
          numbers.append(Int(byte - 48))
        }
        open = true
      case UInt8(ascii: "."):
        // Fractions of a second are dropped.
        guard numbers.count == 6 else { return nil }
        return seconds(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
      case UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "T"), UInt8(ascii: " "),
        UInt8(ascii: "_"), UInt8(ascii: "Z"):
        open = false
      default: return nil
      }
      if numbers.count == 7 { break }
    }
    guard (3...7).contains(numbers.count) else { return nil }
    while numbers.count < 6 { numbers.append(0) }
    return seconds(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
  }
}

/// The units of a CF time axis, such as `hours since 2013-10-01 00:00:00`.
struct TimeUnits {
  let secondsPerUnit: Double
  let epoch: Int

  /// Parses the units; the result is `nil` if they are invalid.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count >= 3, words[1].lowercased() == "since" else { return nil }
    switch words[0].lowercased() {
    case "seconds", "second", "secs", "sec", "s": secondsPerUnit = 1
    case "minutes", "minute", "mins", "min": secondsPerUnit = 60
    case "hours", "hour", "hrs", "hr", "h": secondsPerUnit = 3600
    case "days", "day", "d": secondsPerUnit = 86400
    default: return nil
    }
    var moment = words.dropFirst(2).joined(separator: " ")
    for zone in [" UTC", " GMT", " +00:00", " +0:00", " 0:00", "+00:00"]
    where moment.hasSuffix(zone) {
      moment.removeLast(zone.count)
    }
    guard let epoch = CivilTime.parse(moment) else { return nil }
    self.epoch = epoch
  }

  /// Returns the time for a value in these units, rounded to seconds; `nil` if it is out of range.
  func seconds(_ value: Double) -> Int? {
    let offset = (value * secondsPerUnit).rounded()
    guard offset.isFinite, abs(offset) < 1e12 else { return nil }
    return epoch + Int(offset)
  }
}
