import Support

/// A JSON Schema for editors, generated from the schema that checks a file.
package struct JSONSchema {
  /// The heading of the outermost group of keys.
  private let root: String
  /// Returns an example value for a key, in YAML on one line; the key is given by the heading of
  /// its group and its name.
  private let example: (_ heading: String, _ key: String) -> String?

  /// Creates the schema document of a section (draft 2020-12), indented; repeated subschemas are in `$defs`.
  ///
  /// - Parameters:
  ///   - section: the keys of the document.
  ///   - heading: the heading of the section in the reference.
  ///   - identifier: a URI that identifies the schema; it need not be reachable.
  ///   - title: the title of the document.
  ///   - example: returns an example value for a key, in YAML on one line; the key is given by the
  ///     heading of its group and its name.
  /// - Returns: the document with a final newline.
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

  /// Returns the heading under which the reference describes the keys in the value of a field.
  private func heading(of field: Section.Field, in heading: String) -> String {
    field.describedAt ?? (heading == root ? field.name : "\(heading): \(field.name)")
  }

  /// Returns the examples that editors suggest for a key; no example if only one value is accepted.
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
    case .anything: []
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

  /// Creates the schema for a mapping in which the value of one key, the discriminator, selects the
  /// group of the other keys; the groups are in the alphabetical order of these values.
  ///
  /// The schema uses conditions instead of alternatives, so a validator reports the errors in the
  /// selected group, and not that the value fits none of twenty alternatives.
  private func variants(
    of discriminator: String, _ sections: [String: Section], _ heading: String
  ) -> Fields {
    // Words with identical keys share a condition.
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
    let plain = words.filter { $0 != Section.anyFile && $0 != Section.anyGroup }
    var alternatives: [JSONValue] = []
    if !plain.isEmpty {
      alternatives.append(.object([("enum", .array(plain.map { .string($0) }))]))
    }
    if words.contains(Section.anyFile) {
      // A file, or a name with its manufacturer.
      alternatives.append(.object(text(pattern: #"\.ya?ml$|^[a-z0-9-]+:[a-z0-9-]+$"#)))
    }
    if words.contains(Section.anyGroup) {
      alternatives.append(.object([("type", .string("object"))]))
    }
    return alternatives.count == 1
      ? alternatives[0].object ?? [] : [("anyOf", .array(alternatives))]
  }

  /// Creates the schema for addresses.
  ///
  /// It accepts integers, because YAML reads `0x76` as an integer, and strings, because YAML reads
  /// `"0x76"` as a string.
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
  /// The value as JSON text on several lines, with indentation.
  package var indented: String { indented(by: "") }

  private func indented(by margin: String) -> String {
    let inner = margin + " "
    switch self {
    case .array, .object:
      // A value that fits on one line is written on one line.
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

  /// Returns the value on one line with spaces between its parts; `nil` if it does not fit into
  /// `columns`.
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

extension JSONSchema {
  /// Converts a YAML value on one line to JSON according to its shape; returns `nil` if the value
  /// does not fit the shape.
  static func value(_ text: String, _ shape: Shape) -> JSONValue? {
    (try? YAMLComposer.compose(text)).flatMap { value($0, shape) }
  }

  private static func value(_ node: YAMLNode, _ shape: Shape) -> JSONValue? {
    switch shape {
    case .either(let shapes): shapes.lazy.compactMap { value(node, $0) }.first
    case .list(let element), .listOrNone(let element): node.sequence.flatMap { list($0, element) }
    case .section(let section): node.mapping.flatMap { object($0, section) }
    case .variants(let discriminator, let sections):
      node.mapping.flatMap { entries in
        let word = entries.first { $0.key == discriminator }?.value.scalar
        return word.flatMap { sections[$0]?.variant($0, of: discriminator) }
          .flatMap { object(entries, $0) }
      }
    default: node.scalar.flatMap { scalar($0, shape) }
    }
  }

  private static func list(_ nodes: [YAMLNode], _ element: Shape) -> JSONValue? {
    let values = nodes.compactMap { value($0, element) }
    return values.count == nodes.count ? .array(values) : nil
  }

  private static func object(_ entries: [YAMLNode.Entry], _ section: Section) -> JSONValue? {
    let fields = entries.compactMap { entry in
      section.field(entry.key).flatMap { value(entry.value, $0.shape) }.map { (entry.key, $0) }
    }
    return fields.count == entries.count ? .object(fields) : nil
  }

  private static func scalar(_ text: String, _ shape: Shape) -> JSONValue? {
    switch shape {
    case .integer, .choice, .address: Shape.integer(text).map { .integer($0) }
    case .number:
      if let whole = Int(text) { .integer(whole) } else { Double(text).map { .decimal($0) } }
    case .boolean: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
    case .word(let words): words.contains(text) ? .string(text) : nil
    case .quantity(let kind): (try? kind.parse(text)).map { _ in .string(text) }
    default: .string(text)
    }
  }
}

extension Section {
  /// Groups the discriminator values that select the same keys with the same meanings; the values
  /// are in alphabetical order.
  package static func alike(_ sections: [String: Section]) -> [[String]] {
    func keys(_ word: String) -> [String] {
      guard let section = sections[word] else { return [] }
      return [section.summary] + section.fields.map { "\($0.name)\t\($0.summary)" }
    }
    var groups: [[String]] = []
    for word in sections.keys.inOrder() {
      if let index = groups.firstIndex(where: { keys($0[0]) == keys(word) }) {
        groups[index].append(word)
      } else {
        groups.append([word])
      }
    }
    return groups
  }
}

/// Moves repeated subschemas into `$defs` and references them by `$ref`.
///
/// A subschema that is repeated as a whole is defined with its description and examples; if only its validation
/// keywords are repeated, each use keeps its own description and examples next to the `$ref`.
struct SharedDefinitions {
  private typealias Fields = [(key: String, value: JSONValue)]

  /// The keywords that do not affect validation.
  private static let annotations: Set<String> = [
    "description", "examples", "deprecated", "$schema", "$id", "title",
  ]

  /// The shortest subschema that gets a definition, in bytes.
  private static let shortest = 60

  private var wholes: [String: Int] = [:]
  private var cores: [String: Int] = [:]
  private var names: [String: String] = [:]
  private var definitions: Fields = []

  /// Moves the repeated parts of a schema into `$defs`.
  static func shared(
    _ schema: [(key: String, value: JSONValue)]
  ) -> [(key: String, value: JSONValue)] {
    var sharing = SharedDefinitions()
    sharing.count(schema)
    let fields = sharing.inner(schema, hint: "rig")
    return sharing.definitions.isEmpty ? fields : fields + [("$defs", .object(sharing.definitions))]
  }

  // MARK: Counting

  private mutating func count(_ schema: Fields) {
    let whole = Self.text(schema)
    wholes[whole, default: 0] += 1
    guard wholes[whole] == 1 else { return }
    let core = Self.text(Self.core(schema))
    cores[core, default: 0] += 1
    guard cores[core] == 1 || core.utf8.count < Self.shortest else { return }
    for field in schema {
      for inner in Self.subschemas(of: field) { count(inner) }
    }
  }

  private static func text(_ fields: Fields) -> String { JSONValue.object(fields).compact }

  private static func core(_ schema: Fields) -> Fields {
    schema.filter { !annotations.contains($0.key) }
  }

  /// Returns the subschemas in the value of a keyword.
  private static func subschemas(of field: (key: String, value: JSONValue)) -> [Fields] {
    switch field.key {
    case "properties": field.value.object?.compactMap { $0.value.object } ?? []
    case "items", "if", "then": field.value.object.map { [$0] } ?? []
    case "anyOf", "allOf": field.value.array?.compactMap(\.object) ?? []
    default: []
    }
  }

  // MARK: Replacing

  private mutating func replaced(_ schema: Fields, hint: String) -> JSONValue {
    let whole = Self.text(schema)
    guard wholes[whole, default: 0] > 1, whole.utf8.count >= Self.shortest else {
      return .object(byCore(schema, hint: hint))
    }
    // Without annotations, the whole is its own core, and a reference to the core would be one to itself.
    let isCore = Self.core(schema).count == schema.count
    return .object([
      reference(to: whole, hint: hint) {
        isCore ? $0.inner(schema, hint: $1) : $0.byCore(schema, hint: $1)
      }
    ])
  }

  private mutating func byCore(_ schema: Fields, hint: String) -> Fields {
    let core = Self.core(schema)
    let text = Self.text(core)
    guard cores[text, default: 0] > 1, text.utf8.count >= Self.shortest else {
      return inner(schema, hint: hint)
    }
    let reference = reference(to: text, hint: hint) { $0.inner(core, hint: $1) }
    return schema.filter { Self.annotations.contains($0.key) } + [reference]
  }

  private mutating func inner(_ schema: Fields, hint: String) -> Fields {
    schema.map { field in
      switch field.key {
      case "properties":
        let all = field.value.object ?? []
        return (
          field.key,
          .object(all.map { ($0.key, replaced($0.value.object ?? [], hint: $0.key)) })
        )
      case "items", "if", "then":
        return (field.key, replaced(field.value.object ?? [], hint: hint))
      case "anyOf", "allOf":
        let all = field.value.array ?? []
        return (field.key, .array(all.map { replaced($0.object ?? [], hint: hint) }))
      default: return field
      }
    }
  }

  /// Returns the reference to a definition, which is created on first use.
  private mutating func reference(
    to text: String, hint: String, _ make: (inout Self, String) -> Fields
  ) -> (key: String, value: JSONValue) {
    if names[text] == nil {
      var name = hint
      var number = 2
      while definitions.contains(where: { $0.key == name }) {
        name = "\(hint)-\(number)"
        number += 1
      }
      names[text] = name
      let index = definitions.count
      definitions.append((name, .null))
      definitions[index].value = .object(make(&self, name))
    }
    return ("$ref", .string("#/$defs/\(names[text] ?? hint)"))
  }
}
