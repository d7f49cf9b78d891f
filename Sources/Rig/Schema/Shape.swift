import Support
import Synchronization

/// The shape of a value in a file, from which the check of files, the JSON Schema and the key
/// reference are derived.
package indirect enum Shape: Sendable {
  /// Any text that is not empty.
  case text
  /// A path, relative to the file that contains it.
  case path
  /// An integer; hexadecimal with `0x`.
  case integer(ClosedRange<Int>)
  /// One of the listed integers.
  case choice([Int])
  /// One of the listed bus addresses.
  case address([Int])
  /// A decimal number.
  case number(ClosedRange<Double>)
  /// `true` or `false`.
  case boolean
  /// One of the listed words.
  case word([String])
  /// A number with a unit.
  case quantity(QuantityKind)
  /// A date and time in UTC, `2013-01-01T06:00:00Z`.
  case moment
  /// Pairs of hexadecimal digits.
  case hexadecimal
  /// A list of at least one value; all values have this shape.
  case list(Shape)
  /// A list of values of this shape; the list may be empty: `[]`.
  case listOrNone(Shape)
  /// Named values.
  case section(Section)
  /// Named values. The value of one of them, the discriminator, selects which other names are
  /// accepted.
  case variants(discriminator: String, [String: Section])
  /// Several shapes; the first that fits is used.
  case either([Shape])
  /// Any value, which is not checked.
  case anything

  /// Any sensor address; addresses below 0x08 and above 0x77 are reserved (UM10204, 3.1.12).
  package static var anyAddress: Shape { .address(Array(0x08...0x77)) }
}

/// A group of named values.
package struct Section: Sendable {
  /// One named value.
  package struct Field: Sendable {
    package let name: String
    package let shape: Shape
    package let isRequired: Bool
    /// The meaning of the key, with its default.
    package var summary: String {
      guard let usual = usual?() else { return meaning }
      return (meaning.isEmpty ? "" : meaning + "; ") + "default: \(usual)"
    }
    /// The meaning of the key, with its default unless `usual` provides it.
    private let meaning: String
    /// Returns the text of the default, which only documentation needs.
    private var usual: (@Sendable () -> String?)?
    /// The heading in the reference that already describes the same keys; `nil` if there is none.
    package var describedAt: String?
    /// The former name of the key, which is still accepted.
    package private(set) var formerName: String?

    /// Common wrong names of the key, which are not accepted; the error suggests the right name.
    package private(set) var otherSpellings: [String] = []

    /// An example value on one line, for shapes that do not provide one.
    package private(set) var example: String?

    /// Adds an example value, on one line.
    package func example(_ text: String) -> Field {
      var field = self
      field.example = text
      return field
    }

    /// Adds common wrong names; the error for a wrong name suggests this key.
    package func alsoSpelled(_ words: String...) -> Field { alsoSpelled(words) }

    /// Adds common wrong names; the error for a wrong name suggests this key.
    func alsoSpelled(_ words: [String]) -> Field {
      var field = self
      field.otherSpellings = words
      return field
    }

    /// Adds the text of the default to the meaning.
    func describing(_ usual: @escaping @Sendable () -> String?) -> Field {
      var field = self
      field.usual = usual
      return field
    }

    fileprivate init(
      _ name: String, _ shape: Shape, isRequired: Bool, _ meaning: String, describedAt: String?
    ) {
      self.name = name
      self.shape = shape
      self.isRequired = isRequired
      self.meaning = meaning
      self.describedAt = describedAt
    }

    /// Adds a former name, which is still accepted.
    package func formerly(_ name: String) -> Field {
      var field = self
      field.formerName = name
      return field
    }
  }

  package let summary: String
  /// The named values, in the order of the documentation.
  package var fields: [Field] { list.elements }
  private let list: LazyList<Field>
  /// `true` if exactly one of the fields must be given.
  package var isChoice = false
  /// The names of fields, at least one of which must be given; empty if all are optional.
  package var alternatives: [String] = []

  /// An example of the group in YAML on one line, if it cannot be derived from the shapes.
  package var example: String?
  /// The word of the discriminator in examples of a variant; `nil` for the first.
  package var exampleWord: String?

  /// Creates a group.
  ///
  /// - Parameters:
  ///   - summary: the description of the group.
  ///   - isChoice: whether exactly one of the fields must be given. Default: `false`.
  ///   - example: an example in YAML on one line. Default: `nil`.
  ///   - fields: the fields of the group, which are created on first use.
  package init(
    _ summary: String, isChoice: Bool = false, example: String? = nil,
    _ fields: @autoclosure @escaping @Sendable () -> [Field]
  ) {
    self.summary = summary
    list = LazyList(fields)
    self.isChoice = isChoice
    self.example = example
  }

  /// Returns the field with a given name or former name.
  package func field(_ name: String) -> Field? {
    fields.first { $0.name == name } ?? fields.first { $0.formerName == name }
  }

  /// Returns the section with the discriminator as an additional field that accepts only one word.
  package func variant(_ word: String, of discriminator: String) -> Section {
    variant([word], of: discriminator)
  }

  /// Returns the section with the discriminator as an additional field that accepts only the given
  /// words; a section that has this field, because it is a group of keys, is returned unchanged.
  package func variant(_ words: [String], of discriminator: String) -> Section {
    guard field(discriminator) == nil else { return self }
    let plain = Field.required(discriminator, .word(words), summary)
    let tag = exampleWord.map { words.contains($0) ? plain.example($0) : plain } ?? plain
    var variant = Section(summary, isChoice: isChoice, [tag] + fields)
    variant.alternatives = alternatives
    variant.exampleWord = exampleWord
    return variant
  }
}

extension Section {
  /// The word of a variant for the path of any YAML file; it sorts after the names of parts.
  package static let anyFile = "your-file.yaml"

  /// The word of a variant whose discriminator is itself a group of keys; it sorts after all others.
  package static let anyGroup = "{...}"

  /// Returns a name without the manufacturer before its colon: `sht4x` for `sensirion:sht4x`.
  package static func withoutVendor(_ word: String) -> String {
    guard let colon = word.firstIndex(of: ":"), !isFile(word) else { return word }
    return String(word[word.index(after: colon)...])
  }

  /// Returns whether a word is the path of a YAML file.
  package static func isFile(_ word: String) -> Bool {
    word.hasSuffix(".yaml") || word.hasSuffix(".yml")
  }
}

extension Section.Field {
  /// Creates a required field.
  package static func required(
    _ name: String, _ shape: Shape, _ summary: String, describedAt: String? = nil
  ) -> Section.Field {
    Section.Field(name, shape, isRequired: true, summary, describedAt: describedAt)
  }

  /// Creates an optional field; the summary must give the default.
  package static func optional(
    _ name: String, _ shape: Shape, _ summary: String, describedAt: String? = nil
  ) -> Section.Field {
    Section.Field(name, shape, isRequired: false, summary, describedAt: describedAt)
  }
}

/// A list that is created on first use.
///
/// A document uses few of the possible groups, so the keys of the other groups would be created for nothing.
final class LazyList<Element: Sendable>: Sendable {
  /// The list once it has been created.
  private final class Known: Sendable {
    let elements: [Element]

    init(_ elements: [Element]) { self.elements = elements }
  }

  private let make: @Sendable () -> [Element]
  private let known = AtomicLazyReference<Known>()

  /// Creates a list that `make` provides on first use.
  init(_ make: @escaping @Sendable () -> [Element]) { self.make = make }

  /// The elements; threads that read them concurrently may each create them, but all threads get the same ones.
  var elements: [Element] { (known.load() ?? known.storeIfNil(Known(make()))).elements }
}

extension Shape {
  /// A description of the shape for messages.
  package var noun: String {
    switch self {
    case .text: "a text"
    case .path: "a path"
    case .integer(let range) where range.upperBound == Int.max:
      "a whole number from \(range.lowerBound)"
    case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .choice(let numbers): "one of " + numbers.map(String.init).joined(separator: ", ")
    case .address(let addresses): Self.noun(of: addresses)
    case .number: "a number"
    case .boolean: "true or false"
    case .word(let words):
      words.count == 1 ? "'\(words[0])'" : "one of \(words.joined(separator: ", "))"
    case .quantity(let quantity): "\(quantity.nounWithArticle) such as \(quantity.example)"
    case .moment: "a date in UTC such as 2013-01-01T06:00:00Z"
    case .hexadecimal: "pairs of hexadecimal digits"
    case .list, .listOrNone: "a list"
    case .section, .variants: "a group of keys"
    case .either(let shapes): shapes.map(\.noun).joined(separator: " or ")
    case .anything: "any value"
    }
  }

  /// An example value, for shapes whose values all look alike; `nil` for other shapes.
  package var example: String? {
    switch self {
    case .quantity(let quantity): quantity.example
    case .moment: "2013-01-01T06:00:00Z"
    case .hexadecimal: "6e 6c 66 32"
    case .either(let shapes): shapes.lazy.compactMap(\.example).first
    default: nil
    }
  }

  /// Describes up to four addresses individually, and more than four as a range.
  private static func noun(of addresses: [Int]) -> String {
    func text(_ address: Int) -> String { "0x" + Hexadecimal.digits(UInt8(address)) }
    guard addresses.count > 4, let first = addresses.first, let last = addresses.last else {
      return addresses.map(text).joined(separator: " or ")
    }
    return "an address from \(text(first)) to \(text(last))"
  }

  /// The form of a value in a document.
  package enum Form {
    case scalar, list, mapping
  }

  /// The form that a value of this shape has in a document; `scalar` for alternatives, which are
  /// tried in order.
  package var form: Form {
    switch self {
    case .section, .variants: .mapping
    case .list, .listOrNone: .list
    default: .scalar
    }
  }

  /// Returns whether a text that does not fit clearly resembles this shape, as `30m` resembles a
  /// duration and `2013-1-1` a date.
  package func resembles(_ text: String) -> Bool {
    let start = text.prefix { $0.isNumber || "+-.".contains($0) }
    guard start.contains(where: \.isNumber) else { return false }
    return switch self {
    case .quantity: text.dropFirst(start.count).first.map { $0.isLetter || $0 == "%" } ?? false
    case .moment: start.dropFirst().contains("-")
    default: false
    }
  }

  /// Parses a scalar.
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

  /// Describes a range for messages.
  private static func bounds(_ range: ClosedRange<Double>) -> String {
    "from \(Decimal.shortest(range.lowerBound)) to \(Decimal.shortest(range.upperBound))"
  }

  /// Parses a decimal or `0x` integer.
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
        message: "\(digits.count) hexadecimal digits are not a whole number of bytes")
    }
    return digits
  }
}

extension Character {
  /// `true` for an ASCII character 0 to 9, a to f, or A to F.
  fileprivate var isHexadecimal: Bool { isASCII && hexDigitValue != nil }
}
