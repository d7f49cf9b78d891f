import Text

/// What a file is meant to be, so that nothing of another file is ever shown.
///
/// A rig may name any file, and its messages may end in a public log.
package struct DocumentKind {
  /// What the file is, for messages: "a calibration file".
  package let noun: String
  /// How many of the known keys stand in every such file, if only misspelt.
  package let leastKeys: Int
  /// Whether a rig names it, so that not even what is wrong with its YAML is told.
  package let isNamedByRig: Bool

  package static let rig = DocumentKind(noun: "a rig file", leastKeys: 1, isNamedByRig: false)
  package static let calibration = DocumentKind(
    noun: "a calibration file", leastKeys: 2, isNamedByRig: true)

  /// Whether a document is of this kind.
  func matches(_ node: YAMLNode, _ section: Section) -> Bool {
    guard let mapping = node.mapping else { return false }
    let known = section.fields.map(\.name)
    let keys = Set(mapping.map(\.key)).filter {
      known.contains($0) || !NearestWord.hint($0, among: known).isEmpty
    }
    return keys.count >= leastKeys
  }

  /// Whether a text that cannot be read as a document may be told of: it is meant to be one of this kind.
  package func matches(_ text: String, _ section: Section) -> Bool {
    !isNamedByRig || section.fields.count { text.contains("\($0.name):") } >= leastKeys
  }

  /// Whether a line of a text begins with one of the keys.
  func isNamed(in text: String, _ section: Section) -> Bool {
    text.split(separator: "\n").contains { line in
      section.fields.contains { line.hasPrefix("\($0.name):") }
    }
  }

  /// What is said of any other file.
  package func refusal(_ section: Section) -> String {
    let known = section.fields.map(\.name).joined(separator: ", ")
    return "this is not \(noun): the keys of one are \(known)"
  }
}
