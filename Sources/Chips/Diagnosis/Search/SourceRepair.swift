import BME280Model
import Quantities
package import Support

/// A search for the lines of a program's source that hold named defects.
///
/// Edits of single tokens are tried, first those that are usual for a defect. An edit counts only if
/// the edited program, run on the replayed trace, displays the values that a program without this
/// defect, but with the remaining ones, must display.
package struct SourceRepair {
  /// An edit of the source.
  package struct Edit: Hashable, Sendable {
    /// The title of the defect that the edit removes.
    package let defect: String
    /// The changed lines, by index from 0.
    package let lines: [Int]
    /// The number of values that prove the edit.
    package let proofs: Int
  }

  /// The source, and its lines after all edits so far.
  package let source: [String]
  package private(set) var patched: [String]
  /// The edits that were found, in order.
  package private(set) var edits: [Edit] = []
  /// The defects for which no edit was found.
  package private(set) var missing: [Defect] = []
  /// The titles of the missing defects for which not all edits were tried.
  package private(set) var unfinished: Set<String> = []
  /// The number of runs of an edited program.
  package private(set) var runs = 0
  /// The maximum number of runs for each defect.
  private let most: Int

  private let diagnosis: Diagnosis
  private let kind: Formula.Kind
  private var left: [Defect]

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - diagnosis: the diagnosis of the program.
  ///   - text: the source.
  ///   - most: the maximum number of runs for each defect. Default: 400.
  /// - Throws: `Failure` of kind bad content if the diagnosis has no defect in the decoding of bytes.
  package init(_ diagnosis: Diagnosis, of text: String, most: Int = 400) throws(Failure) {
    guard let found = diagnosis.explanations.first, found.isWhole,
      found.defects.contains(where: \.isDecoding)
    else {
      throw Failure(
        .badContent,
        "nothing to patch: the displayed values are not explained by a defect in the decoding")
    }
    self.diagnosis = diagnosis
    self.most = most
    left = found.defects.filter(\.isDecoding)
    kind =
      Formula.Kind.allCases.first { found.formula.contains($0.rawValue) }
      ?? (found.formula.contains("int32") ? .int32 : .int64)
    source = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    patched = source
  }

  // MARK: Expected values

  /// Returns the values of all measurements for a program with some defects.
  private func values(_ defects: [Defect]) -> [AirReading] {
    var decoding = Decoding()
    decoding.formula.kind = kind
    for defect in defects {
      if case .decoding(let change) = defect.change { change(&decoding) }
    }
    let evidence = diagnosis.evidence
    return decoding.shown(evidence.part.registers, evidence.data).map(\.values)
  }

  /// The numbers in a program's output, each with its number of decimals.
  private static func numbers(in output: String) -> [(value: Double, decimals: Int)] {
    output.matches(of: /[-+]?[0-9]+(?:\.([0-9]+))?/).compactMap { match in
      Double(match.0).map { ($0, match.1?.count ?? 0) }
    }
  }

  /// Counts the numbers that display a quantity of one of the measurements.
  private static func count(
    _ numbers: [(value: Double, decimals: Int)], _ quantity: Quantity, of values: [AirReading]
  ) -> Int {
    let expected = values.compactMap { $0[quantity] }
    // Pressures are displayed in hPa, Pa or kPa; formulas differ by a few pascals.
    let units = quantity == .pressure ? [1, 0.01, 0.001] : [1.0]
    let tolerance = quantity == .pressure ? 3.0 : 0.011
    return numbers.count { number in
      var digit = 0.6
      for _ in 0..<number.decimals { digit /= 10 }
      return units.contains { unit in
        expected.contains { abs(number.value - $0 * unit) <= max(digit, tolerance * unit) }
      }
    }
  }

  /// The quantities that a defect changes visibly, given the other defects.
  private func changed(by defect: Defect) -> [Quantity] {
    let (with, without) = (values(left), values(left.filter { $0 != defect }))
    return Quantity.allCases.filter { quantity in
      zip(with, without).contains { one, other in
        guard let one = one[quantity], let other = other[quantity] else { return false }
        return abs(one - other) > (quantity == .pressure ? 10 : 0.05)
      }
    }
  }

  // MARK: Search

  /// Searches for edits that remove the defects one by one.
  ///
  /// - Parameter run: returns the output of a program whose source has these lines; empty if it
  ///   cannot be built or run.
  /// - Throws: `Failure` of kind bad content if the program does not display the diagnosed values on
  ///   the replayed trace; and what `run` throws.
  package mutating func search(
    _ run: (String) throws(Failure) -> String
  ) throws(Failure) {
    let output = Self.numbers(in: try run(patched.joined(separator: "\n")))
    let shown = values(left)
    let quantities = Quantity.allCases.filter { Self.count(output, $0, of: shown) > 0 }
    guard left.contains(where: { !Set(changed(by: $0)).isDisjoint(with: quantities) }) else {
      throw Failure(
        .badContent,
        "on the replayed trace, the program does not display the diagnosed values, so no patch can be proven"
      )
    }
    // The removal of one defect may be visible only after that of another.
    var hasFound = true
    while hasFound, !left.isEmpty {
      hasFound = false
      for defect in left {
        let visible = changed(by: defect).filter(quantities.contains)
        guard !visible.isEmpty, let edit = try find(defect, visible, run) else { continue }
        edits.append(edit)
        left.removeAll { $0 == defect }
        hasFound = true
        break
      }
    }
    missing = left
  }

  private mutating func find(
    _ defect: Defect, _ quantities: [Quantity], _ run: (String) throws(Failure) -> String
  ) throws(Failure) -> Edit? {
    let (with, without) = (values(left), values(left.filter { $0 != defect }))
    let candidates = Rewrite.candidates(for: defect, in: patched)
    if candidates.count > most { unfinished.insert(defect.title) }
    for lines in candidates.prefix(most) {
      runs += 1
      let output = Self.numbers(in: try run(lines.joined(separator: "\n")))
      let proofs = quantities.map { Self.count(output, $0, of: without) }
      let isProven = zip(quantities, proofs).allSatisfy { quantity, count in
        count > 0 && Self.count(output, quantity, of: with) < count
      }
      // A program that displays nothing else any more was destroyed by the edit.
      let others = Quantity.allCases.filter { !quantities.contains($0) }
      let isIntact = others.allSatisfy { quantity in
        without.allSatisfy { $0[quantity] == nil }
          || Self.count(output, quantity, of: without) > 0
          || Self.count(output, quantity, of: with) == 0
      }
      guard isProven, isIntact else { continue }
      let changed = lines.indices.filter { lines[$0] != patched[$0] }
      patched = lines
      return Edit(defect: defect.title, lines: changed, proofs: proofs.reduce(0, +))
    }
    return nil
  }

  // MARK: Output

  /// The edits as a unified diff, without edits an empty text.
  ///
  /// - Parameter path: the path of the source.
  /// - Returns: the diff.
  package func diff(_ path: String) -> String {
    let changed = source.indices.filter { source[$0] != patched[$0] }
    guard !changed.isEmpty else { return "" }
    var hunks: [ClosedRange<Int>] = []
    for line in changed {
      let range = max(line - 3, 0)...min(line + 3, source.count - 1)
      if let last = hunks.last, range.lowerBound <= last.upperBound + 1 {
        hunks[hunks.count - 1] = last.lowerBound...range.upperBound
      } else {
        hunks.append(range)
      }
    }
    var text = "--- \(path)\n+++ \(path)\n"
    for hunk in hunks {
      text += "@@ -\(hunk.lowerBound + 1),\(hunk.count) +\(hunk.lowerBound + 1),\(hunk.count) @@\n"
      var index = hunk.lowerBound
      while index <= hunk.upperBound {
        guard source[index] != patched[index] else {
          text += " \(source[index])\n"
          index += 1
          continue
        }
        let block = (index...hunk.upperBound).prefix { source[$0] != patched[$0] }
        for line in block { text += "-\(source[line])\n" }
        for line in block { text += "+\(patched[line])\n" }
        index += block.count
      }
    }
    return text
  }
}

/// The edits of single tokens that may remove a defect.
private struct Rewrite: Sendable {
  /// Returns variants of one line.
  let variants: @Sendable (String) -> [String]

  /// Returns the edited sources to try for a defect, the most likely first.
  static func candidates(for defect: Defect, in lines: [String]) -> [[String]] {
    let own = rewrites(for: defect)
    // The same mistake is often repeated in many lines, so an edit of all lines comes first.
    var found = own.compactMap { $0.everywhere(in: lines) }
    for rewrite in own + [numbers, signs, operators] { found += rewrite.single(in: lines) }
    var seen: Set<[String]> = [lines]
    return found.filter { seen.insert($0).inserted }
  }

  private func single(in lines: [String]) -> [[String]] {
    lines.indices.flatMap { index in
      Self.isComment(lines[index])
        ? []
        : variants(lines[index]).map { variant in
          var edited = lines
          edited[index] = variant
          return edited
        }
    }
  }

  private func everywhere(in lines: [String]) -> [String]? {
    let edited = lines.map { Self.isComment($0) ? $0 : variants($0).first ?? $0 }
    return edited == lines ? nil : edited
  }

  private static func isComment(_ line: String) -> Bool {
    let text = line.drop(while: \.isWhitespace)
    return text.hasPrefix("//") || text.hasPrefix("#") || text.hasPrefix("*")
  }

  private static func rewrites(for defect: Defect) -> [Rewrite] {
    switch defect.classID {
    case "B01", "B02", "B03", "B41", "B42", "B43": [operators, numbers, signs]
    case "B06": defect.name == "low-byte-signed" ? [lowByte, signs] : [signs, lowByte]
    case "B07": [orders, numbers]
    case "B14", "B38", "B49": [scales, numbers]
    case "B11", "B17", "B18", "B40": [signs, operators, scales]
    case "B15", "B39": [constants, numbers]
    case "B19": [twins, numbers]
    default: [numbers]
    }
  }

  /// Each integer, one more and one less.
  private static let numbers = Rewrite { line in
    line.matches(of: /0[xX][0-9A-Fa-f]+|[0-9]+/).flatMap { match -> [String] in
      let text = String(match.0)
      let isPoint = match.range.upperBound < line.endIndex && line[match.range.upperBound] == "."
      let isFraction =
        match.range.lowerBound > line.startIndex
        && line[line.index(before: match.range.lowerBound)] == "."
      guard line.isWord(match.range), !isPoint, !isFraction else { return [] }
      let isHexadecimal = text.lowercased().hasPrefix("0x")
      let radix = isHexadecimal ? 16 : 10
      guard let value = Int(isHexadecimal ? String(text.dropFirst(2)) : text, radix: radix) else {
        return []
      }
      return [value + 1, value - 1].filter { $0 >= 0 }.map { number in
        var digits = String(number, radix: radix)
        if text.contains(where: \.isUppercase) { digits = digits.uppercased() }
        let whole = isHexadecimal ? String(text.prefix(2)) + digits : digits
        return line.replacingCharacters(in: match.range, with: whole)
      }
    }
  }

  /// An element that a line uses twice, with the neighbouring index in one of the two uses, the second one first.
  private static let twins = Rewrite { line in
    let elements = line.matches(of: /[A-Za-z_][\w.]*(?:\[[^\[\]]*\])+/)
    let repeated = elements.indices.filter { index in
      elements.indices.contains { $0 != index && elements[$0].0 == elements[index].0 }
    }
    return repeated.reversed().flatMap { index -> [String] in
      let element = String(elements[index].0)
      // Bytes are usually combined from the high one to the low one.
      return numbers.variants(element).reversed().map {
        line.replacingCharacters(in: elements[index].range, with: $0)
      }
    }
  }

  /// Signed types as unsigned ones and the reverse.
  private static let signs = Rewrite { line in
    var found: [String] = []
    let pairs = [
      ("int8_t", "uint8_t"), ("int16_t", "uint16_t"), ("int32_t", "uint32_t"), ("Int8", "UInt8"),
      ("Int16", "UInt16"), ("Int32", "UInt32"), ("c_int8", "c_uint8"), ("c_int16", "c_uint16"),
      ("c_short", "c_ushort"), ("signed=True", "signed=False"), ("signed char", "unsigned char"),
      ("i8", "u8"), ("i16", "u16"),
    ]
    for (signed, unsigned) in pairs {
      for (old, new) in [(unsigned, signed), (signed, unsigned)] {
        for range in line.ranges(of: old) where line.isWord(range) {
          found.append(line.replacingCharacters(in: range, with: new))
        }
      }
    }
    // The characters of a format of Python's module struct.
    for match in line.matches(of: /["'][<>=!@]?[bBhHiIxx0-9]+["']/) {
      for index in line[match.range].indices where "bBhHiI".contains(line[index]) {
        let other = line[index].isUppercase ? line[index].lowercased() : line[index].uppercased()
        found.append(line.replacingCharacters(in: index..<line.index(after: index), with: other))
      }
    }
    return found
  }

  /// The operand after the last `|` or `+` without its sign.
  private static let lowByte = Rewrite { line in
    guard let mark = line.lastIndex(where: { $0 == "|" || $0 == "+" }) else { return [] }
    let (head, tail) = (String(line[...mark]), String(line[line.index(after: mark)...]))
    let edits: [(String) -> String] = [
      { $0.replacing(/Int8\(bitPattern:\s*([^()]*(?:\([^()]*\))?)\)/) { "\($0.1)" } },
      { $0.replacing("as! Int8", with: "as! UInt8") },
      { $0.replacing(/\bint8_t/, with: "uint8_t") },
      { $0.replacing(/\(signed char\)|\(char\)/, with: "(unsigned char)") },
      { $0.replacing("c_int8", with: "c_uint8") },
      { $0.replacing("signed=True", with: "signed=False") },
      // A helper function that takes the sign of a byte.
      {
        $0.replacing(/\b[A-Za-z_]\w*\(([^(),]*)(?:,[^()]*)?\)/) { match in
          let operand = match.1.drop { $0 == " " }
          return operand.contains(where: { "+-*&|<> ".contains($0) }) ? "(\(operand))" : operand
        }
      },
    ]
    return edits.map { head + $0(tail) }.filter { $0 != line }
  }

  /// Operators and masks for those that they are exchanged with.
  private static let operators = Rewrite { line in
    let pairs = [
      ("<< 4", ">> 4"), ("<<4", ">>4"), ("<< 4", "<< 8"), ("<< 8", "<< 4"), ("& 0x0F", ">> 4"),
      ("& 0xF0", "& 0x0F"), ("& 0x0F", "& 0xF0"), ("|", "&"), ("0x0f", "0xf0"), ("& 15", ">> 4"),
      (">> 4", "& 15"), (">> 4", "& 0x0F"), (">>> ", ">> "),
    ]
    var found: [String] = []
    for (one, other) in pairs {
      for (old, new) in [(one, other), (other, one)] {
        found += line.ranges(of: old).map { line.replacingCharacters(in: $0, with: new) }
      }
    }
    return found
  }

  /// The two index expressions of a word, exchanged.
  private static let orders = Rewrite { line in
    let indices = Array(line.matches(of: /\[([^\[\]]*)\]/))
    var found = zip(indices, indices.dropFirst()).map { one, other in
      line.replacingCharacters(in: other.range, with: String(one.0))
        .replacingCharacters(in: one.range, with: String(other.0))
    }
    for (old, new) in [
      ("'big'", "'little'"), ("\"big\"", "\"little\""), ("'>", "'<"), ("\">", "\"<"),
    ] {
      for (one, other) in [(old, new), (new, old)] where line.contains(one) {
        found.append(line.replacing(one, with: other))
      }
    }
    return found
  }

  /// Factors of units, and values scaled by them.
  private static let scales = Rewrite { line in
    var found: [String] = []
    let pairs = [
      ("100.0", "25600.0"), ("100", "25600"), ("256.0", "100.0"), ("256", "100"), ("1000", "1024"),
      ("1000.0", "1024.0"), ("10240", "1024"), ("1.0", "256.0"),
    ]
    for (one, other) in pairs {
      for (old, new) in [(one, other), (other, one)] {
        for range in line.ranges(of: old) where line.isWord(range) {
          found.append(line.replacingCharacters(in: range, with: new))
        }
      }
    }
    for factor in ["256", "100"] {
      if let match = line.firstMatch(of: /^(\s*return\s+)([^;]+?)(;?\s*)$/) {
        found.append("\(match.1)(\(match.2)) / \(factor)\(factor == "256" ? ".0" : ".0")\(match.3)")
      }
      if let match = line.firstMatch(of: /^(.*[^=!<>]=\s*)([^=;]+?)(;?\s*)$/) {
        found.append("\(match.1)(\(match.2)) / \(factor).0\(match.3)")
      }
    }
    return found
  }

  /// Constants of the datasheet for those that public drivers have in their place.
  private static let constants = Rewrite { line in
    let pairs = [
      ("16384.8", "16384.0"), ("534288", "524288"), ("4086", "4096"), ("12800", "128000"),
    ]
    return pairs.flatMap { old, new in
      line.ranges(of: old).filter { range in line.isWord(range) || old == "534288" || old == "4086"
      }
      .map { line.replacingCharacters(in: $0, with: new) }
    }
  }
}

extension String {
  fileprivate func replacingCharacters(
    in range: Range<String.Index>, with text: some StringProtocol
  ) -> String {
    String(self[..<range.lowerBound]) + text + self[range.upperBound...]
  }

  /// Returns whether a range is a whole word or number.
  fileprivate func isWord(_ range: Range<String.Index>) -> Bool {
    func isPart(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || character == "_"
    }
    if range.lowerBound > startIndex, isPart(self[index(before: range.lowerBound)]) { return false }
    return range.upperBound == endIndex || !isPart(self[range.upperBound])
  }
}
