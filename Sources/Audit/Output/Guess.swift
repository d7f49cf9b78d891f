/// Guesses how a program prints its values, from its output on a calm bench.
struct Guess {
  /// A number that may be a value: on which line, the how manieth.
  private struct Candidate {
    let line: Int
    let index: Int
    let unit: Quantity.Unit
    let strength: Int
    let text: String
  }

  /// The expressions that find the values.
  let patterns: [String]
  /// What is found.
  let quantities: [Quantity]

  /// Guesses.
  ///
  /// - Parameters:
  ///   - lines: what the program printed.
  ///   - truth: what a right program shows, in C, Pa and %.
  /// - Throws: ``OutputMistake`` when nothing, or too much, looks like a value.
  init(_ lines: [String], truth: [Quantity: Double]) throws(OutputMistake) {
    var shapes: [[NumberToken]] = []
    var seen: Set<String> = []
    for line in lines.prefix(400) {
      let tokens = NumberToken.tokens(in: line)
      guard !tokens.isEmpty, seen.insert(Self.shape(of: tokens)).inserted else { continue }
      shapes.append(tokens)
    }
    var chosen: [Candidate] = []
    for quantity in Quantity.allCases {
      if let found = try Self.choose(quantity, shapes, truth) { chosen.append(found) }
    }
    guard !chosen.isEmpty else {
      throw OutputMistake(
        message:
          "no number in its output looks like a temperature, a pressure or a humidity: say --match, --json or --csv"
      )
    }
    quantities = chosen.map(\.unit.quantity)
    // What has a label of its own is found alone: another value on its line may be missing elsewhere.
    let labelled = chosen.filter { Self.isLabelled(shapes[$0.line][$0.index]) }
    let bare = chosen.filter { candidate in !labelled.contains { $0.unit == candidate.unit } }
    patterns =
      labelled.map { Self.pattern(shapes[$0.line], [$0]) }
      + Set(bare.map(\.line)).sorted().map { line in
        Self.pattern(shapes[line], bare.filter { $0.line == line })
      }
  }

  private static func isLabelled(_ token: NumberToken) -> Bool {
    token.before.contains(where: \.isLetter)
  }

  private static func choose(
    _ quantity: Quantity, _ shapes: [[NumberToken]], _ truth: [Quantity: Double]
  ) throws(OutputMistake) -> Candidate? {
    var candidates: [Candidate] = []
    for (line, tokens) in shapes.enumerated() {
      for (index, token) in tokens.enumerated() {
        guard let (unit, strength) = token.meaning(truth), unit.quantity == quantity else {
          continue
        }
        candidates.append(
          Candidate(
            line: line, index: index, unit: unit, strength: strength,
            text: "\(token.before.suffix(20))\(token.text)\(token.behind.prefix(8))"))
      }
    }
    guard let strength = candidates.map(\.strength).max() else { return nil }
    let best = candidates.filter { $0.strength == strength }
    // The same in two units is one value: C before F.
    guard let unit = quantity.units.first(where: { unit in best.contains { $0.unit == unit } })
    else { return nil }
    let same = best.filter { $0.unit == unit }
    guard same.count == 1 else {
      let list = same.map { "'\($0.text.trimmed)'" }.joined(separator: " and ")
      throw OutputMistake(
        message: "which is the \(quantity.rawValue), \(list)? say --match, --json or --csv")
    }
    return same[0]
  }

  /// A line without its numbers.
  private static func shape(of tokens: [NumberToken]) -> String {
    tokens.map { "\($0.before)#" }.joined() + (tokens.last?.behind ?? "")
  }

  /// The expression of a line: what is chosen becomes named groups.
  private static func pattern(_ tokens: [NumberToken], _ chosen: [Candidate]) -> String {
    let first = chosen.map(\.index).min() ?? 0
    let last = chosen.map(\.index).max() ?? 0
    let label = tokens[first].before
    // A label of its own needs nothing before it; bare numbers are counted from the start of the line.
    let isLabelled = isLabelled(tokens[first])
    var text = isLabelled ? #"\b"# : #"^\s*"#
    for index in (isLabelled ? first : 0)...last {
      let before = index == first && isLabelled ? label.lastWord : String(tokens[index].before)
      text += index == 0 && !isLabelled ? escaped(before.trimmed) : escaped(before)
      if let candidate = chosen.first(where: { $0.index == index }) {
        let name = "\(candidate.unit.quantity.rawValue)_\(candidate.unit.suffix)"
        text += "(?<\(name)>\(NumberToken.pattern)|[Nn]a[Nn])"
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

extension StringProtocol {
  /// Without blanks at its ends.
  fileprivate var trimmed: String {
    var text = Substring(self)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  /// Its last word and what follows it.
  fileprivate var lastWord: String {
    guard let last = lastIndex(where: \.isLetter) else { return String(self) }
    let start = self[...last].lastIndex { !$0.isLetter && $0 != "_" }
    return String(self[(start.map(index(after:)) ?? startIndex)...])
  }
}
