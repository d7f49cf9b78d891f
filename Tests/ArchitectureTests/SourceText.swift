import Foundation

/// Swift source without its comments and the contents of its strings.
struct SourceText {
  /// The code.
  let code: String

  /// Removes the comments and the contents of strings from a source.
  init(_ source: String) {
    var code = source.replacing(/"""(?s:.*?)"""/, with: "\"\"")
    code = code.replacing(/\/\/[^\n]*/, with: "")
    code = code.replacing(/"(?:\\.|[^"\\\n])*"/, with: "\"\"")
    self.code = code
  }

  /// The top-level types that other files can use.
  var declaredTypes: Set<String> {
    let pattern =
      /(?m)^(?<modifiers>(?:(?:public|package|final|indirect|fileprivate|private|@\w+(?:\([^)]*\))?)\s+)*)(?:struct|class|enum|protocol|typealias|actor)\s+(?<name>\w+)/
    return Set(
      code.matches(of: pattern).filter { !$0.output.modifiers.contains("private") }.map {
        String($0.output.name)
      })
  }

  /// The names that begin with a capital letter, which are types.
  var namedTypes: Set<String> {
    Set(code.matches(of: /\b[A-Z]\w+/.wordBoundaryKind(.simple)).map { String($0.output) })
  }

  /// Returns `true` if a source contains `mark` outside of its comments.
  static func contains(_ mark: String, in source: String) -> Bool {
    source.split(separator: "\n").contains { line in
      !line.drop(while: \.isWhitespace).hasPrefix("//") && line.contains(mark)
    }
  }

  /// The lines of a source that name a chip in their code or strings, with their line numbers.
  ///
  /// Comments may name a chip as an example.
  static func names(of chips: Set<String>, in source: String) -> [(line: Int, text: String)] {
    source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
      index, line in
      let text = line.drop(while: \.isWhitespace)
      guard !text.hasPrefix("//") else { return nil }
      let code = line.firstRange(of: " // ").map { line[..<$0.lowerBound] } ?? line
      let capitals = code.uppercased()
      return chips.contains(where: capitals.contains) ? (index + 1, String(text)) : nil
    }
  }

  /// The lines of a source that name a board in their code or strings: its types, its name or its rig key.
  static func names(ofBoard board: String, in source: String) -> [(line: Int, text: String)] {
    let word = "\"\(board.lowercased())\""
    return source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
      index, line in
      let text = line.drop(while: \.isWhitespace)
      guard !text.hasPrefix("//") else { return nil }
      let isNamed = line.ranges(of: board).contains { range in
        // 'Automatic' does not name the Automat.
        !(line[range.upperBound...].first?.isLowercase ?? false)
      }
      return isNamed || line.contains(word) ? (index + 1, String(text)) : nil
    }
  }

  /// The lines of a source that split a row of a table at its commas and keep empty fields.
  static func splitsRows(_ source: String) -> [Substring] {
    source.split(separator: "\n").filter { line in
      line.contains("omittingEmptySubsequences: false")
        && (line.contains("\",\"") || line.contains("\",;"))
    }
  }

  /// The lines of a source that search the words of a message to decide something.
  ///
  /// A variable named `text` is parsed input, not a message.
  static func searches(in source: String) -> [String] {
    let words =
      /(?:\.text|\b(?:message|messages|sentence|detail|description|title|summary))\b[^\n]*\.(?:contains|hasPrefix|hasSuffix|range\(of:)\s*\(?"[^"\\\n]*[A-Za-z]{2}/
    return source.split(separator: "\n").map(String.init).filter { line in
      !line.drop(while: \.isWhitespace).hasPrefix("//")
        && line.contains(words.wordBoundaryKind(.simple))
    }
  }
}
