import Support

/// The reference for the keys of a kind of file, generated from the schema that checks such files.
package struct KeyReference {
  /// The heading of the outermost group of keys.
  private let root: String
  /// Returns an example of a key with its value, on one line; the key is given by the heading of
  /// its group and its name.
  private let example: (_ heading: String, _ key: String) -> String?
  /// Returns an example of a group, in YAML.
  private let file: (_ heading: String, _ section: Section) -> String?

  package init(
    root: String, example: @escaping (_ heading: String, _ key: String) -> String?,
    file: @escaping (_ heading: String, _ section: Section) -> String?
  ) {
    (self.root, self.example, self.file) = (root, example, file)
  }

  /// Returns the lines of a Markdown page with a section for each group of keys.
  package func lines(_ section: Section) -> [String] {
    var lines: [String] = []
    describe(root, section, in: &lines)
    lines.removeLast()
    return lines
  }

  /// Writes the description of a section, followed by those of the sections nested in its values.
  private func describe(_ title: String, _ section: Section, in lines: inout [String]) {
    lines += ["## \(title)", "", section.summary]
    if section.isChoice { lines[lines.count - 1] += " Exactly one of these must be given." }
    let rows = section.fields.map { field in
      let mark = field.isRequired ? "*required*: " : ""
      let noun = field.describedAt.map { "keys as in \($0)" } ?? Self.noun(field.shape)
      let given = self.example(title, field.name) ?? field.example.map { "\(field.name): \($0)" }
      let example = given.map { "`\($0)`" } ?? ""
      return ["`\(field.name)`", noun, mark + field.summary, example]
    }
    lines += [""] + MarkdownTable(["key", "value", "meaning", "example"], rows).lines + [""]
    if let example = file(title, section) {
      lines += ["```yaml", example, "```", ""]
    }
    for field in section.fields where field.describedAt == nil {
      let inner = title == root ? field.name : "\(title): \(field.name)"
      describe(inner, field.shape, in: &lines)
    }
  }

  private func describe(_ title: String, _ shape: Shape, in lines: inout [String]) {
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

  /// Returns a noun for a shape that is short enough for a table.
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
    case .either(let shapes): "values, each \(shapes.map(noun).joined(separator: " or "))"
    case .section, .variants, .list, .listOrNone: "groups of keys"
    default: "values, each \(shape.noun)"
    }
  }
}
