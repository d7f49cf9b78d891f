extension Sequence {
  /// Returns the elements sorted; the sort is stable.
  ///
  /// To keep the program small, it sorts indices, so one compiled sort is used for every element
  /// type. The standard library's sort would be compiled for each type and closure.
  package func inOrder(by isBefore: (Element, Element) -> Bool) -> [Element] {
    let elements = Array(self)
    return SortedIndices.inOrder(elements.count) { isBefore(elements[$0], elements[$1]) }
      .map { elements[$0] }
  }
}

extension Sequence where Element: Comparable {
  /// Returns the elements in ascending order.
  package func inOrder() -> [Element] { inOrder { $0 < $1 } }
}

/// A sort of the indices of a list.
enum SortedIndices {
  /// Returns the indices from 0 to `count - 1` in sorted order.
  @inline(never)
  static func inOrder(_ count: Int, by isBefore: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted(by: isBefore)
  }
}

extension Collection where Element == String {
  /// The words separated by commas.
  ///
  /// If there are more than 12 words, only the first 12 are listed, followed by the number of the
  /// remaining words.
  package var shortened: String {
    let most = 12
    let text = prefix(most).joined(separator: ", ")
    return count <= most ? text : "\(text) and \(count - most) more"
  }
}

/// Suggestions for misspelled words.
public enum NearestWord {
  /// Returns a hint for a column that is missing from the header of a table.
  ///
  /// The hint suggests a similar column of the table. If the table contains none of the wanted
  /// columns, the hint lists the wanted columns instead.
  package static func hint(
    _ column: String, of wanted: [String], inHeader header: [String]
  ) -> String {
    guard wanted.contains(where: header.contains) else {
      return ": the first line names none of \(wanted.joined(separator: ", "))"
    }
    return hint(column, among: header)
  }

  /// Returns the candidate that differs from a word by the fewest edits; `nil` if all candidates
  /// differ too much.
  package static func among(_ candidates: some Sequence<String>, to word: String) -> String? {
    guard word.count <= 64 else { return nil }
    let limit = max(1, min(3, word.count / 2))
    var best: (word: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(word.lowercased(), candidate.lowercased())
      if distance <= limit, distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    return best?.word
  }

  /// Returns a clause such as "; did you mean 'samples'?", or an empty text.
  ///
  /// If no candidate is similar, it suggests candidates that begin with the word (`expect` for
  /// `exp`), that are a prefix of the word (`expect` for `expectations`), or whose first part is
  /// similar to the word (`nack-data` for `nak`).
  public static func hint(_ word: String, among candidates: some Sequence<String>) -> String {
    if let near = self.among(candidates, to: word) { return "; did you mean '\(near)'?" }
    guard word.count >= 3 else { return "" }
    let lowercase = word.lowercased()
    let begun = [
      candidates.filter { $0.lowercased().hasPrefix(lowercase) },
      candidates.filter { $0.count >= 4 && lowercase.hasPrefix($0.lowercased()) },
      candidates.filter { candidate in
        let first = candidate.lowercased().prefix { $0 != "-" && $0 != "_" }
        return first.count < candidate.count && first.count >= 3
          && distance(String(first), lowercase) <= 1
      },
    ].first { (1...3).contains($0.count) }
    guard let begun else { return "" }
    return "; did you mean \(begun.map { "'\($0)'" }.joined(separator: " or "))?"
  }

  /// Returns the number of edits (insert, delete, replace, swap neighbours) between two words.
  package static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var rows = [Array(0...right.count)]
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        let replaced = rows[i][j] + (left[i] == right[j] ? 0 : 1)
        var fewest = min(replaced, rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          fewest = min(fewest, rows[i - 1][j - 1] + 1)
        }
        row.append(fewest)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
