import Forecasts

/// A parser of times in RFC 3339, such as `2026-11-23T06:00:00+01:00`.
enum Moment {
  /// Parses a time as whole seconds since 1970; fractions of a second are dropped.
  ///
  /// A date alone means the first second of that day, and a time without a time zone is in UTC. A
  /// space before the offset is taken as a plus sign that was not encoded.
  static func read(_ text: String) -> Int? {
    var rest = Substring(text)
    guard let year = number(&rest, 4), take("-", &rest), let month = number(&rest, 2),
      take("-", &rest), let day = number(&rest, 2)
    else { return nil }
    if rest.isEmpty { return CivilTime.seconds(year, month, day) }
    guard take("T", &rest) || take("t", &rest) || take(" ", &rest) || take("_", &rest),
      let hour = number(&rest, 2), take(":", &rest), let minute = number(&rest, 2)
    else { return nil }
    var second = 0
    if take(":", &rest) {
      guard let read = number(&rest, 2), read <= 60 else { return nil }
      second = read
      if take(".", &rest) {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard (1...12).contains(digits.count) else { return nil }
        rest.removeFirst(digits.count)
      }
    }
    // Second 60 of a leap second is taken as the first second of the next minute.
    guard let shift = zone(&rest), rest.isEmpty,
      let moment = CivilTime.seconds(year, month, day, hour, minute, min(second, 59))
    else { return nil }
    return moment + (second == 60 ? 1 : 0) - shift
  }

  /// Parses the offset to UTC, in seconds east of Greenwich.
  private static func zone(_ rest: inout Substring) -> Int? {
    if rest.isEmpty || take("Z", &rest) || take("z", &rest) { return 0 }
    let isWest = take("-", &rest)
    guard isWest || take("+", &rest) || take(" ", &rest), let hours = number(&rest, 2), hours < 24,
      take(":", &rest), let minutes = number(&rest, 2), minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (isWest ? -60 : 60)
  }

  private static func take(_ letter: Character, _ rest: inout Substring) -> Bool {
    guard rest.first == letter else { return false }
    rest.removeFirst()
    return true
  }

  private static func number(_ rest: inout Substring, _ digits: Int) -> Int? {
    let head = rest.prefix(digits)
    guard head.utf8.count == digits, head.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    rest.removeFirst(digits)
    return Int(head)
  }
}
