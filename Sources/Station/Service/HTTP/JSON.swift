/// A JSON value with ordered members.
package enum JSON: Sendable {
  case null
  /// A Boolean value.
  case bool(Bool)
  /// An integer.
  case int(Int)
  /// A number with a maximum number of decimals; values that are not finite become null.
  case number(Double?, Int)
  case string(String)
  case array([JSON])
  /// An object whose members keep their order.
  case object([(String, JSON)])

  /// Returns a JSON string, or null if the text is `nil`.
  static func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

  /// The value encoded as UTF-8.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .int(let value): bytes += String(value).utf8
    case .number(let value, let decimals): Self.write(value, decimals, to: &bytes)
    case .string(let text): Self.write(text, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.0, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.1.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ value: Double?, _ decimals: Int, to bytes: inout [UInt8]) {
    guard let value, value.isFinite, abs(value) < 1e12 else {
      bytes += "null".utf8
      return
    }
    var power = 1
    for _ in 0..<decimals { power *= 10 }
    let scaled = Int((value * Double(power)).rounded())
    if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
    let size = abs(scaled)
    bytes += String(size / power).utf8
    guard size % power != 0 else { return }
    bytes.append(UInt8(ascii: "."))
    var digits = String(size % power)
    digits = String(repeating: "0", count: decimals - digits.utf8.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    bytes += digits.utf8
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<32:
        let hexadecimal = String(byte, radix: 16)
        bytes += ("\\u00" + (hexadecimal.utf8.count < 2 ? "0" : "") + hexadecimal).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
