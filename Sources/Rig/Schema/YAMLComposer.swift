import Text

/// Puts a YAML document together out of its events.
///
/// A few lines of lists of aliases of lists of aliases stand for billions of values, and a few thousand brackets for a
/// stack that overflows. So how deep the document nests and how many values it stands for, its aliases written out, is
/// measured on the way, and the first value too many ends it.
package struct YAMLComposer {
  /// How deep values may nest.
  package static let deepest = 64
  /// How many values a document may stand for.
  package static let mostValues = 100_000

  /// What a value stands for, its aliases written out.
  private struct Measure {
    var values = 1
    var depth = 1

    /// Counts a value inside.
    mutating func add(_ inner: Measure, _ position: Position) throws(YAMLError) {
      values += inner.values
      depth = max(depth, inner.depth + 1)
      guard values <= mostValues else {
        throw YAMLError(
          "the file has more than \(mostValues) values, its aliases written out", at: position)
      }
    }
  }

  private typealias Measured = (node: YAMLNode, measure: Measure)

  private let events: YAMLEvents
  private var anchors: [String: Measured] = [:]

  /// The one document of a text.
  ///
  /// - Throws: `YAMLError` when the text is no YAML, is empty, holds two documents, is too large or too deep, or has
  ///   keys that are no texts or stand twice.
  static func compose(_ text: String) throws(YAMLError) -> YAMLNode {
    var composer = YAMLComposer(events: try YAMLEvents(text))
    do throws(YAMLError) {
      return try composer.document()
    } catch {
      // A bracket that is missing further down may have made the trouble: that is told first.
      while composer.events.depth <= deepest, case (let event, _) = try composer.events.next(),
        !event.isEndOfStream
      {}
      throw error
    }
  }

  private mutating func document() throws(YAMLError) -> YAMLNode {
    guard case .documentStart = try events.next().event else {
      throw YAMLError("the file is empty")
    }
    guard let root = try value(at: 1) else { throw YAMLError("the file is empty") }
    let (last, position) = try events.next()
    guard last.isEndOfStream else {
      throw YAMLError(
        "but found another document (expected a single document in the stream)", at: position)
    }
    return root.node
  }

  private init(events: YAMLEvents) { self.events = events }

  /// The next value; `nil` where what is around it ends.
  private mutating func value(at depth: Int) throws(YAMLError) -> Measured? {
    let (event, position) = try events.next()
    if event.isEnd { return nil }
    guard depth <= Self.deepest else { throw Self.tooDeep(position) }
    let found: Measured
    switch event {
    case .alias(let name):
      guard let meant = anchors[name] else {
        throw YAMLError("there is no '&\(name.clipped)' before this alias", at: position)
      }
      guard depth + meant.measure.depth - 1 <= Self.deepest else { throw Self.tooDeep(position) }
      return meant
    case .scalar(let text, _):
      found = (YAMLNode(content: .scalar(text), position: position), Measure())
    case .sequenceStart: found = try sequence(position, at: depth)
    default: found = try mapping(position, at: depth)
    }
    if let anchor = event.anchor { anchors[anchor] = found }
    return found
  }

  private mutating func sequence(
    _ position: Position, at depth: Int
  ) throws(YAMLError) -> Measured {
    var nodes: [YAMLNode] = []
    var measure = Measure()
    while let value = try value(at: depth + 1) {
      try measure.add(value.measure, position)
      nodes.append(value.node)
    }
    return (YAMLNode(content: .sequence(nodes), position: position), measure)
  }

  private mutating func mapping(
    _ position: Position, at depth: Int
  ) throws(YAMLError) -> Measured {
    var entries: [YAMLNode.Entry] = []
    var measure = Measure()
    while let (key, place) = try key(), let value = try value(at: depth + 1) {
      try measure.add(value.measure, position)
      entries.append(YAMLNode.Entry(key: key, position: place, value: value.node))
    }
    try Self.checkKeys(of: entries)
    return (YAMLNode(content: .mapping(entries), position: position), measure)
  }

  /// The next key of a mapping and its place; `nil` at the end of the mapping.
  private mutating func key() throws(YAMLError) -> (String, Position)? {
    let (event, position) = try events.next()
    if event.isEnd { return nil }
    guard case .scalar(let text, let anchor) = event else {
      throw YAMLError("a key must be a plain text", at: position)
    }
    if let anchor {
      anchors[anchor] = (YAMLNode(content: .scalar(text), position: position), Measure())
    }
    return (text, position)
  }

  /// Refuses keys that stand twice, at the second place of the first of them.
  private static func checkKeys(of entries: [YAMLNode.Entry]) throws(YAMLError) {
    var known: Set<String> = []
    var second: [String: Position] = [:]
    for entry in entries where !known.insert(entry.key).inserted && second[entry.key] == nil {
      second[entry.key] = entry.position
    }
    let keys = second.keys.inOrder()
    guard let key = keys.first, let position = second[key] else { return }
    let told = keys.prefix(5).map(\.clipped).joined(separator: "', '")
    throw YAMLError("key '\(told)' stands twice", at: position)
  }

  private static func tooDeep(_ position: Position) -> YAMLError {
    YAMLError("values nest deeper than \(deepest) levels", at: position)
  }
}
