/// What swift-argument-parser takes from Foundation, and no more: a way to write its own description as JSON, and errors that
/// describe themselves.
///
/// Foundation itself is a fifth of the command that people install, and time whenever it starts.

/// An error that says in a sentence what is wrong.
public protocol LocalizedError: Error {
  /// The sentence.
  var errorDescription: String? { get }
}

extension LocalizedError {
  /// None: an error that has no sentence is described by its name.
  public var errorDescription: String? { nil }
}

/// Bytes.
public struct Data {
  let bytes: [UInt8]
}

extension String {
  /// How the characters of a text become bytes.
  public struct Encoding {
    /// As in UTF-8, the only one that is asked for.
    public static let utf8 = Encoding()
  }

  /// Reads bytes as a text.
  public init?(data: Data, encoding: Encoding) {
    self.init(validating: data.bytes, as: UTF8.self)
  }
}

/// Writes values as JSON, in one line, keys in order.
public final class JSONEncoder {
  /// How the text looks; it is the same for all of them.
  public struct OutputFormatting: OptionSet, Sendable {
    /// The wishes as bits.
    public let rawValue: UInt

    /// Creates wishes from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Lines and indents.
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    /// The keys of an object in order.
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  /// What is wished of the text.
  public var outputFormatting: OutputFormatting = []

  /// Creates a writer.
  public init() {}

  /// Writes a value.
  public func encode<Value: Encodable>(_ value: Value) throws -> Data {
    let place = Place()
    try value.encode(to: Writer(place: place, codingPath: []))
    var text = ""
    place.write(to: &text)
    return Data(bytes: Array(text.utf8))
  }
}

/// Where a value goes.
private final class Place {
  enum Content {
    case null
    /// A number or a word, as it is written.
    case plain(String)
    case text(String)
    case list([Place])
    case object([String: Place])
  }

  var content = Content.null

  /// The place of the next value of a list.
  func next() -> Place {
    var places: [Place] = []
    if case .list(let known) = content { places = known }
    let place = Place()
    content = .list(places + [place])
    return place
  }

  /// The place of a named value.
  func named(_ name: String) -> Place {
    var places: [String: Place] = [:]
    if case .object(let known) = content { places = known }
    let place = Place()
    places[name] = place
    content = .object(places)
    return place
  }

  func write(to text: inout String) {
    switch content {
    case .null: text += "null"
    case .plain(let word): text += word
    case .text(let value): Self.write(value, to: &text)
    case .list(let places):
      text += "["
      for (index, place) in places.enumerated() {
        if index > 0 { text += "," }
        place.write(to: &text)
      }
      text += "]"
    case .object(let places):
      text += "{"
      for (index, place) in places.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { text += "," }
        Self.write(place.key, to: &text)
        text += ":"
        place.value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\0"..<" ":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

/// Puts values where they go: as an encoder, a single value, a list and an object.
private struct Writer: Encoder, SingleValueEncodingContainer, UnkeyedEncodingContainer {
  let place: Place
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  private var isList = false

  init(place: Place, codingPath: [any CodingKey], isList: Bool = false) {
    self.place = place
    self.codingPath = codingPath
    self.isList = isList
  }

  var count: Int { if case .list(let places) = place.content { places.count } else { 0 } }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    place.content = .object([:])
    return KeyedEncodingContainer(KeyedWriter(place: place, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    place.content = .list([])
    return Writer(place: place, codingPath: codingPath, isList: true)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    Writer(place: place.next(), codingPath: codingPath).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    Writer(place: place.next(), codingPath: codingPath).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { Writer(place: place.next(), codingPath: codingPath) }

  func encodeNil() { target.content = .null }
  func encode(_ value: Bool) { target.content = .plain("\(value)") }
  func encode(_ value: String) { target.content = .text(value) }
  func encode<Number: Numeric & Encodable>(_ value: Number) { target.content = .plain("\(value)") }
  func encode<Value: Encodable>(_ value: Value) throws {
    let target = target
    switch value {
    case let value as Bool: target.content = .plain("\(value)")
    case let value as String: target.content = .text(value)
    case let value as any Numeric: target.content = .plain("\(value)")
    default: try value.encode(to: Writer(place: target, codingPath: codingPath))
    }
  }

  /// Where a single value goes.
  private var target: Place { isList ? place.next() : place }
}

/// Puts named values where they go.
private struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let place: Place
  let codingPath: [any CodingKey]

  private func writer(_ name: String) -> Writer {
    Writer(place: place.named(name), codingPath: codingPath)
  }

  func encodeNil(forKey key: Key) { writer(key.stringValue).encodeNil() }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try writer(key.stringValue).encode(value)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    writer(key.stringValue).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    writer(key.stringValue).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { writer("super") }
  func superEncoder(forKey key: Key) -> any Encoder { writer(key.stringValue) }
}
