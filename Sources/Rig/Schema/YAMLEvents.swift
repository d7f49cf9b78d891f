import CYAML
import Text

/// The events of a YAML text, in its order: what opens, what closes, and the scalars between.
///
/// The limits of a document are not looked at here: each event costs no more than its text.
final class YAMLEvents {
  /// What stands at a place of the text.
  enum Event {
    /// A text, quoted or not.
    case scalar(String, anchor: String?)
    /// Stands for the value that has this anchor.
    case alias(String)
    case sequenceStart(anchor: String?)
    case sequenceEnd
    case mappingStart(anchor: String?)
    case mappingEnd
    case documentStart
    /// The end of the stream.
    case end

    /// Whether it ends what is around it.
    var isEnd: Bool {
      switch self {
      case .sequenceEnd, .mappingEnd, .end: true
      default: false
      }
    }

    var isEndOfStream: Bool {
      if case .end = self { true } else { false }
    }

    /// The name by which aliases may speak of the value.
    var anchor: String? {
      switch self {
      case .scalar(_, let anchor), .sequenceStart(let anchor), .mappingStart(let anchor): anchor
      default: nil
      }
    }
  }

  /// How many sequences and mappings are open.
  private(set) var depth = 0
  /// The text, which the parser reads as it goes.
  private let text: UnsafeMutableBufferPointer<UInt8>
  /// The parser keeps its own address, so it must not move.
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  /// Begins with the first event of a text.
  ///
  /// - Throws: `YAMLError` when there is no memory.
  init(_ text: String) throws(YAMLError) {
    self.text = .allocate(capacity: text.utf8.count)
    _ = self.text.initialize(from: text.utf8)
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    guard yaml_parser_initialize(parser) == 1 else {
      throw YAMLError("there is not enough memory to read the file")
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, self.text.baseAddress, self.text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    text.deallocate()
  }

  /// The next event and its place.
  ///
  /// - Throws: `YAMLError` where the text is no YAML.
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

  /// What an event says; `nil` for what only encloses a document.
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

  /// The parser's error, in the words of those who write the file where the parser has its own.
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

  /// Says what is wrong and what would be right for the errors that people make most; `nil` for the others.
  private func plain(_ problem: String, _ context: String?, at mark: yaml_mark_t) -> YAMLError? {
    let start = Position(parser.pointee.context_mark)
    if context == "while scanning a quoted scalar" {
      return YAMLError("this quote is not closed", at: start)
    }
    guard mark.index < text.count else { return nil }
    let byte = text[mark.index]
    // The parser points at the beginning of the line, or at what the tab goes before.
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

  /// The word that begins at a byte of the text.
  private func word(from index: Int) -> String {
    let bytes = text[index...].prefix { !" ,}]\n\r#".utf8.contains($0) }
    return String(decoding: bytes, as: UTF8.self).clipped
  }
}

/// Why a text is not read as YAML.
struct YAMLError: Error {
  let position: Position
  let message: String

  init(_ message: String, at position: Position = Position(line: 1, column: 1)) {
    self.position = position
    self.message = message
  }
}

extension Position {
  /// The parser counts lines and columns from 0.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: mark.line + 1, column: mark.column + 1)
  }
}
