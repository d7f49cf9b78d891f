/// A JSON value whose objects keep the order of their keys, which Foundation's encoder does not.
package enum JSONValue {
  case string(String)
  /// A number as it is to be printed.
  case number(String)
  case bool(Bool)
  case null
  case array([JSONValue])
  case object([(key: String, value: JSONValue)])

  package static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

  /// The shortest decimal that reads back equal.
  package static func decimal(_ value: Double) -> JSONValue { .number(Decimal.shortest(value)) }

  /// Nanoseconds as seconds.
  package static func seconds(_ nanoseconds: UInt64) -> JSONValue {
    .number(Decimal.seconds(nanoseconds))
  }

  /// The value on one line, without blanks.
  package var compact: String {
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
    // A service that runs builds takes `##[` in a log for a command.
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
        // The same text to a program, and nothing that a terminal obeys.
        for unit in UTF16.encode(scalar).map({ Array($0) }) ?? [] {
          text += "\\u" + Hexadecimal.digits(unit, 4)
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
