/// A regular expression that a line of a serial port may match.
package struct SerialPattern: @unchecked Sendable {
  /// The expression, as it was written.
  package let text: String
  private let regex: Regex<AnyRegexOutput>

  /// Creates a pattern, or `nil` where it is no regular expression; slashes around it are no part of it.
  package init?(_ text: String) {
    var inner = text[...]
    if inner.count > 1, inner.hasPrefix("/"), inner.hasSuffix("/") {
      inner = inner.dropFirst().dropLast()
    }
    guard let regex = try? Regex(String(inner)) else { return nil }
    self.text = String(inner)
    self.regex = regex
  }

  /// Whether a line matches somewhere.
  package func matches(_ line: String) -> Bool { (try? regex.firstMatch(in: line)) ?? nil != nil }
}
