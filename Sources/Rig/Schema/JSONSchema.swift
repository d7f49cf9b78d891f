import Text

/// A JSON Schema, for editors, generated from the description that checks a file.
package struct JSONSchema {
  /// The heading of the outermost group of keys.
  private let root: String
  /// An example of the value of a key, in YAML on one line, by the heading of its group and its name.
  private let example: (_ heading: String, _ key: String) -> String?

  /// The schema document of a section (draft 2020-12), indented; what it says several times is in `$defs`.
  ///
  /// - Parameters:
  ///   - section: the keys of the document.
  ///   - heading: the heading of the section in the reference.
  ///   - identifier: a URI that names the schema; nothing need lie there.
  ///   - title: what the document is.
  ///   - example: an example of the value of a key, in YAML on one line, by the heading of its group and its name.
  /// - Returns: the document, its last line ended.
  package static func document(
    of section: Section, heading: String, identifier: String, title: String,
    example: @escaping (_ heading: String, _ key: String) -> String?
  ) -> String {
    var fields = SharedDefinitions.shared(
      JSONSchema(root: heading, example: example).section(section, heading))
    fields.insert(("$schema", .string("https://json-schema.org/draft/2020-12/schema")), at: 0)
    fields.insert(("$id", .string(identifier)), at: 1)
    fields.insert(("title", .string(title)), at: 2)
    return JSONValue.object(fields).indented + "\n"
  }

  private typealias Fields = [(key: String, value: JSONValue)]

  private func section(_ section: Section, _ heading: String) -> Fields {
    let properties: Fields = section.fields.map { field in
      (
        field.name,
        .object(
          [("description", .string(field.summary))]
            + shape(field.shape, self.heading(of: field, in: heading))
            .filter { $0.key != "description" } + examples(of: field, in: heading))
      )
    }
    let former: Fields = section.fields.compactMap { field in
      field.formerName.map { name in
        let summary: Fields = [
          ("description", .string("The former name of '\(field.name)'.")),
          ("deprecated", .bool(true)),
        ]
        let inner = shape(field.shape, self.heading(of: field, in: heading))
        return (name, .object(summary + inner.filter { $0.key != "description" }))
      }
    }
    let required = section.fields.filter(\.isRequired).map { JSONValue.string($0.name) }
    var fields: Fields = [
      ("type", .string("object")), ("description", .string(section.summary)),
      ("properties", .object(properties + former)), ("additionalProperties", .bool(false)),
    ]
    if !required.isEmpty { fields.append(("required", .array(required))) }
    if !section.alternatives.isEmpty {
      let needed = section.alternatives.map { name in
        JSONValue.object([("required", .array([.string(name)]))])
      }
      fields.append(("anyOf", .array(needed)))
    }
    if section.isChoice {
      fields += [("minProperties", .integer(1)), ("maxProperties", .integer(1))]
    }
    return fields
  }

  /// The heading of the keys that a field holds.
  private func heading(of field: Section.Field, in heading: String) -> String {
    field.describedAt ?? (heading == root ? field.name : "\(heading): \(field.name)")
  }

  /// What editors offer for a key; nothing where its only value is known.
  private func examples(of field: Section.Field, in heading: String) -> Fields {
    if case .word(let words) = field.shape, words.count == 1 { return [] }
    let texts = [example(heading, field.name), field.example, field.shape.example]
    let value = texts.lazy.compactMap { $0.flatMap { Self.value($0, field.shape) } }.first
    return value.map { [("examples", .array([$0]))] } ?? []
  }

  private func shape(_ shape: Shape, _ heading: String) -> Fields {
    switch shape {
    case .text, .path: [("type", .string("string")), ("minLength", .integer(1))]
    case .integer(let range):
      [
        ("type", .string("integer")), ("minimum", .integer(range.lowerBound)),
        ("maximum", .integer(range.upperBound)),
      ]
    case .choice(let numbers): [("enum", .array(numbers.map { .integer($0) }))]
    case .address(let addresses): Self.addresses(addresses)
    case .number(let range):
      [
        ("type", .string("number")), ("minimum", .decimal(range.lowerBound)),
        ("maximum", .decimal(range.upperBound)),
      ]
    case .boolean: [("type", .string("boolean"))]
    case .word(let words): Self.word(words)
    case .quantity(let quantity): Self.text(pattern: Self.pattern(of: quantity))
    case .moment: Self.text(pattern: #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"#)
    case .hexadecimal: Self.text(pattern: #"^\s*([0-9a-fA-F][\s,:]*[0-9a-fA-F][\s,:]*)+$"#)
    case .list(let element):
      array(of: element, heading, least: [("minItems", .integer(1))])
    case .listOrNone(let element): array(of: element, heading, least: [])
    case .section(let section): self.section(section, heading)
    case .variants(let discriminator, let sections):
      variants(of: discriminator, sections, heading)
    case .either(let shapes): [("anyOf", .array(shapes.map { .object(self.shape($0, heading)) }))]
    }
  }

  private func array(of element: Shape, _ heading: String, least: Fields) -> Fields {
    [("type", .string("array"))] + least + [
      ("maxItems", .integer(Checker.longestList)),
      ("items", .object(shape(element, heading))),
    ]
  }

  /// The groups of keys that the words of a discriminator select, in the order of the words.
  ///
  /// Conditions, not alternatives: so a validator reports what is wrong with the keys of the selected group, and not that
  /// the value fits none of twenty.
  private func variants(
    of discriminator: String, _ sections: [String: Section], _ heading: String
  ) -> Fields {
    // Words whose keys differ in nothing share a condition.
    var groups: [(words: [String], keys: String)] = []
    let headings = Section.alike(sections).map { words in
      (words, "\(heading), \(discriminator): \(words.joined(separator: ", "))")
    }
    func inner(_ word: String) -> String {
      headings.first { $0.0.contains(word) }?.1 ?? heading
    }
    for word in sections.keys.inOrder() {
      guard let keys = sections[word].map({ JSONValue.object(section($0, inner(word))).compact })
      else { continue }
      if let index = groups.firstIndex(where: { $0.keys == keys }) {
        groups[index].words.append(word)
      } else {
        groups.append(([word], keys))
      }
    }
    let conditions = groups.compactMap { words, _ -> JSONValue? in
      guard let variant = sections[words[0]]?.variant(words, of: discriminator) else { return nil }
      return .object([
        ("if", .object([("properties", .object([(discriminator, .object(Self.word(words)))]))])),
        ("then", .object(section(variant, inner(words[0])))),
      ])
    }
    let words = sections.keys.inOrder()
    let tag = Self.word(words) + [("examples", .array(words.prefix(1).map { .string($0) }))]
    return [
      ("type", .string("object")), ("required", .array([.string(discriminator)])),
      ("properties", .object([(discriminator, .object(tag))])), ("allOf", .array(conditions)),
    ]
  }

  private static func word(_ words: [String]) -> Fields {
    [("enum", .array(words.map { .string($0) }))]
  }

  /// Addresses, as YAML reads `0x76` and as it reads `"0x76"`.
  private static func addresses(_ addresses: [Int]) -> Fields {
    let texts = addresses.map { JSONValue.string("0x" + Hexadecimal.digits(UInt8($0))) }
    return [("enum", .array(addresses.map { .integer($0) } + texts))]
  }

  private static func text(pattern: String) -> Fields {
    [("type", .string("string")), ("pattern", .string(pattern))]
  }

  private static func pattern(of quantity: QuantityKind) -> String {
    let symbols = quantity.symbols.joined(separator: "|")
    let sign = quantity.range.lowerBound < 0 ? "[-+]?" : #"\+?"#
    if quantity == .duration {
      return "^" + sign + #"((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*("# + symbols + #")\s*)+$"#
    }
    return "^" + sign + #"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*°?("# + symbols + ")(RH)?$"
  }
}

extension JSONValue {
  /// The value over several lines.
  package var indented: String { indented(by: "") }

  private func indented(by margin: String) -> String {
    let inner = margin + "  "
    switch self {
    case .array, .object:
      // What fits on a line is written on one.
      if let line = line(of: Self.columns - margin.utf8.count) { return line }
      return lines(margin, inner)
    default: return compact
    }
  }

  /// The longest line of indented text, in bytes.
  private static let columns = 120

  private func lines(_ margin: String, _ inner: String) -> String {
    switch self {
    case .array(let values) where !values.isEmpty:
      let lines = values.map { inner + $0.indented(by: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(margin)]"
    case .object(let fields) where !fields.isEmpty:
      let lines = fields.map { field in
        inner + JSONValue.string(field.key).compact + ": " + field.value.indented(by: inner)
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
    default: return compact
    }
  }

  /// The value on one line with blanks between its parts, if it fits into some columns.
  private func line(of columns: Int) -> String? {
    guard compact.utf8.count <= columns else { return nil }
    let text = spaced
    return text.utf8.count <= columns ? text : nil
  }

  private var spaced: String {
    switch self {
    case .array(let values): "[" + values.map(\.spaced).joined(separator: ", ") + "]"
    case .object(let fields):
      "{"
        + fields.map { JSONValue.string($0.key).compact + ": " + $0.value.spaced }
        .joined(separator: ", ") + "}"
    default: compact
    }
  }
}
