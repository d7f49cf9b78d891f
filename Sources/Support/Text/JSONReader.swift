/// A strict JSON parser (RFC 8259).
///
/// A byte order mark at the start is skipped. Numbers are stored in the notation in which they are
/// written.
struct JSONReader {
  /// The maximum nesting depth of arrays and objects.
  static let deepest = 128

  private let bytes: UnsafeBufferPointer<UInt8>
  private var next = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Parses a single value surrounded by optional whitespace; returns `nil` if the input is
  /// invalid.
  mutating func document() -> JSONValue? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { next = 3 }
    guard let value = value(depth: 0) else { return nil }
    skipBlanks()
    return next == bytes.count ? value : nil
  }

  // MARK: Values

  private mutating func value(depth: Int) -> JSONValue? {
    skipBlanks()
    guard next < bytes.count else { return nil }
    switch bytes[next] {
    case UInt8(ascii: "{"): return depth < Self.deepest ? object(depth: depth + 1) : nil
    case UInt8(ascii: "["): return depth < Self.deepest ? array(depth: depth + 1) : nil
    case UInt8(ascii: "\""): return string().map(JSONValue.string)
    case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take("null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> JSONValue? {
    next += 1
    var fields: [(key: String, value: JSONValue)] = []
    if takeSign("}") { return .object(fields) }
    repeat {
      skipBlanks()
      guard next < bytes.count, bytes[next] == UInt8(ascii: "\""), let key = string(),
        takeSign(":"), let value = value(depth: depth)
      else { return nil }
      fields.append((key, value))
    } while takeSign(",")
    return takeSign("}") ? .object(fields) : nil
  }

  private mutating func array(depth: Int) -> JSONValue? {
    next += 1
    var values: [JSONValue] = []
    if takeSign("]") { return .array(values) }
    repeat {
      guard let value = value(depth: depth) else { return nil }
      values.append(value)
    } while takeSign(",")
    return takeSign("]") ? .array(values) : nil
  }

  /// Parses a number, which must be within the range of a double.
  ///
  /// It consists of an optional sign, digits without a leading zero, an optional fraction and an
  /// optional exponent.
  private mutating func number() -> JSONValue? {
    let start = next
    _ = takeByte("-")
    guard takeByte("0") || takeDigits() else { return nil }
    var isWhole = true
    if takeByte(".") {
      isWhole = false
      guard takeDigits() else { return nil }
    }
    if takeByte("e") || takeByte("E") {
      isWhole = false
      if !takeByte("+") { _ = takeByte("-") }
      guard takeDigits() else { return nil }
    }
    let text = String(decoding: bytes[start..<next], as: UTF8.self)
    let isShort = isWhole && next - start < 300
    guard isShort || Double(text)?.isFinite == true else { return nil }
    return .number(text)
  }

  // MARK: Strings

  private mutating func string() -> String? {
    next += 1
    let start = next
    while next < bytes.count {
      switch bytes[next] {
      case UInt8(ascii: "\""):
        defer { next += 1 }
        return String(validating: bytes[start..<next], as: UTF8.self)
      case UInt8(ascii: "\\"): return escapedString(from: start)
      case 0..<0x20: return nil
      default: next += 1
      }
    }
    return nil
  }

  /// Parses the rest of a string that contains escapes.
  private mutating func escapedString(from start: Int) -> String? {
    var content = Array(bytes[start..<next])
    while next < bytes.count {
      let byte = bytes[next]
      next += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        content += UTF8.encode(scalar).map { Array($0) } ?? []
      case 0..<0x20: return nil
      default: content.append(byte)
      }
    }
    return nil
  }

  /// Parses an escape sequence after its backslash.
  private mutating func escape() -> Unicode.Scalar? {
    guard next < bytes.count else { return nil }
    next += 1
    switch bytes[next - 1] {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return escapedScalar()
    default: return nil
    }
  }

  /// Parses the digits of a `\u` escape, which is one code unit or a surrogate pair.
  private mutating func escapedScalar() -> Unicode.Scalar? {
    guard let unit = codeUnit() else { return nil }
    guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
    guard take("\\u"), let second = codeUnit(), UTF16.isTrailSurrogate(second) else { return nil }
    let high = UInt32(unit) - 0xD800
    let low = UInt32(second) - 0xDC00
    return Unicode.Scalar(0x10000 + high << 10 + low)
  }

  private mutating func codeUnit() -> UInt16? {
    guard bytes.count - next >= 4 else { return nil }
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = Hexadecimal.value(bytes[next]) else { return nil }
      unit = unit << 4 | UInt16(digit)
      next += 1
    }
    return unit
  }

  // MARK: Bytes

  private mutating func skipBlanks() {
    while next < bytes.count {
      switch bytes[next] {
      case 0x20, 0x09, 0x0A, 0x0D: next += 1
      default: return
      }
    }
  }

  /// Skips whitespace, and then the given punctuation character if it is next; returns whether it
  /// was.
  private mutating func takeSign(_ sign: Unicode.Scalar) -> Bool {
    skipBlanks()
    return takeByte(sign)
  }

  private mutating func takeByte(_ sign: Unicode.Scalar) -> Bool {
    guard next < bytes.count, bytes[next] == UInt8(ascii: sign) else { return false }
    next += 1
    return true
  }

  private mutating func take(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.count - next >= count else { return false }
    for index in 0..<count where bytes[next + index] != word.utf8Start[index] { return false }
    next += count
    return true
  }

  /// Skips digits; returns whether there was at least one.
  private mutating func takeDigits() -> Bool {
    let start = next
    while next < bytes.count, case 48...57 = bytes[next] { next += 1 }
    return next > start
  }
}
