/// A firmware image on a virtual microcontroller that uses the buses of a rig.
package struct FirmwareConfiguration: Hashable, Sendable {
  /// The file of the image.
  package let image: String
  /// The command that builds the image; `nil` if unknown.
  package let builder: String?
  /// The microcontroller; `nil` to detect it from the image.
  package let microcontroller: String?
  /// The load address of a raw binary.
  package let address: UInt32?
  /// The bus number of each I2C controller; empty for the default assignment.
  package let ports: [String: Int]
  /// The regular expression of a UART line that ends the run; `nil` for none.
  package let until: String?
  /// The regular expression of the line that the rig expects, which ends the run too; `nil` for
  /// none.
  package var awaited: String?
  /// The line of the firmware section in the rig file.
  package let line: Int

  /// The regular expressions of the lines that end the run.
  package var endings: [String] { [until, awaited].compactMap(\.self) }
}

/// A regular expression to match against the lines of a serial port.
package struct SerialPattern: @unchecked Sendable {
  /// The expression without enclosing slashes.
  package let text: String
  private let regex: Regex<AnyRegexOutput>

  /// Creates a pattern; `nil` if the text is not a valid regular expression.
  ///
  /// Enclosing slashes are removed.
  package init?(_ text: String) {
    var inner = text[...]
    if inner.count > 1, inner.hasPrefix("/"), inner.hasSuffix("/") {
      inner = inner.dropFirst().dropLast()
    }
    guard let regex = try? Regex(String(inner)) else { return nil }
    self.text = String(inner)
    self.regex = regex
  }

  /// Returns whether a line contains a match.
  package func matches(_ line: String) -> Bool { (try? regex.firstMatch(in: line)) ?? nil != nil }
}
