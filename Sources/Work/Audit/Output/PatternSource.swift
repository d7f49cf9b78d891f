import Quantities
import Text

/// Finds values with regular expressions.
final class PatternSource: ValueSource {
  private let patterns:
    [(regex: Regex<AnyRegexOutput>, groups: [(name: String, unit: SpelledUnit)])]

  /// Creates a source.
  ///
  /// - Throws: ``OutputError`` for what is no expression, or has no group that is known.
  init(_ texts: [String]) throws(OutputError) {
    var patterns: [(Regex<AnyRegexOutput>, [(name: String, unit: SpelledUnit)])] = []
    for text in texts {
      let regex: Regex<AnyRegexOutput>
      do {
        regex = try Regex(text)
      } catch {
        throw OutputError(message: "--match '\(text)' is no regular expression: \(error)")
      }
      var groups: [(name: String, unit: SpelledUnit)] = []
      for name in Self.names(in: text) {
        guard let unit = Quantity.unit(named: name) else {
          throw OutputError(
            message:
              "--match: the group '\(name)' is none of \(Quantity.names), nor one of them without its unit"
          )
        }
        groups.append((name, unit))
      }
      guard !groups.isEmpty else {
        throw OutputError(
          message: "--match '\(text)' has no named group such as (?<pressure_hpa>[0-9.]+)")
      }
      patterns.append((regex, groups))
    }
    self.patterns = patterns
  }

  /// The names of the groups of an expression.
  private static func names(in pattern: String) -> [String] {
    pattern.matches(of: /\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>/).map { String($0.output.1) }
  }

  var quantities: Set<Quantity> { Set(patterns.flatMap { $0.groups.map(\.unit.quantity) }) }

  /// A line with brackets around the values that are found in it; `nil` where there are none.
  func marked(_ line: String) -> String? {
    let ranges = patterns.flatMap { pattern in
      line.matches(of: pattern.regex).flatMap { match in
        pattern.groups.compactMap { match.output[$0.name]?.range }
      }
    }
    guard !ranges.isEmpty else { return nil }
    var (text, end) = ("", line.startIndex)
    for range in ranges.inOrder(by: { $0.lowerBound < $1.lowerBound }) where range.lowerBound >= end
    {
      text += "\(line[end..<range.lowerBound])[\(line[range])]"
      end = range.upperBound
    }
    return text + line[end...]
  }

  func values(in line: String) -> [ShownValue] {
    patterns.flatMap { pattern in
      line.matches(of: pattern.regex).flatMap { match in
        pattern.groups.compactMap { group in
          match.output[group.name]?.substring.map { ShownValue($0, group.unit) }
        }
      }
    }
  }
}
