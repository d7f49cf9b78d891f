/// A JSON value.
///
/// Objects keep the order of their keys, unlike the objects of Foundation's encoder.
public enum JSONValue: Sendable {
  case string(String)
  /// A number, in the notation in which it was read or is printed.
  case number(String)
  case bool(Bool)
  case null
  case array([JSONValue])
  case object([(key: String, value: JSONValue)])

  /// Creates a whole number.
  public static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

  /// Creates a number with the shortest decimal that parses to the same value.
  public static func decimal(_ value: Double) -> JSONValue { .number(Decimal.shortest(value)) }

  /// Creates a number of seconds from nanoseconds.
  public static func seconds(_ nanoseconds: UInt64) -> JSONValue {
    .number(Decimal.seconds(nanoseconds))
  }

  /// Creates a number with at most a number of decimals, or null without a finite value.
  public static func rounded(_ value: Double?, _ decimals: Int) -> JSONValue {
    guard let value, value.isFinite else { return .null }
    return .number(Decimal.rounded(value, decimals))
  }

  /// Creates a string, or null without a text.
  public static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  /// Creates an object of the members that have a value.
  public static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { key, value in value.map { (key, $0) } })
  }

  /// The value on one line, without whitespace.
  public var compact: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .string(let string): Self.write(string, to: &text)
    case .number(let number): text += number
    case .bool(let bool): text += bool ? "true" : "false"
    case .null: text += "null"
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let fields):
      text += "{"
      for (index, field) in fields.enumerated() {
        if index > 0 { text += "," }
        Self.write(field.key, to: &text)
        text += ":"
        field.value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    defer { text += "\"" }
    // Most strings need no escapes, and are appended as a whole, which is many times faster.
    if string.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && !"\"\\#".utf8.contains($0) }) {
      text += string
      return
    }
    // CI services interpret `##[` in a log as a command.
    let hasCommand = string.contains("##[")
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "#" where hasCommand: text += "\\u0023"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where !scalar.isShown:
        // Use an escape that is equivalent for programs and harmless on a terminal.
        for unit in UTF16.encode(scalar).map({ Array($0) }) ?? [] {
          text += "\\u" + Hexadecimal.digits(unit, 4)
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension JSONValue {
  /// Parses a value; returns `nil` if the bytes are not valid JSON (RFC 8259) or are nested deeper
  /// than 128 levels.
  public init?(reading bytes: some Collection<UInt8>) {
    let value = bytes.withContiguousStorageIfAvailable { buffer -> JSONValue? in
      var reader = JSONReader(buffer)
      return reader.document()
    }
    guard let value = value ?? JSONValue(reading: Array(bytes)) else { return nil }
    self = value
  }

  /// The value of a key; `nil` if this is not an object or the key is missing.
  ///
  /// If a key occurs several times, its last value is used.
  public subscript(_ key: String) -> JSONValue? {
    guard case .object(let fields) = self else { return nil }
    return fields.last { $0.key == key }?.value
  }

  /// The fields of the object; `nil` for other values.
  public var object: [(key: String, value: JSONValue)]? {
    if case .object(let fields) = self { fields } else { nil }
  }

  /// The values of the array; `nil` for other values.
  public var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// Whether the value is an object or an array.
  public var isContainer: Bool { object != nil || array != nil }

  /// The text of the string; `nil` for other values.
  public var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The boolean value; `nil` for other values.
  public var boolean: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The numeric value; `nil` for other values.
  public var double: Double? {
    guard case .number(let text) = self else { return nil }
    // A whole number has no negative zero.
    return Int64(text).map(Double.init) ?? Double(text)
  }

  /// Returns the value of a whole number, which may also be written as `3.0` or `3e0`; `nil` for
  /// other values and for numbers outside the type's range.
  public func whole<Number: FixedWidthInteger>(_: Number.Type = Int.self) -> Number? {
    guard case .number(let text) = self else { return nil }
    let isWritten = !text.utf8.contains { $0 == 0x2E || $0 | 0x20 == 0x65 }
    return isWritten ? Number(text) : Double(text).flatMap { Number(exactly: $0) }
  }
}

/// Values are equal if their compact texts are.
extension JSONValue: Hashable {
  /// Returns whether two values have the same compact text.
  public static func == (one: JSONValue, other: JSONValue) -> Bool { one.compact == other.compact }

  /// Hashes the compact text.
  public func hash(into hasher: inout Hasher) { hasher.combine(compact) }
}
