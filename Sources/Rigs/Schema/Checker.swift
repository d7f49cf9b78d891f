import Yams

/// Checks a document against a shape and collects every mistake with its place.
struct Checker {
  /// The most entries that one list may have.
  static let longestList = 1000

  private(set) var mistakes: [Mistake] = []
  private let file: String

  init(file: String) {
    self.file = file
  }

  /// Notes a mistake.
  mutating func note(_ message: String, at position: Position) {
    mistakes.append(Mistake(file: file, position: position, message: message))
  }

  /// Checks a node; nothing when it does not fit, with the mistakes noted.
  mutating func check(_ node: Node, _ shape: Shape, named name: String) -> CheckedValue? {
    let position = Position(node)
    switch shape {
    case .list(let element):
      return checkList(node, element, named: name)
    case .section(let section):
      return checkSection(node, section, named: name)
    case .variants(let discriminator, let sections):
      return checkVariant(node, discriminator, sections, named: name)
    case .either(let shapes):
      return checkEither(node, shapes, named: name)
    default:
      guard let text = node.scalar?.string else {
        note("\(name) must be \(shape.noun), not \(node.noun)", at: position)
        return nil
      }
      do throws(Quantity.Problem) {
        return CheckedValue(content: try shape.parse(text), position: position)
      } catch {
        note("\(name): \(error.message)", at: position)
        return nil
      }
    }
  }

  private mutating func checkList(
    _ node: Node, _ element: Shape, named name: String
  ) -> CheckedValue? {
    guard let nodes = node.sequence else {
      note("\(name) must be a list, not \(node.noun)", at: Position(node))
      return nil
    }
    guard !nodes.isEmpty, nodes.count <= Self.longestList else {
      let problem = nodes.isEmpty ? "is empty" : "has over \(Self.longestList) entries"
      note("\(name) \(problem)", at: Position(node))
      return nil
    }
    var values: [CheckedValue] = []
    for entry in nodes {
      if let value = check(entry, element, named: "an entry of \(name)") { values.append(value) }
    }
    guard values.count == nodes.count else { return nil }
    return CheckedValue(content: .list(values), position: Position(node))
  }

  private mutating func checkSection(
    _ node: Node, _ section: Section, named name: String
  ) -> CheckedValue? {
    guard let mapping = node.mapping else {
      note("\(name) must be \(Shape.section(section).noun), not \(node.noun)", at: Position(node))
      return nil
    }
    let before = mistakes.count
    var values: [String: CheckedValue] = [:]
    for (key, value) in mapping {
      let word = key.string ?? ""
      guard let field = section.field(word) else {
        let known = section.fields.map(\.name)
        note(
          "unknown key '\(word.clipped)' in \(name)" + NearestWord.hint(word, among: known)
            + " (known: \(known.joined(separator: ", ")))", at: Position(key))
        continue
      }
      values[word] = check(value, field.shape, named: word)
    }
    let given = Set(mapping.keys.compactMap(\.string))
    for field in section.fields where field.isRequired && !given.contains(field.name) {
      note("\(name) lacks '\(field.name)': \(field.summary)", at: Position(node))
    }
    if section.isChoice, given.count != 1 {
      note(
        "\(name) takes exactly one of \(section.fields.map(\.name).joined(separator: ", "))",
        at: Position(node))
    }
    guard mistakes.count == before else { return nil }
    return CheckedValue(content: .section(values), position: Position(node))
  }

  private mutating func checkVariant(
    _ node: Node, _ discriminator: String, _ sections: [String: Section], named name: String
  ) -> CheckedValue? {
    guard let mapping = node.mapping else {
      note("\(name) must be a group of keys, not \(node.noun)", at: Position(node))
      return nil
    }
    let known = sections.keys.sorted()
    guard let tag = mapping.first(where: { $0.key.string == discriminator })?.value else {
      note(
        "\(name) lacks '\(discriminator)' (one of \(known.joined(separator: ", ")))",
        at: Position(node))
      return nil
    }
    guard let word = tag.scalar?.string, let section = sections[word] else {
      let word = tag.scalar?.string ?? ""
      note(
        "'\(word.clipped)' is no \(discriminator) of \(name)" + NearestWord.hint(word, among: known)
          + " (known: \(known.joined(separator: ", ")))", at: Position(tag))
      return nil
    }
    return checkSection(node, section.variant(word, of: discriminator), named: name)
  }

  /// Tries the shapes in turn; what a mapping or list might be is decided by its kind alone, so
  /// that its mistakes are told in detail.
  private mutating func checkEither(
    _ node: Node, _ shapes: [Shape], named name: String
  ) -> CheckedValue? {
    if node.form != .scalar, let shape = shapes.first(where: { $0.form == node.form }) {
      return check(node, shape, named: name)
    }
    for shape in shapes {
      var attempt = Checker(file: file)
      if let value = attempt.check(node, shape, named: name) { return value }
    }
    let nouns = shapes.map(\.noun).joined(separator: " or ")
    let shown = node.scalar.map { "'\($0.string.clipped)'" } ?? node.noun
    note("\(name) must be \(nouns), not \(shown)", at: Position(node))
    return nil
  }
}

extension Position {
  /// The place of a node.
  init(_ node: Node) {
    self.init(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
  }
}

extension Node {
  /// How the document writes the node.
  fileprivate var form: Shape.Form {
    switch self {
    case .mapping: .mapping
    case .sequence: .list
    case .scalar, .alias: .scalar
    }
  }

  /// What the node is, in words.
  var noun: String {
    switch self {
    case .scalar(let scalar): "'\(scalar.string.clipped)'"
    case .mapping: "a group of keys"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }
}
