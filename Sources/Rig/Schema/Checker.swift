package import Support

/// Checks a document against a shape and collects every error with its line and column.
package struct Checker {
  /// The largest number of entries in a list.
  package static let longestList = 1000

  /// The largest number of errors that are reported for one file.
  package static let mostErrors = 100

  /// The errors, at most `mostErrors`.
  package private(set) var errors: [DocumentError] = []
  /// Notes about former names that the document uses.
  package private(set) var notes: [Finding] = []
  /// The number of errors found, including those beyond `mostErrors`.
  private(set) var count = 0
  private let file: String

  package init(file: String) {
    self.file = file
  }

  /// The errors in order of position, followed by a line about further errors if there are more than `mostErrors`.
  package var findings: [Finding] {
    let reported = errors.inOrder { $0.position < $1.position }
    guard hasEnough else { return reported }
    let more = "too many errors: only \(reported.count) are reported"
    return reported + [Finding(.error, "mistake", at: Finding.Location(file: file), more)]
  }

  /// `true` if the limit of errors is exceeded and checking stops.
  private var hasEnough: Bool { count > Self.mostErrors }

  /// Records an error.
  package mutating func note(_ message: String, at position: Position) {
    count += 1
    guard !hasEnough else { return }
    errors.append(DocumentError(file: file, position: position, message: message))
  }

  /// Checks a node against a shape.
  ///
  /// Values that do not fit are marked invalid, and their errors are recorded.
  mutating func check(_ node: YAMLNode, _ shape: Shape, named name: String) -> CheckedValue {
    switch shape {
    case .list(let element): checkList(node, element, mayBeEmpty: false, named: name)
    case .listOrNone(let element): checkList(node, element, mayBeEmpty: true, named: name)
    case .section(let section): checkSection(node, section, named: name)
    case .variants(let discriminator, let sections):
      checkVariant(node, discriminator, sections, named: name)
    case .either(let shapes): checkEither(node, shapes, named: name)
    case .anything: CheckedValue(.unchecked(DocumentValue(node: node)), at: node.position)
    default: checkScalar(node, shape, named: name)
    }
  }

  /// Records an error and returns an invalid value.
  private mutating func reject(_ message: String, at node: YAMLNode) -> CheckedValue {
    note(message, at: node.position)
    return .invalid(at: node.position)
  }

  private mutating func checkScalar(
    _ node: YAMLNode, _ shape: Shape, named name: String
  ) -> CheckedValue {
    guard let text = node.scalar else {
      return reject("\(name) must be \(shape.noun), not \(node.noun)", at: node)
    }
    do throws(QuantityKind.FormatError) {
      let value = try shape.parse(text)
      guard case .quantity = shape else { return CheckedValue(value, at: node.position) }
      return CheckedValue(value, at: node.position, written: text)
    } catch {
      return reject("\(name): \(error.message)", at: node)
    }
  }

  private mutating func checkList(
    _ node: YAMLNode, _ element: Shape, mayBeEmpty: Bool, named name: String
  ) -> CheckedValue {
    guard let nodes = node.sequence else {
      return reject("\(name) must be a list, not \(node.noun)", at: node)
    }
    guard mayBeEmpty || !nodes.isEmpty else { return reject("\(name) is empty", at: node) }
    guard nodes.count <= Self.longestList else {
      return reject("\(name) has over \(Self.longestList) entries", at: node)
    }
    let values = nodes.map { check($0, element, named: "an entry of \(name)") }
    return CheckedValue(
      .list(values), at: node.position, isSound: values.allSatisfy(\.isSound))
  }

  private mutating func checkSection(
    _ node: YAMLNode, _ section: Section, named name: String
  ) -> CheckedValue {
    guard let mapping = node.mapping else {
      return reject(
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
          "'\(field.name)' is given twice, once by its former name '\(field.formerName ?? "")'; remove one of them",
          at: entry.position)
        continue
      }
      if word != field.name {
        notes.append(
          Finding(
            .note, "former name", at: Finding.Location(file: file, line: entry.position.line),
            "'\(word)' is the former name of '\(field.name)'; both are accepted"))
      }
      values[field.name] = check(entry.value, field.shape, named: word)
    }
    // A required key that is misspelled is reported once, as unknown.
    let given = Set(mapping.compactMap { Self.meant($0.key, in: section)?.name })
    for field in section.fields where field.isRequired && !given.contains(field.name) {
      note("\(name) lacks '\(field.name)': \(field.summary)", at: node.position)
    }
    // A misspelled key counts as the choice, because its error has already been noted.
    let unknown = mapping.count { Self.meant($0.key, in: section) == nil }
    if section.isChoice, given.count + unknown != 1 {
      note(
        "\(name) must have exactly one of \(section.fields.map(\.name).joined(separator: ", "))",
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
      return reject("\(name) must be a group of keys, not \(node.noun)", at: node)
    }
    let known = sections.keys.filter { $0 != Section.anyGroup }.inOrder()
    guard let tag = mapping.first(where: { $0.key == discriminator })?.value else {
      if let joined = mapping.first(where: { $0.key.hasPrefix(discriminator + ":") }) {
        note(Self.needsSpace(joined.key, discriminator), at: joined.position)
        return .invalid(at: node.position)
      }
      return reject(
        "\(name) lacks '\(discriminator)' (one of \(known.joined(separator: ", ")))", at: node)
    }
    let word = tag.mapping == nil ? tag.scalar ?? "" : Section.anyGroup
    let knownWord = Section.isFile(word) ? Section.anyFile : word
    guard let section = sections[knownWord] ?? sections[Section.withoutVendor(word)] else {
      return reject(
        "unknown '\(discriminator)' '\(word.clipped)' in \(name)" + hint(word, known), at: tag)
    }
    return checkSection(node, section.variant(word, of: discriminator), named: name)
  }

  /// Checks a node that may have one of several shapes, and returns the value for the first shape
  /// that fits.
  ///
  /// For a mapping or a list, the shape is selected by the node's form and keys alone, even if the
  /// node has errors, so these errors are reported in detail.
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
    // A text that clearly resembles one of the shapes gets the error of that shape.
    let meant = shapes.filter { shape in node.scalar.map { shape.resembles($0) } ?? false }
    if meant.count == 1 { return check(node, meant[0], named: name) }
    let nouns = shapes.map(\.noun).joined(separator: " or ")
    let shown = node.scalar.map { "'\($0.clipped)'" } ?? node.noun
    return reject("\(name) must be \(nouns), not \(shown)", at: node)
  }

  /// Returns the field for a key, even if the key is a common misspelling or has no space after its
  /// colon.
  private static func meant(_ word: String, in section: Section) -> Section.Field? {
    section.field(word)
      ?? section.fields.first { $0.otherSpellings.contains(word) || word.hasPrefix($0.name + ":") }
  }

  /// Returns the error for a key that a section does not have, with the key that was probably
  /// meant.
  private func unknown(_ word: String, in section: Section, named name: String) -> String {
    let known = section.fields.map(\.name)
    let problem = "unknown key '\(word.clipped)' in \(name)"
    guard let meant = Self.meant(word, in: section) else { return problem + hint(word, known) }
    guard meant.otherSpellings.contains(word) else { return Self.needsSpace(word, meant.name) }
    return problem + "; did you mean '\(meant.name)'? (accepted: \(known.joined(separator: ", ")))"
  }

  /// Returns the error for a key and a value that YAML reads as one word, such as `model:bme280`.
  private static func needsSpace(_ text: String, _ key: String) -> String {
    let value = text.dropFirst(key.count + 1)
    return "'\(text.clipped)' needs a space after the colon: '\(key): \(value.clipped)'"
  }

  /// Returns a hint with the accepted word closest to an unknown word, followed by all accepted
  /// words.
  private func hint(_ word: String, _ known: [String]) -> String {
    NearestWord.hint(word, among: known) + " (accepted: \(known.joined(separator: ", ")))"
  }
}

extension Shape {
  /// Returns whether a node has at least one of the keys in the shape.
  fileprivate func knows(keysOf node: YAMLNode) -> Bool {
    guard case .section(let section) = self else { return false }
    return node.mapping?.contains { section.field($0.key) != nil } ?? false
  }
}

extension YAMLNode {
  /// The form of the node in the document: a scalar, a list or a mapping.
  fileprivate var form: Shape.Form {
    switch content {
    case .mapping: .mapping
    case .sequence: .list
    case .scalar: .scalar
    }
  }

  /// A description of the node for messages.
  fileprivate var noun: String {
    switch content {
    case .scalar(let text): "'\(text.clipped)'"
    case .mapping: "a group of keys"
    case .sequence: "a list"
    }
  }
}

/// A value of a file with its position, and whether it fits its shape.
package struct CheckedValue: Sendable {
  package enum Content: Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case list([CheckedValue])
    case section([String: CheckedValue])
    /// A value of any shape.
    case unchecked(DocumentValue)
    /// The value does not fit; the error has been recorded.
    case invalid
  }

  package let content: Content
  package let position: Position
  /// `true` if the value and all nested values fit their shapes.
  package let isSound: Bool
  /// A quantity as written in the file, `0.5hPa`; `nil` for other shapes.
  package let written: String?

  package init(
    _ content: Content, at position: Position, isSound: Bool = true, written: String? = nil
  ) {
    self.content = content
    self.written = written
    self.position = position
    self.isSound = isSound
  }

  /// Creates a value that does not fit.
  package static func invalid(at position: Position) -> CheckedValue {
    CheckedValue(.invalid, at: position, isSound: false)
  }

  // The accessors are not inlined, because the optimizer of Swift 6.3.1 crashes if several of them
  // are.

  /// A named value of a section, or `nil`.
  package subscript(_ name: String) -> CheckedValue? {
    if case .section(let fields) = content { return fields[name] }
    return nil
  }

  @inline(never)
  package var text: String? {
    if case .text(let text) = content { return text }
    return nil
  }

  @inline(never)
  package var integer: Int? {
    if case .integer(let integer) = content { return integer }
    return nil
  }

  @inline(never)
  package var number: Double? {
    switch content {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  package var boolean: Bool? {
    if case .boolean(let boolean) = content { return boolean }
    return nil
  }

  /// A duration or moment in nanoseconds.
  package var nanoseconds: Int64? { integer.map(Int64.init) ?? number.map { Int64($0) } }

  package var unchecked: DocumentValue? {
    if case .unchecked(let value) = content { return value }
    return nil
  }

  package var list: [CheckedValue] {
    if case .list(let values) = content { return values }
    return []
  }
}

/// A position in a file: line and column.
package struct Position: Hashable, Comparable, Sendable {
  /// The line, from 1.
  package var line: Int
  /// The column in characters, from 1.
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Orders positions from the start to the end of a file.
  package static func < (left: Position, right: Position) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// An error in a file: a finding with its position.
package typealias DocumentError = Finding

extension DocumentError {
  /// Creates an error.
  ///
  /// - Parameters:
  ///   - file: the path of the file as given by the user.
  ///   - position: the position in the file.
  ///   - message: the error and what is accepted instead.
  package init(file: String, position: Position, message: String) {
    self.init(
      .error, "mistake", at: Location(file: file, line: position.line, column: position.column),
      message)
  }

  /// The position in the file.
  var position: Position { Position(line: location?.line ?? 1, column: location?.column ?? 1) }
}
