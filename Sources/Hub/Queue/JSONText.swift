/// Minimal JSON encoding.
package enum JSONText {
  /// Returns a text as a JSON string, with quotes and escapes.
  package static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case _ where scalar.value < 32:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u00" + (digits.utf8.count < 2 ? "0" : "") + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Returns a number in JSON with a maximum number of decimals; values that are not finite become
  /// `null`.
  package static func number(_ value: Double?, _ decimals: Int) -> String {
    guard let value, value.isFinite, abs(value) < 1e12 else { return "null" }
    var power = 1
    for _ in 0..<decimals { power *= 10 }
    let scaled = Int((value * Double(power)).rounded())
    let size = abs(scaled)
    var text = (scaled < 0 ? "-" : "") + String(size / power)
    guard size % power != 0 else { return text }
    var digits = String(size % power)
    digits = String(repeating: "0", count: decimals - digits.utf8.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    text += "." + digits
    return text
  }

  /// Returns a JSON object with encoded members; members without a value are omitted.
  package static func object(_ members: [(String, String?)]) -> String {
    let present = members.compactMap { name, value in value.map { "\(quoted(name)):\($0)" } }
    return "{" + present.joined(separator: ",") + "}"
  }

  /// Returns a JSON array of encoded values.
  package static func array(_ values: some Sequence<String>) -> String {
    "[" + values.joined(separator: ",") + "]"
  }
}
