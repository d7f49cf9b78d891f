import Text

extension JSONSchema {
  /// What a value in YAML on one line is in JSON, read by the shape that it has; `nil` where it has not.
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
  /// The words that select the same keys with the same meaning, together; in order.
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
