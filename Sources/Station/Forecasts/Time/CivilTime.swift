/// Moments in UTC as whole seconds since 1970, and the calendar of people around them.
package enum CivilTime {
  /// The day since 1970 of a date of the Gregorian calendar.
  package static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    Int(UTCTime.days(Int64(year), Int64(month), Int64(day)))
  }

  /// The date of a day since 1970.
  package static func date(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let date = UTCTime.date(Int64(day))
    return (Int(date.year), Int(date.month), Int(date.day))
  }

  /// The seconds since 1970 of a date and time; `nil` for one that does not exist.
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

  /// The start of the day of a moment.
  package static func startOfDay(_ seconds: Int) -> Int {
    seconds - modulo(seconds, 86400)
  }

  /// The month of a moment, 1 to 12.
  package static func month(_ seconds: Int) -> Int { date(startOfDay(seconds) / 86400).month }

  /// What is left of a division, never below 0.
  package static func modulo(_ value: Int, _ by: Int) -> Int {
    let rest = value % by
    return rest < 0 ? rest + by : rest
  }

  /// A moment as `2013-10-01T01:00`, with what follows.
  package static func text(_ seconds: Int, seconds withSeconds: Bool = false, suffix: String = "")
    -> String
  {
    let date = date((seconds - modulo(seconds, 86400)) / 86400)
    let rest = modulo(seconds, 86400)
    let time = "\(two(rest / 3600)):\(two(rest / 60 % 60))"
    return dateText(date.year, date.month, date.day) + "T" + time
      + (withSeconds ? ":" + two(rest % 60) : "") + suffix
  }

  /// A moment as `2013-10-01T01:00:00Z`.
  package static func stamp(_ seconds: Int) -> String {
    text(seconds, seconds: true, suffix: "Z")
  }

  /// The day of a moment as `2013-10-01`.
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

  /// Reads the numbers of `2013-10-01T01:00:00Z`, `2013-10-01 1:00`, `2013-10-01_01:00:00` or `2013-10-01`; UTC.
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
        // Parts of a second are dropped.
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
