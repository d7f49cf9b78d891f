import Support

/// A command that a person sends to a hub from the command line, over MQTT or on the web page.
public enum HubCommand: Hashable, Sendable {
  /// Acknowledges an alarm for a duration in nanoseconds; without a duration, until the alarm
  /// returns to normal.
  case acknowledge(UInt64, name: String, note: String, duration: Int64?)
  /// Suppresses the alarms for the limits of a zone for a duration in nanoseconds.
  case silence(zone: String, name: String, note: String, duration: Int64)
  /// Ends the silence of a zone.
  case endSilence(zone: String, name: String)
  /// Closes an alarm whose sensor or tag is lost.
  case close(UInt64, name: String, note: String)

  /// The reason for rejecting a command, with a suggestion if there is one.
  public struct Rejection: Error, Hashable, CustomStringConvertible {
    /// The reason, and the suggestion if there is one.
    public let description: String

    init(_ description: String) { self.description = description }

    /// Creates the rejection of a command from a person who is not listed in the hub file.
    public static func unknown(person: String, among people: [String]) -> Rejection {
      Rejection(
        "unknown person '\(person.clipped)'"
          + NearestWord.hint(person.clipped, among: people))
    }
  }

  /// The maximum length of a name and of a note, in bytes.
  public static let longestName = 80, longestNote = 1000

  /// Parses a command.
  ///
  ///     {"command":"acknowledge","alarm":3,"name":"Ana","note":"door is being mended","for_s":7200}
  ///     {"command":"silence","zone":"cold room","name":"Ana","note":"delivery","for_s":1800}
  ///     {"command":"end-silence","zone":"cold room","name":"Ana"}
  ///     {"command":"close","alarm":3,"name":"Ana","note":"tag crushed by a fork lift"}
  ///
  /// - Throws: `Rejection` if the bytes are not a valid command; there is no other error,
  ///   whatever the bytes.
  public init(json: some Collection<UInt8>) throws(Rejection) {
    guard json.count <= 8192 else { throw Rejection("the command exceeds 8192 bytes") }
    guard let value = JSONValue(reading: json), value.object != nil else {
      throw Rejection("the command is not a JSON object")
    }
    let word = value["command"]?.text ?? ""
    let name = try Self.text(value, "name", longest: Self.longestName)
    guard !name.trimmed.isEmpty else {
      throw Rejection("'name' must name the person who sends the command")
    }
    let note =
      value["note"] == nil ? "" : try Self.text(value, "note", longest: Self.longestNote)
    switch word {
    case "acknowledge":
      self = .acknowledge(
        try Self.alarm(value), name: name, note: note, duration: try Self.duration(value))
    case "silence":
      guard let duration = try Self.duration(value) else {
        throw Rejection("'for_s' must give the duration of the silence in seconds")
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
      throw Rejection(
        "unknown command '\(word.clipped)'" + NearestWord.hint(word.clipped, among: known)
          + " (accepted: \(known.joined(separator: ", ")))")
    }
  }

  private static func text(
    _ value: JSONValue, _ key: String, longest: Int
  ) throws(Rejection) -> String {
    guard let text = value[key]?.text else { throw Rejection("the command has no text '\(key)'") }
    guard text.utf8.count <= longest, text.visible == text else {
      throw Rejection(
        "'\(key)' must be a text of at most \(longest) bytes without control characters")
    }
    return text
  }

  private static func alarm(_ value: JSONValue) throws(Rejection) -> UInt64 {
    guard let number = value["alarm"]?.whole(UInt64.self) else {
      throw Rejection("'alarm' must be an alarm number")
    }
    return number
  }

  private static func duration(_ value: JSONValue) throws(Rejection) -> Int64? {
    guard let given = value["for_s"] else { return nil }
    guard let seconds = given.double, seconds > 0, seconds <= 366 * 86400 else {
      throw Rejection("'for_s' must be a number of seconds greater than 0 and at most a year")
    }
    return Int64(seconds * 1e9)
  }
}
