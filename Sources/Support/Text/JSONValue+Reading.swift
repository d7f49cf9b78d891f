extension JSONValue {
  /// Reads a value; nothing where the bytes are no JSON after RFC 8259, or lie deeper in each other than 128 levels.
  package init?(reading bytes: some Collection<UInt8>) {
    let value = bytes.withContiguousStorageIfAvailable { buffer -> JSONValue? in
      var reader = JSONReader(buffer)
      return reader.document()
    }
    guard let value = value ?? JSONValue(reading: Array(bytes)) else { return nil }
    self = value
  }

  /// The value of a key, of a key that is there twice the last; nothing where this is no object, or has no such key.
  package subscript(_ key: String) -> JSONValue? {
    guard case .object(let fields) = self else { return nil }
    return fields.last { $0.key == key }?.value
  }

  /// The fields, where it is an object.
  package var object: [(key: String, value: JSONValue)]? {
    if case .object(let fields) = self { fields } else { nil }
  }

  /// The values, where it is a list.
  package var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// Whether it is an object or a list.
  package var isContainer: Bool { object != nil || array != nil }

  /// The text, where it is one.
  package var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The truth value, where it is one.
  package var boolean: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number, where it is one.
  package var double: Double? {
    guard case .number(let text) = self else { return nil }
    // A whole number has no sign of its zero.
    return Int64(text).map(Double.init) ?? Double(text)
  }

  /// The whole number, where it is one and fits: `3`, and also `3.0` and `3e0`.
  package func whole<Number: FixedWidthInteger>(_: Number.Type = Int.self) -> Number? {
    guard case .number(let text) = self else { return nil }
    let isWritten = !text.utf8.contains { $0 == 0x2E || $0 | 0x20 == 0x65 }
    return isWritten ? Number(text) : Double(text).flatMap { Number(exactly: $0) }
  }
}
