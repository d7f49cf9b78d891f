import Rigs
import Schema

/// The reference of all keys of rig files, generated from the description that checks them.
package enum RigReference {
  /// The reference as a documentation page.
  package static var page: String {
    var lines = [
      "# Rig files: every key",
      "",
      "All that a rig may say, generated from the description that checks it.",
      "",
      "## Overview",
      "",
      "Durations, pressures and other quantities carry their unit (`10s`, `1005hPa`); paths are",
      "relative to the rig file. What is *required* must be given; of all else the text says what",
      "holds without it. `aneroid rig reference` prints this page, `aneroid rig schema` the same as",
      "JSON Schema.",
      "",
    ]
    let reference = KeyReference(
      root: "A rig", example: { KeyExamples.example($0, $1).map(\.text) },
      file: RigExamples.example)
    lines += reference.lines(RigSchema.rig)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The file in which editors find the schema next to a rig.
  package static let schemaFile = "rig.schema.json"

  /// The same as JSON Schema, for editors.
  package static var schema: String {
    JSONSchema.document(
      of: RigSchema.rig, heading: "A rig", identifier: "urn:aneroid:rig-schema",
      title: "Aneroid rig"
    ) { heading, key in
      KeyExamples.example(heading, key).map { String($0.text.dropFirst(key.count + 2)) }
    }
  }
}
