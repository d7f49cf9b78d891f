/// Lines of JSON in the making, as bytes.
package struct LineBuffer {
  /// What it holds.
  package private(set) var bytes: [UInt8] = []

  /// Creates an empty one.
  package init() {}

  /// Forgets what it holds; its memory stays.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Adds a text of the program.
  package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Adds a text.
  package mutating func append(text: String) { bytes.append(contentsOf: text.utf8) }

  /// Adds a byte.
  package mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Adds a whole number.
  package mutating func append(number: UInt64) {
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var (rest, start) = (number, 20)
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    digits.span.withUnsafeBufferPointer { bytes.append(contentsOf: $0[start...]) }
  }

  /// Adds the two hexadecimal digits of a byte.
  package mutating func append(hexadecimal byte: UInt8) {
    bytes.append(Self.digit(byte >> 4))
    bytes.append(Self.digit(byte & 0x0F))
  }

  /// Adds a word as `"0x0eff0009"`, of so many bytes.
  package mutating func append(quoted word: UInt32, bytes count: Int) {
    append("\"0x")
    for index in (0..<count).reversed() {
      append(hexadecimal: UInt8(truncatingIfNeeded: word >> UInt32(8 * index)))
    }
    append(UInt8(ascii: "\""))
  }

  /// Adds an address as `"0x76"`.
  package mutating func append(address: UInt16) {
    append("\"0x")
    if address > 0xFF { append(Self.digit(UInt8(address >> 8))) }
    append(hexadecimal: UInt8(truncatingIfNeeded: address))
    append(UInt8(ascii: "\""))
  }

  /// Adds a text, quoted and escaped.
  package mutating func append(quoted text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0..<0x20:
        append("\\u00")
        append(hexadecimal: byte)
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
