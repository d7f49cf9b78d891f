import Glibc

/// Formatting of numbers in reports.
public enum Decimal {
  /// Returns the shortest decimal that parses to the same value.
  ///
  /// Whole numbers have no fraction.
  package static func shortest(_ value: Double) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Converts nanoseconds to the shortest decimal number of seconds.
  package static func seconds(_ nanoseconds: UInt64) -> String {
    shortest(Double(nanoseconds) / 1e9)
  }

  /// Returns a duration in the largest unit that gives a whole number, such as `10 min` or `6 h`;
  /// otherwise in seconds, such as `1.5 s`.
  package static func duration(_ nanoseconds: UInt64) -> String {
    for (size, unit) in [(3_600_000_000_000 as UInt64, "h"), (60_000_000_000, "min")]
    where nanoseconds > 0 && nanoseconds % size == 0 {
      return "\(nanoseconds / size) \(unit)"
    }
    return "\(seconds(nanoseconds)) s"
  }

  /// Returns an ordinal number, such as `1st`, `12th` or `23rd`.
  package static func ordinal(_ number: Int) -> String {
    let isTeen = (11...13).contains(number % 100)
    let ending = isTeen ? "th" : [1: "st", 2: "nd", 3: "rd"][number % 10] ?? "th"
    return "\(number)\(ending)"
  }

  /// Returns a time since the start of a run as `0:10:00.1`.
  package static func elapsed(_ nanoseconds: UInt64) -> String {
    let tenths = (nanoseconds + 50_000_000) / 100_000_000
    func padded(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
    return "\(hours):\(padded(minutes)):\(padded(seconds)).\(tenths % 10)"
  }

  /// Returns a number with at most a number of decimals, without trailing zeros; halves are rounded away from zero.
  ///
  /// - Parameters:
  ///   - value: the number.
  ///   - decimals: the most decimals, 0 to 9.
  /// - Returns: the number; one of 1e12 or more, or one that is not finite, with all its digits.
  public static func rounded(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return shortest(value) }
    var power = 1
    for _ in 0..<decimals { power *= 10 }
    let scaled = Int((value * Double(power)).rounded())
    let (whole, part) = abs(scaled).quotientAndRemainder(dividingBy: power)
    let text = (scaled < 0 ? "-" : "") + String(whole)
    guard part != 0 else { return text }
    var digits = String(part)
    digits = String(repeating: "0", count: decimals - digits.utf8.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return text + "." + digits
  }

  /// Returns a number with a fixed number of decimals.
  ///
  /// A value rounded to zero has no sign.
  package static func fixed(_ value: Double, _ decimals: Int) -> String {
    let text = printed(value, decimals)
    let isZero = !text.contains { $0 != "-" && $0 != "0" && $0 != "." }
    return isZero && text.hasPrefix("-") ? String(text.dropFirst()) : text
  }

  /// Returns a number with a fixed number of decimals, as C prints it.
  ///
  /// A value rounded to zero keeps its sign.
  package static func printed(_ value: Double, _ decimals: Int) -> String {
    // The longest double has 309 digits before the decimal point.
    String(unsafeUninitializedCapacity: 320 + decimals) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { characters in
        withVaList([Int32(decimals), value]) {
          Int(vsnprintf(characters.baseAddress, characters.count, "%.*f", $0))
        }
      }
    }
  }

  /// Returns a number with a sign and a fixed number of decimals.
  ///
  /// Zero has no sign.
  package static func signed(_ value: Double, _ decimals: Int) -> String {
    let text = fixed(value, decimals)
    let isZero = !text.contains { $0 != "0" && $0 != "." }
    return text.hasPrefix("-") || isZero ? text : "+" + text
  }

  /// Returns a signed number and its uncertainty, which is never printed as 0.
  ///
  /// If the uncertainty would be 0, both numbers are printed with up to two more decimals. A still
  /// smaller uncertainty is printed as less than the last decimal.
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

/// Conversion between bytes and hexadecimal digits.
package enum Hexadecimal {
  /// Parses hexadecimal digits, which the caller must have validated.
  package static func bytes(_ digits: String) -> [UInt8] { bytes(digits.utf8) }

  /// Parses hexadecimal ASCII digits, which the caller must have validated.
  package static func bytes(_ digits: some Sequence<UInt8>) -> [UInt8] {
    let values = digits.compactMap(value)
    return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  /// Returns the value of a hexadecimal ASCII digit; `nil` for any other byte.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Returns the two lower-case digits of a byte.
  package static func digits(_ byte: UInt8) -> String { digits(byte, 2) }

  /// Returns a number in lower-case digits, padded with zeros to at least `count` digits.
  package static func digits(_ number: some UnsignedInteger, _ count: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}

extension String {
  /// Returns a count with this noun, such as `1 transfer` or `2 transfers`.
  package func counted(_ count: Int) -> String { "\(count) \(self)\(count == 1 ? "" : "s")" }
}
