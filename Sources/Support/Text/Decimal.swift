import Glibc

/// Numbers as the reports print them.
package enum Decimal {
  /// The shortest decimal that reads back equal; whole numbers without a fraction.
  package static func shortest(_ value: Double) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Seconds out of nanoseconds, as the shortest decimal.
  package static func seconds(_ nanoseconds: UInt64) -> String {
    shortest(Double(nanoseconds) / 1e9)
  }

  /// A length of time in the largest unit that fits it whole: `10 min`, `6 h`, `1.5 s`.
  package static func duration(_ nanoseconds: UInt64) -> String {
    for (size, unit) in [(3_600_000_000_000 as UInt64, "h"), (60_000_000_000, "min")]
    where nanoseconds > 0 && nanoseconds % size == 0 {
      return "\(nanoseconds / size) \(unit)"
    }
    return "\(seconds(nanoseconds)) s"
  }

  /// A whole number as an ordinal: `1st`, `12th`, `23rd`.
  package static func ordinal(_ number: Int) -> String {
    let isTeen = (11...13).contains(number % 100)
    let ending = isTeen ? "th" : [1: "st", 2: "nd", 3: "rd"][number % 10] ?? "th"
    return "\(number)\(ending)"
  }

  /// A time since the start of a run as `0:10:00.1`.
  package static func elapsed(_ nanoseconds: UInt64) -> String {
    let tenths = (nanoseconds + 50_000_000) / 100_000_000
    func padded(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
    return "\(hours):\(padded(minutes)):\(padded(seconds)).\(tenths % 10)"
  }

  /// A number with a fixed number of decimals; never "-0.0".
  package static func fixed(_ value: Double, _ decimals: Int) -> String {
    let text = printed(value, decimals)
    let isZero = !text.contains { $0 != "-" && $0 != "0" && $0 != "." }
    return isZero && text.hasPrefix("-") ? String(text.dropFirst()) : text
  }

  /// A number with a fixed number of decimals as C prints it: what is rounded to zero keeps its sign.
  package static func printed(_ value: Double, _ decimals: Int) -> String {
    // The longest double has 309 digits before the point.
    String(unsafeUninitializedCapacity: 320 + decimals) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { characters in
        withVaList([Int32(decimals), value]) {
          Int(vsnprintf(characters.baseAddress, characters.count, "%.*f", $0))
        }
      }
    }
  }

  /// A number with its sign and a fixed number of decimals; 0 has none.
  package static func signed(_ value: Double, _ decimals: Int) -> String {
    let text = fixed(value, decimals)
    let isZero = !text.contains { $0 != "0" && $0 != "." }
    return text.hasPrefix("-") || isZero ? text : "+" + text
  }

  /// A number with its sign and its uncertainty, which is never shown as 0: with up to two decimals more where it takes them,
  /// and as less than the last decimal where they do not show it either.
  package static func measured(
    _ value: Double, _ uncertainty: Double, _ decimals: Int
  ) -> (value: String, uncertainty: String) {
    func isShown(_ decimals: Int) -> Bool {
      fixed(uncertainty, decimals).contains { $0 != "0" && $0 != "." }
    }
    guard let digits = (decimals...decimals + 2).first(where: isShown) else {
      let last = String(repeating: "0", count: max(decimals - 1, 0)) + "1"
      return (signed(value, decimals), decimals > 0 ? "< 0.\(last)" : "< 1")
    }
    return (signed(value, digits), fixed(uncertainty, digits))
  }
}
