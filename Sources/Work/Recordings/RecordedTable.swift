package import Files

/// The table that a recording is exported as, sealed so that every change shows.
package enum RecordedTable {
  /// How the last line begins.
  private static let seal = "# rows="

  /// The table: a header, the rows, and a last line with their number and the SHA-256 of all before it.
  package static func text(_ lines: [String], damaged: Int) -> String {
    let body = ([RecordedRows.header] + lines).map { "\($0)\n" }.joined()
    let missing = damaged == 0 ? "" : " damaged=\(damaged)"
    let sealed = body + (damaged == 0 ? "" : "\(seal)\(lines.count)\(missing)")
    return body + "\(seal)\(lines.count)\(missing) sha256=\(SHA256.digits(sealed))\n"
  }

  /// Where the last line that seals a table begins, with the end of the line before it.
  private static func lastSeal(in text: String) -> Range<String.Index>? {
    let mark = Array("\n\(seal)".utf8)
    var end = text.utf8.endIndex
    while let start = text.utf8[..<end].lastIndex(of: 10) {
      let rest = text.utf8[start...]
      if rest.starts(with: mark) { return start..<rest.index(start, offsetBy: mark.count) }
      end = start
    }
    return nil
  }

  /// Says whether a table is as it was exported.
  package static func verify(_ path: String) throws(Failure) -> (
    sentence: String, isWhole: Bool
  ) {
    let text = try TextFile.read(path)
    guard text.hasPrefix(RecordedRows.header) else {
      throw Failure(.badContent, "\(path): this is no exported recording")
    }
    guard let range = lastSeal(in: text), text.hasSuffix("\n") else {
      return ("\(path): cut off: the last line with the number of rows is missing", false)
    }
    let body = String(text[...range.lowerBound])
    var words = text[range.upperBound...].dropLast().split(separator: " ")
    var sealed = body
    var note = ""
    if words.count == 3, words[1].hasPrefix("damaged="), let count = Int(words[1].dropFirst(8)) {
      sealed += "\(seal)\(words[0]) \(words[1])"
      note = "; \(RecordedRows.count(count)) more were damaged in the recording and are missing"
      words.remove(at: 1)
    }
    let rows = body.split(separator: "\n").count - 1
    guard words.count == 2, let count = Int(words[0]), words[1].hasPrefix("sha256=") else {
      return ("\(path): changed: its last line is damaged", false)
    }
    guard count == rows else {
      return ("\(path): cut or added to: \(rows) rows, \(count) were exported", false)
    }
    guard words[1].dropFirst(7) == SHA256.digits(sealed) else {
      return ("\(path): changed: the SHA-256 is another", false)
    }
    return ("\(path): ok, \(RecordedRows.count(rows))\(note)", true)
  }
}
