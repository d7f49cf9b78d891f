import Support

/// Conversion between nanoseconds since 1970 and UTC time stamps, such as `2026-01-01T00:00:00.250000000Z`.
///
/// All time stamps have the same length, so sorting them as text puts them in chronological order.
enum Moment {
  /// The range of representable times in nanoseconds since 1970: 1970 to 2199.
  static let all: ClosedRange<Int64> = 0...7_257_000_000_000_000_000

  private static let second: Int64 = 1_000_000_000

  /// Returns a time shifted by a step of the clock, clamped to the range of `Int64`.
  static func stepped(_ time: Int64, by step: Int64) -> Int64 {
    let (sum, isTooFar) = time.addingReportingOverflow(step)
    return isTooFar ? (step > 0 ? .max : .min) : sum
  }

  /// Formats nanoseconds since 1970 as a time stamp.
  static func text(_ nanoseconds: Int64) -> String {
    let part = (nanoseconds % second + second) % second
    let digits = String(part)
    let whole = UTCTime.stamp(nanoseconds - part).dropLast()
    return whole + "." + String(repeating: "0", count: 9 - digits.count) + digits + "Z"
  }

  /// Parses a time stamp with zero to nine fractional digits; returns `nil` if the text is invalid.
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
