import Text
import Yams

/// Measures how deep a document nests and how many values it stands for, its aliases written out.
package struct DocumentSize {
  /// How deep values may nest.
  package static let deepest = 64
  /// How many values a document may stand for.
  package static let mostValues = 100_000

  /// Why a document is refused.
  package struct Excess: Error {
    package let position: Position
    package let message: String
  }

  /// What a value stands for.
  private struct Measure {
    var values = 1
    var depth = 1
  }

  private var anchors: [String: Measure] = [:]
  /// Whether plain texts with ``Aliases/mark`` take the places of aliases.
  private let hasAliases: Bool

  /// Checks a document in which plain texts may take the places of aliases.
  ///
  /// - Throws: ``Excess`` when it is too large or too deep, or has keys that are no texts.
  static func check(_ root: Node, hasAliases: Bool) throws(Excess) {
    var size = DocumentSize(hasAliases: hasAliases)
    _ = try size.measure(root, at: 1)
  }

  private init(hasAliases: Bool) { self.hasAliases = hasAliases }

  private mutating func measure(_ node: Node, at depth: Int) throws(Excess) -> Measure {
    let position = Position(node)
    guard depth <= Self.deepest else { throw Self.tooDeep(position) }
    var found = Measure()
    let anchor: Anchor?
    switch node {
    case .scalar(let scalar):
      if let name = alias(scalar) {
        guard let meant = anchors[name] else {
          throw Excess(
            position: position, message: "there is no '&\(name.clipped)' before this alias")
        }
        found = meant
      }
      anchor = scalar.anchor
    case .sequence(let sequence):
      for value in sequence { try add(measure(value, at: depth + 1), to: &found, position) }
      anchor = sequence.anchor
    case .mapping(let mapping):
      for (key, value) in mapping {
        guard let scalar = key.scalar, alias(scalar) == nil else {
          throw Excess(position: Position(key), message: "a key must be a plain text")
        }
        if let anchor = scalar.anchor { anchors[anchor.rawValue] = Measure() }
        try add(measure(value, at: depth + 1), to: &found, position)
      }
      anchor = mapping.anchor
    case .alias: anchor = nil
    }
    if depth + found.depth - 1 > Self.deepest { throw Self.tooDeep(position) }
    if let anchor { anchors[anchor.rawValue] = found }
    return found
  }

  private func add(
    _ inner: Measure, to found: inout Measure, _ position: Position
  ) throws(Excess) {
    found.values += inner.values
    found.depth = max(found.depth, inner.depth + 1)
    guard found.values <= Self.mostValues else {
      throw Excess(
        position: position,
        message: "the file has more than \(Self.mostValues) values, its aliases written out")
    }
  }

  private static func tooDeep(_ position: Position) -> Excess {
    Excess(position: position, message: "values nest deeper than \(deepest) levels")
  }

  /// The name of the alias whose place a text takes.
  private func alias(_ scalar: Node.Scalar) -> String? {
    guard hasAliases, scalar.style == .plain, scalar.string.unicodeScalars.first == Aliases.mark
    else { return nil }
    return String(scalar.string.unicodeScalars.dropFirst())
  }
}
