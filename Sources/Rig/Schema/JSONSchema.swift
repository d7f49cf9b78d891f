import Text

/// A JSON Schema, for editors, generated from the description that checks a file.
package enum JSONSchema {
  /// The schema document of a section (draft 2020-12), indented.
  ///
  /// - Parameters:
  ///   - section: the keys of the document.
  ///   - identifier: a URI that names the schema; nothing need lie there.
  ///   - title: what the document is.
  /// - Returns: the document, its last line ended.
  package static func document(
    of section: Section, identifier: String, title: String
  ) -> String {
    var fields = self.section(section)
    fields.insert(("$schema", .string("https://json-schema.org/draft/2020-12/schema")), at: 0)
    fields.insert(("$id", .string(identifier)), at: 1)
    fields.insert(("title", .string(title)), at: 2)
    return JSONValue.object(fields).indented + "\n"
  }

  private typealias Fields = [(key: String, value: JSONValue)]

  private static func section(_ section: Section) -> Fields {
    let properties: Fields = section.fields.map { field in
      let example = field.example.map { $0.filter { $0 != "\"" } } ?? field.shape.example
      return (
        field.name,
        .object(
          [("description", .string(field.summary))]
            + shape(field.shape).filter { $0.key != "description" }
            + (example.map { [("examples", .array([.string($0)]))] } ?? []))
      )
    }
    let former: Fields = section.fields.compactMap { field in
      field.formerName.map { name in
        let summary: Fields = [
          ("description", .string("The former name of '\(field.name)'.")),
          ("deprecated", .bool(true)),
        ]
        return (
          name, .object(summary + shape(field.shape).filter { $0.key != "description" })
        )
      }
    }
    let required = section.fields.filter(\.isRequired).map { JSONValue.string($0.name) }
    var fields: Fields = [
      ("type", .string("object")), ("description", .string(section.summary)),
      ("properties", .object(properties + former)), ("additionalProperties", .bool(false)),
    ]
    if !required.isEmpty { fields.append(("required", .array(required))) }
    if section.isChoice {
      fields += [("minProperties", .integer(1)), ("maxProperties", .integer(1))]
    }
    return fields
  }

  private static func shape(_ shape: Shape) -> Fields {
    switch shape {
    case .text, .path: [("type", .string("string")), ("minLength", .integer(1))]
    case .integer(let range):
      [
        ("type", .string("integer")), ("minimum", .integer(range.lowerBound)),
        ("maximum", .integer(range.upperBound)),
      ]
    case .choice(let numbers): [("enum", .array(numbers.map { .integer($0) }))]
    case .address(let addresses): [("enum", .array(addresses.map { .integer($0) }))]
    case .number(let range):
      [
        ("type", .string("number")), ("minimum", .decimal(range.lowerBound)),
        ("maximum", .decimal(range.upperBound)),
      ]
    case .boolean: [("type", .string("boolean"))]
    case .word(let words): [("enum", .array(words.map { .string($0) }))]
    case .quantity(let quantity): text(pattern: pattern(of: quantity))
    case .moment: text(pattern: #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"#)
    case .hexadecimal: text(pattern: #"^\s*([0-9a-fA-F][\s,:]*[0-9a-fA-F][\s,:]*)+$"#)
    case .list(let element):
      [
        ("type", .string("array")), ("minItems", .integer(1)),
        ("maxItems", .integer(Checker.longestList)), ("items", .object(self.shape(element))),
      ]
    case .section(let section): self.section(section)
    case .variants(let discriminator, let sections):
      [
        (
          "oneOf",
          .array(
            sections.keys.sorted().compactMap { word in
              sections[word].map { .object(section($0.variant(word, of: discriminator))) }
            })
        )
      ]
    case .either(let shapes): [("anyOf", .array(shapes.map { .object(self.shape($0)) }))]
    }
  }

  private static func text(pattern: String) -> Fields {
    [("type", .string("string")), ("pattern", .string(pattern))]
  }

  private static func pattern(of quantity: QuantityKind) -> String {
    let symbols = quantity.symbols.joined(separator: "|")
    if quantity == .duration {
      return #"^[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*("# + symbols + #")\s*)+$"#
    }
    return #"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*°?("# + symbols + ")(RH)?$"
  }
}

extension JSONValue {
  /// The value over several lines.
  package var indented: String { indented(by: "") }

  private func indented(by margin: String) -> String {
    let inner = margin + "  "
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
}
