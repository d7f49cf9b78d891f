import Rigs
import Schema
import Text

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
    describe("A rig", RigSchema.rig, in: &lines)
    lines.removeLast()
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

  /// Writes a section, and after it the sections that its values are made of.
  private static func describe(_ title: String, _ section: Section, in lines: inout [String]) {
    lines += ["## \(title)", "", section.summary]
    if section.isChoice { lines[lines.count - 1] += " Exactly one of these is given." }
    let rows = section.fields.map { field in
      let mark = field.isRequired ? "*required*: " : ""
      let noun = field.describedAt.map { "keys as in \($0)" } ?? noun(field.shape)
      let example = KeyExamples.example(title, field.name).map { "`\($0.text)`" } ?? ""
      return ["`\(field.name)`", noun, mark + field.summary, example]
    }
    lines += [""] + MarkdownTable(["key", "value", "meaning", "example"], rows).lines + [""]
    if let example = RigExamples.example(title, section) {
      lines += ["```yaml", example, "```", ""]
    }
    for field in section.fields where field.describedAt == nil {
      let inner = title == "A rig" ? field.name : "\(title): \(field.name)"
      describe(inner, field.shape, in: &lines)
    }
  }

  private static func describe(_ title: String, _ shape: Shape, in lines: inout [String]) {
    switch shape {
    case .section(let section): describe(title, section, in: &lines)
    case .list(let element), .listOrNone(let element): describe(title, element, in: &lines)
    case .either(let shapes): for shape in shapes { describe(title, shape, in: &lines) }
    case .variants(let discriminator, let sections):
      for words in Section.alike(sections) {
        guard let section = sections[words[0]] else { continue }
        describe(
          "\(title), \(discriminator): \(words.joined(separator: ", "))",
          section.variant(words, of: discriminator), in: &lines)
      }
    default: break
    }
  }

  /// What a value is, short enough for a table.
  private static func noun(_ shape: Shape) -> String {
    switch shape {
    case .list(let element): "a list of \(plural(element))"
    case .listOrNone(let element): "a list of \(plural(element)), or `[]`"
    case .variants(let discriminator, _): "keys that depend on `\(discriminator)`"
    case .section: "keys"
    case .either(let shapes): shapes.map(noun).joined(separator: " or ")
    case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    default: shape.noun
    }
  }

  private static func plural(_ shape: Shape) -> String {
    switch shape {
    case .text: "texts"
    case .address: "addresses"
    case .word(let words): "words (\(words.joined(separator: ", ")))"
    default: "groups of keys"
    }
  }
}
