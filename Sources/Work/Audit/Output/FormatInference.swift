import Support

/// Infers the output format of a program from its output on the calm bench (constant air, no
/// faults).
package struct FormatInference {
  /// A number that may be a value, with the indices of its line and of the number in the line.
  private struct Candidate {
    let line: Int
    let index: Int
    let unit: SpelledUnit
    let strength: Int
    /// `true` if the output names the number's unit, or if the number is near the correct value,
    /// which is known for the calm bench (constant air, no faults).
    let isNear: Bool
    let text: String
  }

  /// The regular expressions of the values.
  package let patterns: [String]
  /// The quantities found.
  let quantities: [Measurand]

  /// Infers the format.
  ///
  /// - Parameters:
  ///   - lines: the program's output.
  ///   - truth: the correct values.
  ///   - known: what the values can be. Default: the quantities of the air.
  /// - Throws: `OutputError` if no number, or several for one quantity, could be a value.
  package init(
    _ lines: [String], truth: [Measurand: Double], known: [Measurand] = Measurand.air
  ) throws(OutputError) {
    let shapes = Self.shapes(of: lines, known)
    var chosen: [Candidate] = []
    for quantity in known {
      if let found = try Self.choose(quantity, shapes, truth) { chosen.append(found) }
    }
    guard !chosen.isEmpty else {
      throw OutputError(
        message:
          "no number in the output is recognized as \(known.phrase)\(Self.quote(lines)); use --match, --json or --csv"
      )
    }
    quantities = chosen.map(\.unit.measurand)
    for candidate in chosen {
      try Self.checkCommas(of: shapes[candidate.line], at: candidate.index)
    }
    patterns = try Self.patterns(of: chosen, shapes, known)
  }

  /// Returns the expressions of the chosen values.
  private static func patterns(
    of chosen: [Candidate], _ shapes: [[NumberToken]], _ known: [Measurand]
  ) throws(OutputError) -> [String] {
    // A labelled value gets its own expression, because another value in its line may be missing
    // from other lines.
    let labelled = chosen.filter { shapes[$0.line][$0.index].isLabelled }
    let bare = chosen.filter { candidate in !labelled.contains { $0.unit == candidate.unit } }
    var patterns: [String] = []
    do throws(OutputError) {
      for candidate in labelled {
        let own = try ownPattern(candidate, among: chosen, shapes, known)
        let behind = shapes[candidate.line][candidate.index].behind
        patterns += variants(of: own, candidate, behind: behind)
      }
    } catch {
      // In `18.6C 1009.4hPa 43%`, what precedes a number is the unit of another.
      guard let line = chosen.first?.line, chosen.allSatisfy({ $0.line == line }),
        chosen.contains(where: { $0.index == 0 }), !shapes[line][0].isLabelled,
        let whole = try? wholePattern(of: line, chosen, shapes, known)
      else { throw error }
      return [whole]
    }
    for line in Set(bare.map(\.line)).inOrder() {
      patterns.append(
        try wholePattern(of: line, bare.filter { $0.line == line }, shapes, known))
    }
    return patterns
  }

  /// Returns an expression that finds values by their positions in a line.
  private static func wholePattern(
    of line: Int, _ chosen: [Candidate], _ shapes: [[NumberToken]], _ known: [Measurand]
  ) throws(OutputError) -> String {
    let pattern = pattern(shapes[line], chosen, words: 1)
    // An expression must match the line from which it was created.
    guard let source = try? PatternSource([pattern], of: known),
      source.values(in: text(of: shapes[line])).count == chosen.count
    else {
      throw OutputError(
        message: "no expression finds the values in '\(text(of: shapes[line]).clipped)'; "
          + "use --match, --json or --csv")
    }
    return pattern
  }

  /// Quotes the last line of the output, which may be the program's own error message.
  private static func quote(_ lines: [String]) -> String {
    let last = lines.last { $0.contains { !$0.isWhitespace } }
    return last.map { "; its last line is '\($0.trimmed.prefix(100))'" } ?? ""
  }

  /// Throws an error if a comma may have split one number in two.
  private static func checkCommas(
    of tokens: [NumberToken], at index: Int
  ) throws(OutputError) {
    for cut in [index, index + 1] where cut > 0 && cut < tokens.count && tokens[cut].before == "," {
      // In a table, commas separate all numbers.
      let isTable =
        tokens.count > 2 && tokens.dropFirst().allSatisfy { $0.before == "," }
        && !tokens[0].before.contains(where: \.isLetter)
      let (left, right) = (tokens[cut - 1].text, tokens[cut].text)
      let isThousands = right.prefix { $0 != "." }.count == 3
      guard !isTable, !left.contains("."), isThousands || !right.contains(".") else { continue }
      let number = "\(tokens[cut - 1].text),\(tokens[cut].text)"
      throw OutputError(
        message:
          "'\(number)' is ambiguous: one number with a comma, or two; use --match, whose groups may "
          + "contain commas, --json or --csv")
    }
  }

  /// Returns the last line of each shape (the text without its numbers), because the first reading
  /// often differs.
  ///
  /// Lines with very many numbers are ignored.
  private static func shapes(of lines: [String], _ known: [Measurand]) -> [[NumberToken]] {
    var shapes: [[NumberToken]] = []
    var places: [String: Int] = [:]
    var left = 4000
    var header: TableHeader?
    for line in lines.prefix(400) where left > 0 {
      let text = String(line.prefix(1000))
      var tokens = NumberToken.tokens(in: text, known: known)
      left -= tokens.count
      guard !tokens.isEmpty else {
        header = TableHeader(text) ?? header
        continue
      }
      header?.name(&tokens, in: text)
      let shape = shape(of: tokens)
      if let place = places[shape] {
        shapes[place] = tokens
      } else {
        places[shape] = shapes.count
        shapes.append(tokens)
      }
    }
    return shapes
  }

  /// Returns an expression that matches only this value, with as many words of the label as are
  /// necessary.
  private static func ownPattern(
    _ candidate: Candidate, among chosen: [Candidate], _ shapes: [[NumberToken]],
    _ known: [Measurand]
  ) throws(OutputError) -> String {
    let words = shapes[candidate.line][candidate.index].before.split { !$0.isLetter && $0 != "_" }
    // That of an input should also not match lines without a value, such as "Load Voltage" for "Shunt Voltage".
    let isInput = candidate.unit.measurand.input != nil
    for lines in [Set(isInput ? Array(shapes.indices) : []), Set(chosen.map(\.line))]
    where !lines.isEmpty {
      for count in 1...max(words.count, 1) {
        let pattern = pattern(shapes[candidate.line], [candidate], words: count)
        guard let source = try? PatternSource([pattern], of: known) else { continue }
        let isOwn = lines.allSatisfy { line in
          let found = source.values(in: text(of: shapes[line]))
          return line == candidate.line
            ? found.map(\.text) == [
              ShownValue(shapes[line][candidate.index].text, candidate.unit).text
            ]
            : found.isEmpty
        }
        if isOwn { return pattern }
      }
    }
    let seen = chosen.map { "\($0.unit.measurand.name) '\($0.text.trimmed)'" }
    throw OutputError(
      message: "the values have no unique labels (\(seen.joined(separator: ", "))); "
        + "use --match, --json or --csv")
  }

  /// The text of a line up to its last number and the characters after it.
  private static func text(of tokens: [NumberToken]) -> String {
    tokens.map { "\($0.before)\($0.text)" }.joined() + (tokens.last?.behind ?? "")
  }

  /// Returns an expression for each unit of an input whose unit follows the number.
  ///
  /// Programs that choose the prefix by the size of a value print `160 mA`, and then `1.2 A`.
  private static func variants(
    of pattern: String, _ candidate: Candidate, behind: Substring
  ) -> [String] {
    let text = behind.drop(while: \.isWhitespace).lowercased()
    guard candidate.unit.measurand.input != nil,
      candidate.unit.spellings.contains(where: text.hasPrefix)
    else { return [pattern] }
    func group(_ unit: SpelledUnit) -> String {
      "?<\(unit.measurand.fieldName)_\(unit.suffix)>"
    }
    return candidate.unit.measurand.spelledUnits.filter { !$0.spellings.isEmpty }.map { unit in
      let spellings = unit.spellings.map(escaped).joined(separator: "|")
      return pattern.replacing(group(candidate.unit), with: group(unit))
        + "\\s*(?i:\(spellings))(?![A-Za-z])"
    }
  }

  private static func choose(
    _ quantity: Measurand, _ shapes: [[NumberToken]], _ truth: [Measurand: Double]
  ) throws(OutputError) -> Candidate? {
    var candidates: [Candidate] = []
    for (line, tokens) in shapes.enumerated() {
      for (index, token) in tokens.enumerated() {
        guard let meaning = token.meaning(truth), meaning.unit.measurand == quantity else {
          continue
        }
        candidates.append(
          Candidate(
            line: line, index: index, unit: meaning.unit, strength: meaning.strength,
            isNear: meaning.isNear,
            text: "\(token.before.suffix(20))\(token.text)\(token.behind.prefix(8))"))
      }
    }
    guard let strength = candidates.map(\.strength).max() else { return nil }
    let best = candidates.filter { $0.strength == strength }
    // The same value in two units counts once: °C before °F.
    guard
      let unit = quantity.spelledUnits.first(where: { unit in best.contains { $0.unit == unit } })
    else { return nil }
    let same = once(best.filter { $0.unit == unit }, shapes)
    if same.count == 1, !same[0].isNear {
      throw OutputError(
        message:
          "'\(same[0].text.trimmed)' has no unit, and in no unit is it near the \(quantity.name) of the "
          + "scenario 'calm'; use --match, --json or --csv")
    }
    guard same.count == 1 else {
      let list = same.map { "'\($0.text.trimmed)'" }.joined(separator: " and ")
      throw OutputError(
        message: "ambiguous \(quantity.name): \(list); use --match, --json or --csv")
    }
    return same[0]
  }

  /// Returns the candidates, those of one label in lines with different ends only once: the first that is near the correct
  /// value.
  private static func once(
    _ candidates: [Candidate], _ shapes: [[NumberToken]]
  ) -> [Candidate] {
    func label(_ candidate: Candidate) -> Substring {
      shapes[candidate.line][candidate.index].before
    }
    guard let first = candidates.first, Set(candidates.map(\.line)).count == candidates.count,
      label(first).contains(where: \.isLetter),
      candidates.allSatisfy({ $0.index == first.index && label($0) == label(first) })
    else { return candidates }
    return [candidates.first(where: \.isNear) ?? first]
  }

  /// The line without its numbers.
  private static func shape(of tokens: [NumberToken]) -> String {
    tokens.map { "\($0.before)#" }.joined() + (tokens.last?.behind ?? "")
  }

  /// Returns the expression of a line, with the chosen numbers as named groups.
  private static func pattern(
    _ tokens: [NumberToken], _ chosen: [Candidate], words: Int
  ) -> String {
    let first = chosen.map(\.index).min() ?? 0
    let last = chosen.map(\.index).max() ?? 0
    let label = tokens[first].before
    // A labelled number needs no context; bare numbers are counted from the start of the line.
    let isLabelled = tokens[first].isLabelled
    var text = isLabelled ? #"\b"# : #"^\s*"#
    for index in (isLabelled ? first : 0)...last {
      let before =
        index == first && isLabelled ? label.last(words: words) : String(tokens[index].before)
      text +=
        index == 0 && !isLabelled
        ? escaped(String(before.drop(while: \.isWhitespace))) : escaped(before)
      if let candidate = chosen.first(where: { $0.index == index }) {
        let name = "\(candidate.unit.measurand.fieldName)_\(candidate.unit.suffix)"
        text += "(?<\(name)>\(NumberToken.pattern)|[-+]?[Nn]a[Nn])"
      } else {
        text += NumberToken.pattern
      }
    }
    return text
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    var isBlank = false
    for character in text {
      if character.isWhitespace {
        if !isBlank { result += #"\s+"# }
        isBlank = true
        continue
      }
      isBlank = false
      result += #"\^$.|?*+()[]{}/"#.contains(character) ? "\\\(character)" : "\(character)"
    }
    return result
  }
}

/// The names of the columns of a table: `time;temperature_c;pressure_pa`.
private struct TableHeader {
  private let separator: Character
  private let names: [String]

  /// Creates a header from a line without numbers; returns `nil` if it has only one field.
  init?(_ line: String) {
    guard let separator = line.first(where: { ";,\t|".contains($0) }) else { return nil }
    self.separator = separator
    names = line.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }

  /// Names the columns of the numbers of a line that has as many fields.
  func name(_ tokens: inout [NumberToken], in line: String) {
    let fields = line.split(separator: separator, omittingEmptySubsequences: false)
    guard fields.count == names.count else { return }
    for index in tokens.indices {
      let field = fields.firstIndex { tokens[index].text.startIndex < $0.endIndex }
      tokens[index].column = field.map { names[$0] } ?? ""
    }
  }
}

extension StringProtocol {
  /// The text without leading and trailing whitespace.
  fileprivate var trimmed: String {
    var text = Substring(self)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  /// The last words and the characters after them.
  fileprivate func last(words: Int) -> String {
    var start = endIndex
    for _ in 0..<words {
      guard let last = self[..<start].lastIndex(where: \.isLetter) else { break }
      let gap = self[...last].lastIndex { !$0.isLetter && $0 != "_" }
      start = gap.map(index(after:)) ?? startIndex
    }
    return start == endIndex ? String(self) : String(self[start...])
  }
}
