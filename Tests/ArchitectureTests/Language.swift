/// Phrases that the project does not use, each with what to write instead.
enum Language {
  /// A phrase and its replacement.
  struct Ban {
    /// The phrase in lowercase; a space also matches a line break and a comment's prefix.
    let phrase: String
    /// What to write instead.
    let replacement: String
  }

  /// The banned phrases.
  static let bans = [
    Ban(phrase: "unless given", replacement: "'Default: VALUE'"),
    Ban(phrase: "is told", replacement: "is reported, logged, printed or emitted"),
    Ban(phrase: "are told", replacement: "are reported, logged, printed or emitted"),
    Ban(phrase: "was told", replacement: "was reported, logged, printed or emitted"),
    Ban(phrase: "were told", replacement: "were reported, logged, printed or emitted"),
    Ban(phrase: "nobody", replacement: "no device, no caller, no client"),
    Ban(phrase: "somebody", replacement: "the device, the caller, the client"),
    Ban(phrase: "anybody", replacement: "any device, any caller, any client"),
    Ban(phrase: "how manieth", replacement: "the index of"),
    Ban(phrase: "anew", replacement: "again"),
    Ban(phrase: "goes on", replacement: "continues"),
    Ban(phrase: "beside", replacement: "next to, along with"),
    Ban(phrase: "stands", replacement: "is, appears, is listed, is stored"),
  ]

  /// The files of the repository in which these phrases are banned.
  static let extensions: Set<String> = [
    "swift", "md", "py", "yaml", "c", "h", "S", "js", "html", "json",
  ]

  /// The banned phrases of a text, each as "path:line: 'phrase': write ...".
  ///
  /// The name of a field, an option, a key or an event is allowed: the whole content of quotes or backticks, a word before a
  /// colon, the value of the rig key `that`, and the first word of
  /// a third-level heading.
  static func findings(in text: String, path: String) -> [String] {
    let words = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .flatMap { Self.words(in: $1, number: $0 + 1) }
    return bans.flatMap { ban in
      let phrase = ban.phrase.split(separator: " ")
      return words.indices.compactMap { index -> String? in
        guard index + phrase.count <= words.count,
          zip(phrase, words[index...]).allSatisfy({ $0 == $1.text })
        else { return nil }
        let (first, last) = (words[index], words[index + phrase.count - 1])
        let quotes = [first.before, last.after]
        guard quotes != ["\"", "\""], quotes != ["`", "`"], last.after != ":", !first.isEvent
        else { return nil }
        return "\(path):\(first.line): '\(ban.phrase)': write \(ban.replacement)"
      }
    }
  }

  /// A word in lowercase with its line and the characters around it.
  private struct Word {
    let text: String
    let line: Int
    let before: Character?
    let after: Character?
    let isEvent: Bool
  }

  private static func words(in line: Substring, number: Int) -> [Word] {
    var words: [Word] = []
    var end = line.startIndex
    while let start = line[end...].firstIndex(where: isPartOfWord) {
      end = line[start...].firstIndex { !isPartOfWord($0) } ?? line.endIndex
      let after = end < line.endIndex ? line[end] : nil
      words.append(
        Word(
          text: line[start..<end].lowercased(), line: number, before: line[..<start].last,
          after: after, isEvent: line[..<start].hasSuffix("that: ") || line[..<start] == "### "))
    }
    return words
  }

  private static func isPartOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
