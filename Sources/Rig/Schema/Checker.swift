import Files
package import Findings
import Text

/// Checks a document against a shape and collects every mistake with its place.
package struct Checker {
  /// The most entries that one list may have.
  package static let longestList = 1000

  /// The most mistakes that are told of one file.
  package static let mostMistakes = 100

  /// The mistakes, as far as they are told.
  package private(set) var mistakes: [Mistake] = []
  /// Former names that the document uses.
  package private(set) var notes: [Finding] = []
  /// How many mistakes there were.
  private var count = 0
  private let file: String

  package init(file: String) {
    self.file = file
  }

  /// The mistakes in the order of their places, and that there are more where that is so.
  package var findings: [Finding] {
    let told = mistakes.inOrder { $0.position < $1.position }
    guard hasEnough else { return told }
    let more = "there are more mistakes; \(told.count) are told"
    return told + [Finding(.error, "mistake", at: Finding.Place(file: file), more)]
  }

  /// Whether there are so many mistakes that no more are looked for.
  private var hasEnough: Bool { count > Self.mostMistakes }

  /// Notes a mistake.
  package mutating func note(_ message: String, at position: Position) {
    count += 1
    guard !hasEnough else { return }
    mistakes.append(Mistake(file: file, position: position, message: message))
  }

  /// Checks a node and keeps what is right of it.
  ///
  /// What does not fit is invalid, with its mistakes noted.
  mutating func check(_ node: YAMLNode, _ shape: Shape, named name: String) -> CheckedValue {
    switch shape {
    case .list(let element): checkList(node, element, mayBeEmpty: false, named: name)
    case .listOrNone(let element): checkList(node, element, mayBeEmpty: true, named: name)
    case .section(let section): checkSection(node, section, named: name)
    case .variants(let discriminator, let sections):
      checkVariant(node, discriminator, sections, named: name)
    case .either(let shapes): checkEither(node, shapes, named: name)
    default: checkScalar(node, shape, named: name)
    }
  }

  /// Notes a mistake and gives the invalid value in its place.
  private mutating func refuse(_ message: String, at node: YAMLNode) -> CheckedValue {
    note(message, at: node.position)
    return .invalid(at: node.position)
  }

  private mutating func checkScalar(
    _ node: YAMLNode, _ shape: Shape, named name: String
  ) -> CheckedValue {
    guard let text = node.scalar else {
      return refuse("\(name) must be \(shape.noun), not \(node.noun)", at: node)
    }
    do throws(QuantityKind.FormatError) {
      let value = try shape.parse(text)
      guard case .quantity = shape else { return CheckedValue(value, at: node.position) }
      return CheckedValue(value, at: node.position, written: text)
    } catch {
      return refuse("\(name): \(error.message)", at: node)
    }
  }

  private mutating func checkList(
    _ node: YAMLNode, _ element: Shape, mayBeEmpty: Bool, named name: String
  ) -> CheckedValue {
    guard let nodes = node.sequence else {
      return refuse("\(name) must be a list, not \(node.noun)", at: node)
    }
    guard mayBeEmpty || !nodes.isEmpty else { return refuse("\(name) is empty", at: node) }
    guard nodes.count <= Self.longestList else {
      return refuse("\(name) has over \(Self.longestList) entries", at: node)
    }
    let values = nodes.map { check($0, element, named: "an entry of \(name)") }
    return CheckedValue(
      .list(values), at: node.position, isSound: values.allSatisfy(\.isSound))
  }

  private mutating func checkSection(
    _ node: YAMLNode, _ section: Section, named name: String
  ) -> CheckedValue {
    guard let mapping = node.mapping else {
      return refuse(
        "\(name) must be \(Shape.section(section).noun), not \(node.noun)", at: node)
    }
    let before = count
    var values: [String: CheckedValue] = [:]
    for entry in mapping {
      guard !hasEnough else { return .invalid(at: node.position) }
      let word = entry.key
      guard let field = section.field(word) else {
        note(unknown(word, in: section, named: name), at: entry.position)
        continue
      }
      guard values[field.name] == nil else {
        note(
          "'\(field.name)' is also given as '\(field.formerName ?? "")': one of them is enough",
          at: entry.position)
        continue
      }
      if word != field.name {
        notes.append(
          Finding(
            .note, "former name", at: Finding.Place(file: file, line: entry.position.line),
            "'\(word)' is called '\(field.name)' now; both are taken"))
      }
      values[field.name] = check(entry.value, field.shape, named: word)
    }
    // A required key that is misspelled is reported once, as unknown.
    let given = Set(mapping.compactMap { Self.meant($0.key, in: section)?.name })
    for field in section.fields where field.isRequired && !given.contains(field.name) {
      note("\(name) lacks '\(field.name)': \(field.summary)", at: node.position)
    }
    // A misspelt word is a choice too: it has been told already.
    let unknown = mapping.count { Self.meant($0.key, in: section) == nil }
    if section.isChoice, given.count + unknown != 1 {
      note(
        "\(name) takes exactly one of \(section.fields.map(\.name).joined(separator: ", "))",
        at: node.position)
    }
    if !section.alternatives.isEmpty, given.isDisjoint(with: section.alternatives), unknown == 0 {
      let names = section.alternatives.map { "'\($0)'" }.joined(separator: ", ")
      note("\(name) has no effect: it needs at least one of \(names)", at: node.position)
    }
    return CheckedValue(
      .section(values), at: node.position, isSound: count == before)
  }

  private mutating func checkVariant(
    _ node: YAMLNode, _ discriminator: String, _ sections: [String: Section], named name: String
  ) -> CheckedValue {
    guard let mapping = node.mapping else {
      return refuse("\(name) must be a group of keys, not \(node.noun)", at: node)
    }
    let known = sections.keys.inOrder()
    guard let tag = mapping.first(where: { $0.key == discriminator })?.value else {
      if let joined = mapping.first(where: { $0.key.hasPrefix(discriminator + ":") }) {
        note(Self.needsSpace(joined.key, discriminator), at: joined.position)
        return .invalid(at: node.position)
      }
      return refuse(
        "\(name) lacks '\(discriminator)' (one of \(known.joined(separator: ", ")))", at: node)
    }
    let word = tag.scalar ?? ""
    guard let section = sections[word] else {
      return refuse(
        "'\(word.clipped)' is no known '\(discriminator)' in \(name)" + hint(word, known), at: tag)
    }
    return checkSection(node, section.variant(word, of: discriminator), named: name)
  }

  /// Tries the shapes in turn; what a mapping or list might be is decided by its kind alone, so
  /// that its mistakes are told in detail.
  private mutating func checkEither(
    _ node: YAMLNode, _ shapes: [Shape], named name: String
  ) -> CheckedValue {
    let alike = shapes.filter { $0.form == node.form }
    if node.form != .scalar,
      let shape = alike.first(where: { $0.knows(keysOf: node) }) ?? alike.first
    {
      return check(node, shape, named: name)
    }
    for shape in shapes {
      var attempt = Checker(file: file)
      let value = attempt.check(node, shape, named: name)
      if value.isSound { return value }
    }
    // A text that is plainly meant as one of the shapes gets the error of that shape.
    let meant = shapes.filter { shape in node.scalar.map { shape.resembles($0) } ?? false }
    if meant.count == 1 { return check(node, meant[0], named: name) }
    let nouns = shapes.map(\.noun).joined(separator: " or ")
    let shown = node.scalar.map { "'\($0.clipped)'" } ?? node.noun
    return refuse("\(name) must be \(nouns), not \(shown)", at: node)
  }

  /// The field that a key names, or that a word for it or a key without a space after its colon plainly means.
  private static func meant(_ word: String, in section: Section) -> Section.Field? {
    section.field(word)
      ?? section.fields.first { $0.otherSpellings.contains(word) || word.hasPrefix($0.name + ":") }
  }

  /// The error for a key that a section does not have, with the key that was probably meant.
  private func unknown(_ word: String, in section: Section, named name: String) -> String {
    let known = section.fields.map(\.name)
    let problem = "unknown key '\(word.clipped)' in \(name)"
    guard let meant = Self.meant(word, in: section) else { return problem + hint(word, known) }
    guard meant.otherSpellings.contains(word) else { return Self.needsSpace(word, meant.name) }
    return problem + "; did you mean '\(meant.name)'? (known: \(known.joined(separator: ", ")))"
  }

  /// The error for a key and a value that YAML reads as one word, `model:bme280`.
  private static func needsSpace(_ text: String, _ key: String) -> String {
    let value = text.dropFirst(key.count + 1)
    return "'\(text.clipped)' needs a space after the colon: '\(key): \(value.clipped)'"
  }

  /// What the user may have meant, and what is known.
  private func hint(_ word: String, _ known: [String]) -> String {
    NearestWord.hint(word, among: known) + " (known: \(known.joined(separator: ", ")))"
  }
}

extension Shape {
  /// Whether one of a node's keys is the shape's own.
  fileprivate func knows(keysOf node: YAMLNode) -> Bool {
    guard case .section(let section) = self else { return false }
    return node.mapping?.contains { section.field($0.key) != nil } ?? false
  }
}

extension YAMLNode {
  /// How the document writes the node.
  fileprivate var form: Shape.Form {
    switch content {
    case .mapping: .mapping
    case .sequence: .list
    case .scalar: .scalar
    }
  }

  /// What the node is, in words.
  fileprivate var noun: String {
    switch content {
    case .scalar(let text): "'\(text.clipped)'"
    case .mapping: "a group of keys"
    case .sequence: "a list"
    }
  }
}
