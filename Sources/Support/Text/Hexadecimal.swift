/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  /// The bytes that checked digits spell.
  package static func bytes(_ digits: String) -> [UInt8] { bytes(digits.utf8) }

  /// The bytes that checked ASCII digits spell.
  package static func bytes(_ digits: some Sequence<UInt8>) -> [UInt8] {
    let values = digits.compactMap(value)
    return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  /// The value of an ASCII digit.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The two digits of a byte.
  package static func digits(_ byte: UInt8) -> String { digits(byte, 2) }

  /// The digits of a number in small letters, with as many zeros before them as make so many digits, or more.
  package static func digits(_ number: some UnsignedInteger, _ count: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
