/// Reads a rule of POSIX's `TZ`, piece by piece.
struct ZoneRuleReader {
  private var rest: ArraySlice<UInt8>

  init(_ text: some StringProtocol) { rest = Array(text.utf8)[...] }

  /// Whether all is read.
  var isAtEnd: Bool { rest.isEmpty }

  /// What comes next.
  var next: UInt8? { rest.first }

  /// Skips the name of a zone: three letters or more, or anything in angle brackets.
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

  /// Hours, and minutes and seconds after colons, as seconds; with a sign.
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

  /// A comma, a day, and after a slash its time, which is two o'clock where none stands.
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
