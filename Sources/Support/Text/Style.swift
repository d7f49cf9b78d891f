/// How text looks on a terminal; plain where colour is off.
package struct Style: Sendable {
  /// Whether escape sequences are written.
  package let isColoured: Bool

  /// Creates a style.
  package init(isColoured: Bool) {
    self.isColoured = isColoured
  }

  /// The looks that reports use.
  package enum Look: String {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case cyan = "36"
  }

  package func callAsFunction(_ look: Look, _ text: String) -> String {
    // Foreign text must not bring looks of its own.
    let text = text.visible
    return isColoured && !text.isEmpty ? "\u{1B}[\(look.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// The text with blanks before it up to a width.
  package func right(_ width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - count)) + self
  }

  /// The text with blanks behind it up to a width.
  package func left(_ width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}
