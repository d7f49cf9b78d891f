import CYAML
import Support

/// A value of a YAML document, with its position.
///
/// Every scalar is kept as text; YAML's implicit types are not resolved.
struct YAMLNode: Sendable {
  /// The content of a node.
  enum Content: Sendable {
    case scalar(String)
    case sequence([YAMLNode])
    /// A mapping with unique keys.
    case mapping([Entry])
  }

  /// A key of a mapping, its position, and its value.
  struct Entry: Sendable {
    let key: String
    let position: Position
    let value: YAMLNode
  }

  let content: Content
  /// The start of the value; for an alias, the start of the anchor that the alias refers to.
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

/// Composes a YAML document from parser events.
///
/// A few lines of nested aliases may expand to billions of values, and a few thousand brackets may
/// overflow the stack. Therefore the nesting depth and the number of values after the expansion of
/// aliases are limited during parsing.
package struct YAMLComposer {
  /// The largest nesting depth.
  package static let deepest = 64
  /// The largest number of values after the expansion of aliases.
  package static let mostValues = 100_000

  /// The size of a value after the expansion of aliases.
  private struct Measure {
    var values = 1
    var depth = 1

    /// Adds a nested value.
    mutating func add(_ inner: Measure, _ position: Position) throws(YAMLError) {
      values += inner.values
      depth = max(depth, inner.depth + 1)
      guard values <= mostValues else {
        throw YAMLError(
          "the file has more than \(mostValues) values after expanding its aliases", at: position)
      }
    }
  }

  private typealias Measured = (node: YAMLNode, measure: Measure)

  private let events: YAMLEvents
  private var anchors: [String: Measured] = [:]

  /// Composes the single document of a text.
  ///
  /// - Throws: `YAMLError` if the text is not valid YAML, is empty, contains two documents, is too large or too deep,
  ///   or has keys that are not text or occur twice.
  static func compose(_ text: String) throws(YAMLError) -> YAMLNode {
    var composer = YAMLComposer(events: try YAMLEvents(text))
    do throws(YAMLError) {
      return try composer.document()
    } catch {
      // The cause may be a missing bracket further down; if so, the error of the parser for it is
      // reported instead.
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
        "the file contains a second document; only one is accepted", at: position)
    }
    return root.node
  }

  private init(events: YAMLEvents) { self.events = events }

  /// Composes the next value; `nil` at the end of the enclosing sequence, mapping or document.
  private mutating func value(at depth: Int) throws(YAMLError) -> Measured? {
    let (event, position) = try events.next()
    if event.isEnd { return nil }
    guard depth <= Self.deepest else { throw Self.tooDeep(position) }
    let found: Measured
    switch event {
    case .alias(let name):
      guard let meant = anchors[name] else {
        throw YAMLError("no anchor '&\(name.clipped)' before this alias", at: position)
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
    while let (key, keyPosition) = try key(), let value = try value(at: depth + 1) {
      try measure.add(value.measure, position)
      entries.append(YAMLNode.Entry(key: key, position: keyPosition, value: value.node))
    }
    try Self.checkKeys(of: entries)
    return (YAMLNode(content: .mapping(entries), position: position), measure)
  }

  /// Reads the next key of a mapping and its position; `nil` at the end of the mapping.
  private mutating func key() throws(YAMLError) -> (String, Position)? {
    let (event, position) = try events.next()
    if event.isEnd { return nil }
    guard case .scalar(let text, let anchor) = event else {
      throw YAMLError("a key must be text", at: position)
    }
    if let anchor {
      anchors[anchor] = (YAMLNode(content: .scalar(text), position: position), Measure())
    }
    return (text, position)
  }

  /// Rejects duplicate keys; the error is at the second occurrence of the first duplicate key.
  private static func checkKeys(of entries: [YAMLNode.Entry]) throws(YAMLError) {
    var known: Set<String> = []
    var second: [String: Position] = [:]
    for entry in entries where !known.insert(entry.key).inserted && second[entry.key] == nil {
      second[entry.key] = entry.position
    }
    let keys = second.keys.inOrder()
    guard let key = keys.first, let position = second[key] else { return }
    let listed = keys.prefix(5).map(\.clipped).joined(separator: "', '")
    throw YAMLError("duplicate key '\(listed)'", at: position)
  }

  private static func tooDeep(_ position: Position) -> YAMLError {
    YAMLError("values are nested deeper than \(deepest) levels", at: position)
  }
}

/// The parser events of a YAML text, in order: starts and ends of collections, and scalars.
///
/// The limits of a document are not checked here, because the cost of an event is only proportional
/// to its text.
final class YAMLEvents {
  /// A parser event.
  enum Event {
    /// A scalar, quoted or not.
    case scalar(String, anchor: String?)
    /// A reference to the value with this anchor.
    case alias(String)
    case sequenceStart(anchor: String?)
    case sequenceEnd
    case mappingStart(anchor: String?)
    case mappingEnd
    case documentStart
    /// The end of the stream.
    case end

    /// `true` if the event ends the enclosing sequence, mapping or stream.
    var isEnd: Bool {
      switch self {
      case .sequenceEnd, .mappingEnd, .end: true
      default: false
      }
    }

    var isEndOfStream: Bool {
      if case .end = self { true } else { false }
    }

    /// The anchor by which aliases refer to the value.
    var anchor: String? {
      switch self {
      case .scalar(_, let anchor), .sequenceStart(let anchor), .mappingStart(let anchor): anchor
      default: nil
      }
    }
  }

  /// The number of open sequences and mappings.
  private(set) var depth = 0
  /// The text, which the parser reads incrementally.
  private let text: UnsafeMutableBufferPointer<UInt8>
  /// The parser of libyaml, which stores its own address and so must not move.
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  /// Creates a parser that is positioned before the first event of a text.
  ///
  /// - Throws: `YAMLError` if the parser cannot allocate memory.
  init(_ text: String) throws(YAMLError) {
    self.text = .allocate(capacity: text.utf8.count)
    _ = self.text.initialize(from: text.utf8)
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    guard yaml_parser_initialize(parser) == 1 else {
      throw YAMLError("not enough memory to read the file")
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, self.text.baseAddress, self.text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    text.deallocate()
  }

  /// Reads the next event and its position.
  ///
  /// - Throws: `YAMLError` if the text is not valid YAML.
  func next() throws(YAMLError) -> (event: Event, position: Position) {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw problem }
      defer { yaml_event_delete(&event) }
      switch event.type {
      case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: depth += 1
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
      default: break
      }
      if let found = Self.event(event) { return (found, Position(event.start_mark)) }
    }
  }

  /// Converts an event of libyaml; `nil` for stream starts and document ends.
  private static func event(_ event: yaml_event_t) -> Event? {
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      return .scalar(String(decoding: bytes, as: UTF8.self), anchor: name(scalar.anchor))
    case YAML_ALIAS_EVENT: return .alias(name(event.data.alias.anchor) ?? "")
    case YAML_SEQUENCE_START_EVENT:
      return .sequenceStart(anchor: name(event.data.sequence_start.anchor))
    case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
    case YAML_MAPPING_START_EVENT:
      return .mappingStart(anchor: name(event.data.mapping_start.anchor))
    case YAML_MAPPING_END_EVENT: return .mappingEnd
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return .end
    default: return nil
    }
  }

  private static func name(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  /// The error of the parser, reworded for users if it is a common one.
  private var problem: YAMLError {
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not readable as YAML"
    switch parser.pointee.error {
    case YAML_READER_ERROR:
      return YAMLError("\(problem) at byte \(parser.pointee.problem_offset)")
    case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
      let context = parser.pointee.context.map { String(cString: $0) }
      let mark = parser.pointee.problem_mark
      if let plain = plain(problem, context, at: mark) { return plain }
      return YAMLError(problem + (context.map { " (\($0))" } ?? ""), at: Position(mark))
    default:
      return YAMLError("not readable as YAML")
    }
  }

  /// Returns the message for the most common errors, with the remedy; `nil` for other errors.
  private func plain(_ problem: String, _ context: String?, at mark: yaml_mark_t) -> YAMLError? {
    let start = Position(parser.pointee.context_mark)
    if context == "while scanning a quoted scalar" {
      return YAMLError("this quote is not closed", at: start)
    }
    guard mark.index < text.count else { return nil }
    let byte = text[mark.index]
    // The parser points to the start of the line, or to the text after the tab.
    let hasTab = text[mark.index...].prefix { $0 == 0x20 || $0 == 0x09 }.contains(0x09)
    if problem.contains("tab character") || problem.contains("cannot start any token") && hasTab {
      return YAMLError("a tab cannot indent a line in YAML; use spaces", at: Position(mark))
    }
    if problem == "found character that cannot start any token" {
      let character = String(UnicodeScalar(byte))
      return YAMLError(
        "a value cannot begin with '\(character)'; put it in quotes: \"\(word(from: mark.index))\"",
        at: Position(mark))
    }
    return nil
  }

  /// Returns the word at a byte offset in the text.
  private func word(from index: Int) -> String {
    let bytes = text[index...].prefix { !" ,}]\n\r#".utf8.contains($0) }
    return String(decoding: bytes, as: UTF8.self).clipped
  }
}

/// An error in the YAML of a text, with its position.
struct YAMLError: Error {
  let position: Position
  let message: String

  init(_ message: String, at position: Position = Position(line: 1, column: 1)) {
    self.position = position
    self.message = message
  }
}

extension Position {
  /// Converts a position of the parser, which counts lines and columns from 0.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: mark.line + 1, column: mark.column + 1)
  }
}
