import Foundation

/// Swift source without its comments and the contents of its strings: what is left are names and marks.
struct SourceText {
  /// The code.
  let code: String

  /// Creates the code of a source.
  init(_ source: String) {
    var code = source.replacing(/"""(?s:.*?)"""/, with: "\"\"")
    code = code.replacing(/\/\/[^\n]*/, with: "")
    code = code.replacing(/"(?:\\.|[^"\\\n])*"/, with: "\"\"")
    self.code = code
  }

  /// The types that it declares at its top level and that other files can name.
  var declaredTypes: Set<String> {
    let pattern =
      /(?m)^(?<modifiers>(?:(?:public|package|final|indirect|fileprivate|private|@\w+(?:\([^)]*\))?)\s+)*)(?:struct|class|enum|protocol|typealias|actor)\s+(?<name>\w+)/
    return Set(
      code.matches(of: pattern).filter { !$0.output.modifiers.contains("private") }.map {
        String($0.output.name)
      })
  }

  /// The names that begin with a capital letter: types, wherever they are.
  var namedTypes: Set<String> {
    Set(code.matches(of: /\b[A-Z]\w+/.wordBoundaryKind(.simple)).map { String($0.output) })
  }

  /// Whether a source has a mark in its code or in its strings, and not in a comment alone.
  static func tells(_ mark: String, in source: String) -> Bool {
    source.split(separator: "\n").contains { line in
      !line.drop(while: \.isWhitespace).hasPrefix("//") && line.contains(mark)
    }
  }

  /// The lines of a source that name a chip in their code or in their strings, each with its number.
  ///
  /// A comment may name one as an example.
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

  /// The lines of a source that name a board in their code or in their strings: its types, its name, its word in rigs.
  static func names(ofBoard board: String, in source: String) -> [(line: Int, text: String)] {
    let word = "\"\(board.lowercased())\""
    return source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
      index, line in
      let text = line.drop(while: \.isWhitespace)
      guard !text.hasPrefix("//") else { return nil }
      let isNamed = line.ranges(of: board).contains { range in
        // 'Automatic' is no Automat.
        !(line[range.upperBound...].first?.isLowercase ?? false)
      }
      return isNamed || line.contains(word) ? (index + 1, String(text)) : nil
    }
  }

  /// The lines of a source that split a row of a table: at commas, and keep what is empty.
  static func splitsRows(_ source: String) -> [Substring] {
    source.split(separator: "\n").filter { line in
      line.contains("omittingEmptySubsequences: false")
        && (line.contains("\",\"") || line.contains("\",;"))
    }
  }

  /// The lines of a source that decide by the words of a message: a search for letters in a value with a name of words.
  ///
  /// A bare `text` is input that is parsed.
  static func searches(in source: String) -> [String] {
    let words =
      /(?:\.text|\b(?:message|messages|sentence|detail|description|title|summary))\b[^\n]*\.(?:contains|hasPrefix|hasSuffix|range\(of:)\s*\(?"[^"\\\n]*[A-Za-z]{2}/
    return source.split(separator: "\n").map(String.init).filter { line in
      !line.drop(while: \.isWhitespace).hasPrefix("//")
        && line.contains(words.wordBoundaryKind(.simple))
    }
  }
}
