import Support

/// Reads YAML files into checked values.
package enum Document {
  /// The largest file size, in bytes: 1 MiB.
  package static let longest = 1 << 20

  /// Checks the text of a file against the keys and shapes of a section.
  ///
  /// The returned checker holds the errors; values with errors are marked invalid.
  ///
  /// - Throws: `DocumentError` if the text is not valid YAML or not of the expected kind.
  package static func read(
    _ text: String, file: String, as section: Section, named name: String,
    kind: DocumentKind? = nil
  ) throws(DocumentError) -> (value: CheckedValue, checker: Checker) {
    let parsed: DocumentText
    do throws(DocumentError) {
      parsed = try DocumentText(text, file: file)
    } catch {
      let isOther = !file.hasSuffix(".yaml") && !file.hasSuffix(".yml") && file.contains(".")
      if let kind, !text.isEmpty,
        !kind.matches(text, section) || isOther && !kind.isNamed(in: text, section)
      {
        throw kind.wrongKindError(section, file: file)
      }
      throw error
    }
    return try read(parsed, file: file, as: section, named: name, kind: kind)
  }

  /// Checks a parsed document against the keys and shapes of a section.
  ///
  /// The returned checker holds the errors; values with errors are marked invalid.
  ///
  /// - Throws: `DocumentError` if the document is not of the expected kind.
  package static func read(
    _ parsed: DocumentText, file: String, as section: Section, named name: String,
    kind: DocumentKind? = nil
  ) throws(DocumentError) -> (value: CheckedValue, checker: Checker) {
    if let kind, !kind.matches(parsed.node, section) {
      throw kind.wrongKindError(section, file: file)
    }
    var checker = Checker(file: file)
    return (checker.check(parsed.node, .section(section), named: name), checker)
  }

  /// Returns the top-level keys of a text, in order; `nil` if the text is not valid YAML or not a
  /// mapping.
  package static func keys(of text: String) -> [String]? {
    do throws(DocumentError) {
      return try compose(text, file: "").mapping?.map(\.key)
    } catch {
      return nil
    }
  }

  static func compose(_ text: String, file: String) throws(DocumentError) -> YAMLNode {
    do throws(YAMLError) {
      guard text.utf8.count <= longest else {
        throw YAMLError("the file is longer than \(longest) bytes")
      }
      // Some editors write a byte order mark, which is not part of the first key.
      let bare = text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
      return try YAMLComposer.compose(bare)
    } catch {
      throw DocumentError(file: file, position: error.position, message: error.message)
    }
  }
}

/// The expected kind of a file, which is checked so that the contents of a wrong file never appear
/// in a message.
///
/// A rig may reference any file, and messages about the rig may end up in a public log.
package struct DocumentKind {
  /// The noun for messages: "a calibration file".
  package let noun: String
  /// The smallest number of known keys that make a file one of this kind; misspelled keys count
  /// too.
  package let leastKeys: Int
  /// `true` if rigs reference files of this kind; then the errors in a file of another kind are not
  /// reported, not even its YAML errors.
  package let isNamedByRig: Bool

  package static let rig = DocumentKind(noun: "a rig file", leastKeys: 1, isNamedByRig: false)
  package static let calibration = DocumentKind(
    noun: "a calibration file", leastKeys: 2, isNamedByRig: true)
  package static let part = DocumentKind(noun: "a part file", leastKeys: 2, isNamedByRig: true)
  package static let campaign = DocumentKind(
    noun: "a campaign file", leastKeys: 2, isNamedByRig: false)

  /// Returns whether a document is of this kind.
  func matches(_ node: YAMLNode, _ section: Section) -> Bool {
    guard let mapping = node.mapping else { return false }
    let known = section.fields.map(\.name)
    let keys = Set(mapping.map(\.key)).filter {
      known.contains($0) || !NearestWord.hint($0, among: known).isEmpty
    }
    return keys.count >= leastKeys
  }

  /// Returns whether the errors in a text that cannot be parsed may be reported, because the text
  /// is clearly of this kind.
  package func matches(_ text: String, _ section: Section) -> Bool {
    !isNamedByRig || section.fields.count { text.contains("\($0.name):") } >= leastKeys
  }

  /// Returns whether a line of a text begins with one of the keys of the section.
  func isNamed(in text: String, _ section: Section) -> Bool {
    text.split(separator: "\n").contains { line in
      section.fields.contains { line.hasPrefix("\($0.name):") }
    }
  }

  /// Returns the error for a file of another kind, at its first character.
  func wrongKindError(_ section: Section, file: String) -> DocumentError {
    DocumentError(
      file: file, position: Position(line: 1, column: 1), message: wrongKindMessage(section))
  }

  /// Returns the error message for a file of another kind.
  package func wrongKindMessage(_ section: Section) -> String {
    let known = section.fields.map(\.name).joined(separator: ", ")
    return "this is not \(noun): the keys of one are \(known)"
  }
}

/// The kind of a YAML file, detected from its top-level keys.
///
/// A file that is passed to the wrong command then causes one error instead of one for each key.
package enum DocumentFamily: String, Sendable {
  /// A rig: parts on a bus.
  case rig
  /// A warehouse rig, which the hub program runs.
  case warehouse
  /// A hub file.
  case hub
  /// A campaign: many runs of a rig or an audit.
  case campaign

  private static let ofRigs: Set = ["buses", "fleet", "pipeline", "environment", "firmware"]
  private static let ofHubs: Set = ["hub", "zones", "tags", "duty"]
  private static let ofCampaigns: Set = ["rig", "audit", "vary", "measure", "runs"]

  /// Detects the kind of a text; `nil` if its keys are ambiguous.
  ///
  /// In a text that is not valid YAML, the lines that begin with a key are used.
  package init?(of text: String) {
    let keys = Set(Document.keys(of: text) ?? Self.lines(text))
    if keys.contains("warehouse") {
      self = .warehouse
    } else if keys.isDisjoint(with: Self.ofRigs), keys.intersection(Self.ofCampaigns).count >= 2 {
      self = .campaign
    } else if keys.isDisjoint(with: Self.ofRigs), keys.intersection(Self.ofHubs).count >= 2 {
      self = .hub
    } else if keys.isDisjoint(with: Self.ofHubs), !keys.isDisjoint(with: Self.ofRigs) {
      self = .rig
    } else {
      return nil
    }
  }

  /// Creates the error for a file of this kind if a different kind was expected; the message gives
  /// the kind of the file and the command for it.
  ///
  /// - Parameters:
  ///   - wanted: the expected kind, "a rig".
  ///   - file: the path of the file.
  /// - Returns: the error, at the first character of the file.
  package func wrongKindError(expected wanted: String, file: String) -> DocumentError {
    let (noun, verb, words) =
      switch self {
      case .rig: ("a rig", "runs", ["aneroid", "run", file])
      case .warehouse: ("a warehouse rig", "runs", ["aneroid", "run", file])
      case .hub: ("a hub file", "serves", ["aneroid", "hub", file])
      case .campaign: ("a campaign", "runs", ["aneroid", "campaign", "run", file])
      }
    return DocumentError(
      file: file, position: Position(line: 1, column: 1),
      message: "this is \(noun), not \(wanted); '\(ShellCommand.text(words))' \(verb) it")
  }

  /// Returns the words before the colon in lines that are not indented.
  private static func lines(_ text: String) -> [String] {
    text.split { $0 == "\n" || $0 == "\r\n" }.compactMap { line in
      guard let first = line.first, !" \t#-".contains(first), let colon = line.firstIndex(of: ":")
      else { return nil }
      return String(line[..<colon]).trimmed.filter { $0 != "\"" && $0 != "'" }
    }.filter { !$0.isEmpty }
  }
}
