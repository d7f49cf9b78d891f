/// A value of a YAML document, with its place.
///
/// Every scalar is taken by its text: what YAML would make of it is never asked.
struct YAMLNode {
  /// What a document holds.
  enum Content {
    case scalar(String)
    case sequence([YAMLNode])
    /// No two keys are equal.
    case mapping([Entry])
  }

  /// A key of a mapping, its place, and its value.
  struct Entry {
    let key: String
    let position: Position
    let value: YAMLNode
  }

  let content: Content
  /// Where the value begins; what an alias stands for has the place of its anchor.
  let position: Position

  var scalar: String? {
    if case .scalar(let text) = content { text } else { nil }
  }

  var sequence: [YAMLNode]? {
    if case .sequence(let nodes) = content { nodes } else { nil }
  }

  var mapping: [Entry]? {
    if case .mapping(let entries) = content { entries } else { nil }
  }
}
