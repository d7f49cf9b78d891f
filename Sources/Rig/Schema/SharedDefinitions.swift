import Text

/// Moves the parts of a schema that occur several times into `$defs`, and refers to them by `$ref`.
///
/// A subschema that is repeated as a whole is defined with its description and examples; one whose keywords alone are repeated
/// keeps those at each place of use, next to its `$ref`.
struct SharedDefinitions {
  private typealias Fields = [(key: String, value: JSONValue)]

  /// The keywords that say nothing about which values fit.
  private static let annotations: Set<String> = [
    "description", "examples", "deprecated", "$schema", "$id", "title",
  ]

  /// The shortest text that is worth a definition, in bytes.
  private static let shortest = 60

  private var wholes: [String: Int] = [:]
  private var cores: [String: Int] = [:]
  private var names: [String: String] = [:]
  private var definitions: Fields = []

  /// The fields of a schema with its repeated parts in `$defs`.
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

  /// The schemas that a keyword holds.
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
    return .object([reference(to: whole, hint: hint) { $0.byCore(schema, hint: $1) }])
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

  /// The reference to a definition, which is made when it is first referred to.
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
