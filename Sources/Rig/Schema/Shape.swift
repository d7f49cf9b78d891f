/// What a value in a file may be: the one description from which checking, the JSON Schema and the
/// reference of all keys are made.
package indirect enum Shape: Sendable {
  /// Any text that is not empty.
  case text
  /// A path, relative to the file in which it stands.
  case path
  /// A whole number; hexadecimal with `0x`.
  case integer(ClosedRange<Int>)
  /// One of some whole numbers.
  case choice([Int])
  /// An address on a bus, one of some.
  case address([Int])
  /// A decimal number.
  case number(ClosedRange<Double>)
  /// `true` or `false`.
  case boolean
  /// One of some words.
  case word([String])
  /// A number with a unit.
  case quantity(QuantityKind)
  /// A moment in UTC, `2013-01-01T06:00:00Z`.
  case moment
  /// Pairs of hexadecimal digits.
  case hexadecimal
  /// Some values of one shape, at least one.
  case list(Shape)
  /// Some values of one shape, or none: `[]`.
  case listOrNone(Shape)
  /// Named values.
  case section(Section)
  /// Named values whose names depend on one of them, the discriminator.
  case variants(discriminator: String, [String: Section])
  /// Several shapes; the first that fits.
  case either([Shape])

  /// Any address that a sensor can have: those below 0x08 and above 0x77 are reserved (UM10204, 3.1.12).
  package static var anyAddress: Shape { .address(Array(0x08...0x77)) }
}

/// A group of named values.
package struct Section: Sendable {
  /// One named value.
  package struct Field: Sendable {
    package let name: String
    package let shape: Shape
    package let isRequired: Bool
    package let summary: String
    /// The title of the keys that the reference describes already, where its own are the same.
    package var describedAt: String?
    /// A name that documents of before use for it, which is still taken.
    package private(set) var formerName: String?

    /// Words that people write for it, which are not accepted: the error suggests the name.
    package private(set) var otherSpellings: [String] = []

    /// A value that fits, on one line, where the shape says too little.
    package private(set) var example: String?

    /// The same field with an example of its value, on one line.
    package func example(_ text: String) -> Field {
      var field = self
      field.example = text
      return field
    }

    /// The same field, which errors suggest to those who write one of some other words.
    package func alsoSpelled(_ words: String...) -> Field {
      var field = self
      field.otherSpellings = words
      return field
    }

    /// The same field, which also goes by a former name.
    package func formerly(_ name: String) -> Field {
      var field = self
      field.formerName = name
      return field
    }
  }

  package let summary: String
  /// The named values in the order in which documentation tells them.
  package var fields: [Field] { list.fields }
  private let list: SectionFields
  /// Whether exactly one of the fields must be given.
  package var isChoice = false
  /// The names of fields of which at least one must be given; empty if all may be left out.
  package var alternatives: [String] = []

  /// What such a group may be, in YAML on one line, where no reader of shapes can make it up.
  package var example: String?

  /// Creates a group.
  ///
  /// - Parameters:
  ///   - summary: what it describes.
  ///   - isChoice: whether exactly one of the fields must be given.
  ///   - example: what it may be, in YAML on one line.
  ///   - fields: its fields; they are put together when somebody asks for them, and never where nobody does.
  package init(
    _ summary: String, isChoice: Bool = false, example: String? = nil,
    _ fields: @autoclosure @escaping @Sendable () -> [Field]
  ) {
    self.summary = summary
    list = SectionFields(fields)
    self.isChoice = isChoice
    self.example = example
  }

  /// The field with a name, which may be its former one.
  package func field(_ name: String) -> Field? {
    fields.first { $0.name == name } ?? fields.first { $0.formerName == name }
  }

  /// The variant of a section that a word selects: its discriminator takes that word alone.
  package func variant(_ word: String, of discriminator: String) -> Section {
    variant([word], of: discriminator)
  }

  /// The variant of a section that each of some words selects.
  package func variant(_ words: [String], of discriminator: String) -> Section {
    let tag = Field.required(discriminator, .word(words), summary)
    var variant = Section(summary, isChoice: isChoice, [tag] + fields)
    variant.alternatives = alternatives
    return variant
  }
}

extension Section.Field {
  /// A value that must be given.
  package static func required(
    _ name: String, _ shape: Shape, _ summary: String, describedAt: String? = nil
  ) -> Section.Field {
    Section.Field(
      name: name, shape: shape, isRequired: true, summary: summary, describedAt: describedAt)
  }

  /// A value that may be left out; the summary says what holds then.
  package static func optional(
    _ name: String, _ shape: Shape, _ summary: String, describedAt: String? = nil
  ) -> Section.Field {
    Section.Field(
      name: name, shape: shape, isRequired: false, summary: summary, describedAt: describedAt)
  }
}
