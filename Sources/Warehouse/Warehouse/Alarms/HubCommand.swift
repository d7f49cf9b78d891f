import Text

/// What a person tells a hub to do with its alarms, by command line, MQTT or the page.
public enum HubCommand: Hashable, Sendable {
  /// Takes an alarm on; for so many nanoseconds, or until it is over.
  case acknowledge(UInt64, name: String, note: String, duration: Int64?)
  /// Silences the limits of a zone for so many nanoseconds.
  case silence(zone: String, name: String, note: String, duration: Int64)
  /// Ends the silence of a zone.
  case endSilence(zone: String, name: String)
  /// Closes an alarm whose sensor is lost, or whose tag is no longer there.
  case close(UInt64, name: String, note: String)

  /// Why a command was refused, in a sentence that says what to try.
  public struct Refusal: Error, Hashable, CustomStringConvertible {
    /// What is wrong, and what to try.
    public let description: String

    init(_ description: String) { self.description = description }

    /// That a person is none of those whose commands are taken.
    public static func unknown(person: String, among people: [String]) -> Refusal {
      Refusal(
        "'\(person.clipped)' is none of the people whom this hub knows"
          + NearestWord.hint(person.clipped, among: people))
    }
  }

  /// The longest name and the longest note, in bytes.
  public static let longestName = 80, longestNote = 1000

  /// Reads a command.
  ///
  ///     {"command":"acknowledge","alarm":3,"name":"Ana","note":"door is being mended","for_s":7200}
  ///     {"command":"silence","zone":"cold room","name":"Ana","note":"delivery","for_s":1800}
  ///     {"command":"end-silence","zone":"cold room","name":"Ana"}
  ///     {"command":"close","alarm":3,"name":"Ana","note":"tag crushed by a fork lift"}
  ///
  /// - Throws: ``Refusal`` where it is none; nothing else can happen, whatever the bytes.
  public init(json: some Collection<UInt8>) throws(Refusal) {
    guard json.count <= 8192 else { throw Refusal("a command is at most 8192 bytes long") }
    guard let value = JSONValue(reading: json), value.object != nil else {
      throw Refusal("the command is no JSON object")
    }
    let word = value["command"]?.text ?? ""
    let name = try Self.text(value, "name", longest: Self.longestName)
    guard !name.trimmed.isEmpty else { throw Refusal("'name' must say who wants it") }
    let note =
      value["note"] == nil ? "" : try Self.text(value, "note", longest: Self.longestNote)
    switch word {
    case "acknowledge":
      self = .acknowledge(
        try Self.alarm(value), name: name, note: note, duration: try Self.duration(value))
    case "silence":
      guard let duration = try Self.duration(value) else {
        throw Refusal("'for_s' must say for how many seconds the zone is silenced")
      }
      self = .silence(
        zone: try Self.text(value, "zone", longest: Self.longestName), name: name, note: note,
        duration: duration)
    case "end-silence":
      self = .endSilence(
        zone: try Self.text(value, "zone", longest: Self.longestName), name: name)
    case "close": self = .close(try Self.alarm(value), name: name, note: note)
    default:
      let known = ["acknowledge", "silence", "end-silence", "close"]
      throw Refusal(
        "'\(word.clipped)' is no command" + NearestWord.hint(word.clipped, among: known)
          + " (known: \(known.joined(separator: ", ")))")
    }
  }

  private static func text(
    _ value: JSONValue, _ key: String, longest: Int
  ) throws(Refusal) -> String {
    guard let text = value[key]?.text else { throw Refusal("the command lacks '\(key)', a text") }
    guard text.utf8.count <= longest, text.visible == text else {
      throw Refusal(
        "'\(key)' must be a text of at most \(longest) bytes without control characters")
    }
    return text
  }

  private static func alarm(_ value: JSONValue) throws(Refusal) -> UInt64 {
    guard let number = value["alarm"]?.whole(UInt64.self) else {
      throw Refusal("'alarm' must be the number of an alarm")
    }
    return number
  }

  private static func duration(_ value: JSONValue) throws(Refusal) -> Int64? {
    guard let given = value["for_s"] else { return nil }
    guard let seconds = given.double, seconds > 0, seconds <= 366 * 86400 else {
      throw Refusal("'for_s' must be a number of seconds above 0, at most a year")
    }
    return Int64(seconds * 1e9)
  }
}
