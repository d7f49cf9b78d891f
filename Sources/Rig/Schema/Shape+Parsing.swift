import Text

extension Shape {
  /// What the shape is, in words.
  package var noun: String {
    switch self {
    case .text: "a text"
    case .path: "a path"
    case .integer(let range) where range.upperBound == Int.max:
      "a whole number from \(range.lowerBound) on"
    case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .choice(let numbers): "one of " + numbers.map(String.init).joined(separator: ", ")
    case .address(let addresses): Self.noun(of: addresses)
    case .number: "a number"
    case .boolean: "true or false"
    case .word(let words):
      words.count == 1 ? "'\(words[0])'" : "one of \(words.joined(separator: ", "))"
    case .quantity(let quantity): "\(quantity.nounWithArticle) such as \(quantity.example)"
    case .moment: "a moment in UTC such as 2013-01-01T06:00:00Z"
    case .hexadecimal: "pairs of hexadecimal digits"
    case .list, .listOrNone: "a list"
    case .section, .variants: "a group of keys"
    case .either(let shapes): shapes.map(\.noun).joined(separator: " or ")
    }
  }

  /// A value that fits, where the words of the shape say none and every text that fits looks like it.
  package var example: String? {
    switch self {
    case .quantity(let quantity): quantity.example
    case .moment: "2013-01-01T06:00:00Z"
    case .hexadecimal: "6e 6c 66 32"
    case .either(let shapes): shapes.lazy.compactMap(\.example).first
    default: nil
    }
  }

  /// A few addresses by name, many by their range.
  private static func noun(of addresses: [Int]) -> String {
    func text(_ address: Int) -> String { "0x" + Hexadecimal.digits(UInt8(address)) }
    guard addresses.count > 4, let first = addresses.first, let last = addresses.last else {
      return addresses.map(text).joined(separator: " or ")
    }
    return "an address from \(text(first)) to \(text(last))"
  }

  /// How a document writes the shape.
  package enum Form {
    case scalar, list, mapping
  }

  /// How a document writes the shape; of alternatives, which are tried one by one, a scalar.
  package var form: Form {
    switch self {
    case .section, .variants: .mapping
    case .list, .listOrNone: .list
    default: .scalar
    }
  }

  /// Whether a text that does not fit is plainly meant as this shape: `30m` as a duration, `2013-1-1` as a date.
  package func resembles(_ text: String) -> Bool {
    let start = text.prefix { $0.isNumber || "+-.".contains($0) }
    guard start.contains(where: \.isNumber) else { return false }
    return switch self {
    case .quantity: text.dropFirst(start.count).first.map { $0.isLetter || $0 == "%" } ?? false
    case .moment: start.dropFirst().contains("-")
    default: false
    }
  }

  /// Reads a scalar.
  package func parse(_ text: String) throws(QuantityKind.FormatError) -> CheckedValue.Content {
    switch self {
    case .quantity(let quantity): return .number(try quantity.parse(text))
    case .hexadecimal: return .text(try checkedHexadecimal(text))
    default:
      guard let content = plain(text) else {
        if case .number(let range) = self, let number = Double(text), !number.isNaN {
          throw QuantityKind.FormatError(
            message: "\(text.clipped) is out of range: \(Self.bounds(range))")
        }
        throw QuantityKind.FormatError(message: "'\(text.clipped)' is not \(noun)" + hint(text))
      }
      return content
    }
  }

  private func plain(_ text: String) -> CheckedValue.Content? {
    switch self {
    case .text, .path:
      return text.isEmpty || text.contains("\0") ? nil : .text(text)
    case .integer(let range):
      return Self.integer(text).flatMap { range.contains($0) ? .integer($0) : nil }
    case .choice(let numbers):
      return Self.integer(text).flatMap { numbers.contains($0) ? .integer($0) : nil }
    case .address(let addresses):
      return Self.integer(text).flatMap { addresses.contains($0) ? .integer($0) : nil }
    case .number(let range):
      return Double(text).flatMap { range.contains($0) ? .number($0) : nil }
    case .boolean:
      return text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
    case .word(let words):
      return words.contains(text) ? .text(text) : nil
    case .moment:
      return UTCTime.parse(text).map { .integer(Int($0)) }
    default:
      return nil
    }
  }

  private func hint(_ text: String) -> String {
    if case .word(let words) = self { return NearestWord.hint(text, among: words) }
    return ""
  }

  /// The ends of a range, in words.
  private static func bounds(_ range: ClosedRange<Double>) -> String {
    "from \(Decimal.shortest(range.lowerBound)) to \(Decimal.shortest(range.upperBound))"
  }

  /// A decimal or `0x` number.
  package static func integer(_ text: String) -> Int? {
    text.hasPrefix("0x") || text.hasPrefix("0X")
      ? Int(text.dropFirst(2), radix: 16) : Int(text)
  }

  private func checkedHexadecimal(_ text: String) throws(QuantityKind.FormatError) -> String {
    let digits = text.filter { !" ,:\n\t".contains($0) }
    for (offset, character) in digits.enumerated() where !character.isHexadecimal {
      throw QuantityKind.FormatError(
        message: "'\(character)' at digit \(offset + 1) is not a hexadecimal digit")
    }
    guard digits.count.isMultiple(of: 2), !digits.isEmpty else {
      throw QuantityKind.FormatError(
        message: "\(digits.count) hexadecimal digits are not whole bytes")
    }
    return digits
  }
}

extension Character {
  /// Whether it is one of the ASCII digits 0 to 9, a to f, A to F.
  fileprivate var isHexadecimal: Bool { isASCII && hexDigitValue != nil }
}
