import Text

/// What a YAML file of this house is, told from the keys of its top level: so that one that was given to the wrong command
/// is told by a line, and not by a mistake for each of its keys.
package enum DocumentFamily: String, Sendable {
  /// A rig: parts on a bus.
  case rig
  /// A rig that is a warehouse, which the hub's program runs.
  case warehouse
  /// The file of a hub.
  case hub

  private static let ofRigs: Set = ["buses", "fleet", "pipeline", "environment", "firmware"]
  private static let ofHubs: Set = ["hub", "zones", "tags", "duty"]

  /// What a text is; `nil` where its keys do not say.
  ///
  /// Of a text that is no YAML, the lines that begin with a key are looked at.
  package init?(of text: String) {
    let keys = Set(Document.keys(of: text) ?? Self.lines(text))
    if keys.contains("warehouse") {
      self = .warehouse
    } else if keys.isDisjoint(with: Self.ofRigs), keys.intersection(Self.ofHubs).count >= 2 {
      self = .hub
    } else if keys.isDisjoint(with: Self.ofHubs), !keys.isDisjoint(with: Self.ofRigs) {
      self = .rig
    } else {
      return nil
    }
  }

  /// What is said of such a file where another one was wanted: what it is, and which command takes it.
  ///
  /// - Parameters:
  ///   - wanted: what it should have been, "a rig".
  ///   - file: the file.
  /// - Returns: the mistake, at the file's first character.
  package func refusal(_ wanted: String, file: String) -> Mistake {
    let (noun, verb, words) =
      switch self {
      case .rig: ("a rig", "runs", ["aneroid", "run", file])
      case .warehouse: ("a rig that is a warehouse", "runs", ["aneroid", "run", file])
      case .hub: ("the file of a hub", "serves", ["aneroid", "hub", file])
      }
    return Mistake(
      file: file, position: Position(line: 1, column: 1),
      message: "this is \(noun), not \(wanted); '\(ShellCommand.text(words))' \(verb) it")
  }

  /// The words before a colon with which lines begin that are not indented.
  private static func lines(_ text: String) -> [String] {
    text.split { $0 == "\n" || $0 == "\r\n" }.compactMap { line in
      guard let first = line.first, !" \t#-".contains(first), let colon = line.firstIndex(of: ":")
      else { return nil }
      return String(line[..<colon]).trimmed.filter { $0 != "\"" && $0 != "'" }
    }.filter { !$0.isEmpty }
  }
}
