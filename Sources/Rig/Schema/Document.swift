import Files

/// Reads YAML files into checked values.
package enum Document {
  /// The longest file that is read, in bytes.
  package static let longest = 1 << 20

  /// Checks the text of a file against a section.
  ///
  /// The value holds what is right of it; the checker holds the mistakes.
  ///
  /// - Throws: `Mistake` when the text is no YAML at all, or not what it is meant to be; then nothing of it is told.
  package static func read(
    _ text: String, file: String, as section: Section, named name: String,
    kind: DocumentKind? = nil
  ) throws(Mistake) -> (value: CheckedValue, checker: Checker) {
    func foreign(_ kind: DocumentKind) -> Mistake {
      Mistake(
        file: file, position: Position(line: 1, column: 1), message: kind.refusal(section))
    }
    let node: YAMLNode
    do throws(Mistake) {
      node = try compose(text, file: file)
    } catch {
      let isOther = !file.hasSuffix(".yaml") && !file.hasSuffix(".yml") && file.contains(".")
      if let kind, !text.isEmpty,
        !kind.matches(text, section) || isOther && !kind.isNamed(in: text, section)
      {
        throw foreign(kind)
      }
      throw error
    }
    if let kind, !kind.matches(node, section) { throw foreign(kind) }
    var checker = Checker(file: file)
    return (checker.check(node, .section(section), named: name), checker)
  }

  /// The keys of a text's top level, in their order; `nil` where it is no YAML, or no mapping.
  package static func keys(of text: String) -> [String]? {
    do throws(Mistake) {
      return try compose(text, file: "").mapping?.map(\.key)
    } catch {
      return nil
    }
  }

  private static func compose(_ text: String, file: String) throws(Mistake) -> YAMLNode {
    do throws(YAMLError) {
      guard text.utf8.count <= longest else {
        throw YAMLError("the file is longer than \(longest) bytes")
      }
      // A byte order mark, as some editors write it, is no part of the first key.
      let bare = text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
      return try YAMLComposer.compose(bare)
    } catch {
      throw Mistake(file: file, position: error.position, message: error.message)
    }
  }
}
