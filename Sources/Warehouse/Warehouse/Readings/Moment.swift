import Text

/// Moments of records: UTC to the nanosecond, `2026-01-01T00:00:00.250000000Z`.
///
/// All of them have the same length, so that their order as text is their order in time.
enum Moment {
  /// The moments that can be told, in nanoseconds since 1970: up to 2199.
  static let all: ClosedRange<Int64> = 0...7_257_000_000_000_000_000

  private static let second: Int64 = 1_000_000_000

  /// A moment after the clock was stepped; it stays within what `Int64` holds.
  static func stepped(_ time: Int64, by step: Int64) -> Int64 {
    let (sum, isTooFar) = time.addingReportingOverflow(step)
    return isTooFar ? (step > 0 ? .max : .min) : sum
  }

  /// Writes nanoseconds since 1970.
  static func text(_ nanoseconds: Int64) -> String {
    let part = (nanoseconds % second + second) % second
    let digits = String(part)
    let whole = UTCTime.stamp(nanoseconds - part).dropLast()
    return whole + "." + String(repeating: "0", count: 9 - digits.count) + digits + "Z"
  }

  /// Reads what ``text(_:)`` writes, with one to nine digits of a fraction or none; `nil` where a text is no moment.
  static func parse(_ text: String) -> Int64? {
    guard let point = text.firstIndex(of: ".") else { return UTCTime.parse(text) }
    let digits = text[text.index(after: point)...].dropLast()
    guard text.last == "Z", (1...9).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let part = Int64(digits + String(repeating: "0", count: 9 - digits.utf8.count)),
      let whole = UTCTime.parse(text[..<point] + "Z")
    else { return nil }
    return whole + part
  }
}
