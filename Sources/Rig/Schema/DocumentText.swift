import Support

/// A YAML document whose keys can be set to other values before it is checked.
package struct DocumentText: Sendable {
  private var root: YAMLNode

  /// Parses a document.
  ///
  /// - Parameters:
  ///   - text: the text of a YAML file.
  ///   - file: the path for messages.
  /// - Throws: `DocumentError` if the text is not valid YAML.
  package init(_ text: String, file: String) throws(DocumentError) {
    root = try Document.compose(text, file: file)
  }

  var node: YAMLNode { root }

  /// Sets a key.
  ///
  /// Missing groups of keys on the way are created, and the first entry of a missing list.
  ///
  /// - Throws: `KeyAddress.FormatError` if the address leads through a value that is not a group of keys, or beyond a list.
  package mutating func set(
    _ address: KeyAddress, to value: DocumentValue
  ) throws(KeyAddress.FormatError) {
    root = try Self.setting(root, address.steps[...], of: address, to: value.node)
  }

  private static func setting(
    _ node: YAMLNode?, _ steps: ArraySlice<KeyAddress.Step>, of address: KeyAddress,
    to value: YAMLNode
  ) throws(KeyAddress.FormatError) -> YAMLNode {
    guard let step = steps.first else { return value }
    let rest = steps.dropFirst()
    let position = node?.position ?? value.position
    func error(_ message: String) -> KeyAddress.FormatError {
      KeyAddress.FormatError(message: "\(address.text): \(message)")
    }
    switch step {
    case .key(let name):
      var entries = node?.mapping ?? []
      guard node == nil || node?.mapping != nil else {
        throw error("'\(name)' is not inside a group of keys")
      }
      let index = entries.firstIndex { $0.key == name }
      let inner = try setting(index.map { entries[$0].value }, rest, of: address, to: value)
      let entry = YAMLNode.Entry(key: name, position: inner.position, value: inner)
      if let index { entries[index] = entry } else { entries.append(entry) }
      return YAMLNode(content: .mapping(entries), position: position)
    case .index(let index):
      var nodes = node?.sequence ?? []
      guard node == nil || node?.sequence != nil else {
        throw error("[\(index)] is not inside a list")
      }
      guard index < nodes.count || nodes.isEmpty && index == 0 else {
        throw error("the list has \("entry".counted(nodes.count)), so there is no [\(index)]")
      }
      let inner = try setting(
        index < nodes.count ? nodes[index] : nil, rest, of: address, to: value)
      if index < nodes.count { nodes[index] = inner } else { nodes.append(inner) }
      return YAMLNode(content: .sequence(nodes), position: position)
    }
  }

  /// Makes the paths of existing files absolute, so that the document can be stored in another folder.
  ///
  /// - Parameter file: the file whose folder relative paths refer to.
  package mutating func resolvePaths(relativeTo file: String) {
    root = Self.resolved(root) { text in
      guard text.contains("/") || text.contains(".") else { return nil }
      let path = TextFile.resolve(text, relativeTo: file)
      return TextFile.exists(path) ? FilePath.standardized(path) : nil
    }
  }

  private static func resolved(_ node: YAMLNode, _ path: (String) -> String?) -> YAMLNode {
    let content: YAMLNode.Content =
      switch node.content {
      case .scalar(let text): .scalar(path(text) ?? text)
      case .sequence(let nodes): .sequence(nodes.map { resolved($0, path) })
      case .mapping(let entries):
        .mapping(
          entries.map {
            YAMLNode.Entry(
              key: $0.key, position: $0.position, value: resolved($0.value, path))
          })
      }
    return YAMLNode(content: content, position: node.position)
  }

  /// The document as YAML, with groups of keys on lines of their own and without comments.
  package var yaml: String { YAMLText.lines(of: root).joined(separator: "\n") + "\n" }
}

/// The address of a key in a document, such as `buses[0].devices[1].offset.pressure`.
package struct KeyAddress: Sendable, Hashable {
  /// A text that is not an address, or an address that a document does not have.
  package struct FormatError: Error, Hashable {
    /// The message, with the address.
    package let message: String

    package init(message: String) { self.message = message }
  }

  enum Step: Sendable, Hashable {
    case key(String)
    case index(Int)
  }

  /// The address as written.
  package let text: String
  let steps: [Step]

  /// Parses an address.
  ///
  /// - Parameter text: names separated by dots, each followed by any number of indices in brackets, from 0.
  /// - Throws: `FormatError` with an example.
  package init(_ text: String) throws(FormatError) {
    let error = FormatError(
      message:
        "'\(text.clipped)' is not the address of a key, such as buses[0].devices[0].offset.pressure"
    )
    var steps: [Step] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
      guard let name = pieces.first, !name.isEmpty, !name.contains("]") else { throw error }
      steps.append(.key(String(name)))
      for piece in pieces.dropFirst() {
        guard piece.last == "]", let index = Int(piece.dropLast()), (0..<1000).contains(index)
        else { throw error }
        steps.append(.index(index))
      }
    }
    self.text = text
    self.steps = steps
  }
}

/// A value of a document that is not checked yet: a text, a list or a group of keys.
package struct DocumentValue: Sendable {
  let node: YAMLNode
  /// The position of the value in its file.
  package var position: Position { node.position }
  /// The text of a scalar; `nil` for lists and groups.
  package var text: String? { node.scalar }
  /// The values of a list; `nil` for texts and groups.
  package var list: [DocumentValue]? { node.sequence?.map(DocumentValue.init(node:)) }
  /// The keys of a group with their values; `nil` for texts and lists.
  package var entries: [(name: String, value: DocumentValue)]? {
    node.mapping?.map { ($0.key, DocumentValue(node: $0.value)) }
  }
  /// The value in YAML on one line.
  package var yaml: String { YAMLText.flow(node) }

  init(node: YAMLNode) { self.node = node }

  /// Creates a scalar.
  package init(text: String, at position: Position = Position(line: 1, column: 1)) {
    node = YAMLNode(content: .scalar(text), position: position)
  }

  /// Parses a value in YAML, such as `21C` or `{pressure: 5hPa}`.
  ///
  /// - Throws: `DocumentError` if the text is not valid YAML.
  package init(yaml text: String, file: String) throws(DocumentError) {
    node = try Document.compose(text, file: file)
  }
}

/// The text of YAML nodes.
enum YAMLText {
  /// Returns a node on one line.
  static func flow(_ node: YAMLNode) -> String {
    switch node.content {
    case .scalar(let text): scalar(text)
    case .sequence(let nodes): "[" + nodes.map(flow).joined(separator: ", ") + "]"
    case .mapping(let entries):
      "{" + entries.map { "\(scalar($0.key)): \(flow($0.value))" }.joined(separator: ", ") + "}"
    }
  }

  /// Returns the lines of a document: short values on one line, longer groups and lists on several.
  static func lines(of node: YAMLNode) -> [String] {
    let line = flow(node)
    switch node.content {
    case .mapping(let entries) where line.count > 60 || entries.contains { isLong($0.value) }:
      return entries.flatMap { entry in
        let key = scalar(entry.key)
        guard isLong(entry.value) else { return ["\(key): \(flow(entry.value))"] }
        return ["\(key):"] + lines(of: entry.value).map { "  \($0)" }
      }
    case .sequence(let nodes) where line.count > 60:
      return nodes.flatMap { node -> [String] in
        guard isLong(node) else { return ["- \(flow(node))"] }
        return lines(of: node).enumerated().map { ($0 == 0 ? "- " : "  ") + $1 }
      }
    default: return [line]
    }
  }

  private static func isLong(_ node: YAMLNode) -> Bool {
    node.scalar == nil && flow(node).count > 60
  }

  /// Returns a scalar, in quotes unless it contains only characters that have no meaning in YAML.
  private static func scalar(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "-+._/%<>=()".unicodeScalars.contains(scalar))
      } && !"-%<>=".contains(text.first ?? "-") || isNumber(text)
    return isPlain ? text : JSONValue.string(text).compact
  }

  private static func isNumber(_ text: String) -> Bool {
    text.first == "-" && text.dropFirst().first?.isNumber == true
      && text.utf8.dropFirst().allSatisfy { $0 != 0x20 && $0 != 0x2C && $0 != 0x3A && $0 != 0x23 }
  }
}
