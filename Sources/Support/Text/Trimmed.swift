extension StringProtocol {
  /// The text without the blanks around it: tabs, and every blank of Unicode, the one without width too.
  package var trimmed: String { trimmed(\.isBlank) }

  /// The text without the blanks and the ends of lines around it.
  package var trimmedLines: String { trimmed { $0.isBlank || $0.endsLine } }

  private func trimmed(_ isDropped: (Unicode.Scalar) -> Bool) -> String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !isDropped($0) }),
      let last = scalars.lastIndex(where: { !isDropped($0) })
    else { return "" }
    return String(self[first..<scalars.index(after: last)])
  }
}

extension Unicode.Scalar {
  fileprivate var isBlank: Bool {
    if isASCII { return self == " " || self == "\t" }
    return properties.generalCategory == .spaceSeparator || value == 0x200B
  }

  fileprivate var endsLine: Bool {
    switch value {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
