/// The few forms of JSON that are written by hand.
package enum JSONText {
  /// A text in quotation marks.
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

  /// A number with so many decimals at most; what is no number becomes `null`.
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

  /// An object of names and values that are JSON already; those without a value are left out.
  package static func object(_ members: [(String, String?)]) -> String {
    let present = members.compactMap { name, value in value.map { "\(quoted(name)):\($0)" } }
    return "{" + present.joined(separator: ",") + "}"
  }

  /// A list of values that are JSON already.
  package static func array(_ values: some Sequence<String>) -> String {
    "[" + values.joined(separator: ",") + "]"
  }
}
