import Schema

/// The reference of all keys of rig files, generated from the schema that checks them.
package enum RigReference {
  /// The reference as a documentation page.
  package static var page: String {
    var lines = [
      "# Rig files: every key",
      "",
      "All keys of a rig, generated from the schema that checks it.",
      "",
      "## Overview",
      "",
      "Durations, pressures and other quantities have a unit (`10s`, `1005hPa`); paths are relative",
      "to the rig file. *Required* keys must be given; the defaults of all others are stated.",
      "`aneroid rig reference` prints this page, `aneroid rig schema` the same as JSON Schema.",
      "",
    ]
    let reference = KeyReference(
      root: "A rig", example: { KeyExamples.example($0, $1).map(\.text) },
      file: RigExamples.example)
    lines += reference.lines(RigSchema.rig)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The name of the JSON Schema file, which editors read from the folder of a rig.
  package static let schemaFile = "rig.schema.json"

  /// The JSON Schema, for editors.
  package static var schema: String {
    JSONSchema.document(
      of: RigSchema.rig, heading: "A rig", identifier: "urn:aneroid:rig-schema",
      title: "Aneroid rig"
    ) { heading, key in
      KeyExamples.example(heading, key).map { String($0.text.dropFirst(key.count + 2)) }
    }
  }
}
