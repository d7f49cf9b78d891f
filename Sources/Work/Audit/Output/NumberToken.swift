import Quantities

/// A number in a line, with the text before and behind it.
struct NumberToken {
  /// The number.
  let text: Substring
  /// What stands between the number before, or the start of the line, and this one.
  let before: Substring
  /// What stands between this one and the next, or the end of the line.
  let behind: Substring
  /// Whether it is a part of a date or a time of day.
  var isTime = false
  /// Whether a date or a time stands before it, so that a Z there is its zone.
  var followsTime = false

  /// What a number looks like, as a regular expression without groups.
  static let pattern = "[-+]?[0-9.]*[0-9](?:[eE][-+]?[0-9]+)?"

  /// The numbers of a line; digits within a word, as in BME280, are none.
  static func tokens(in line: String) -> [NumberToken] {
    let number = /[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?/
    let times = timeRanges(in: line)
    let labels = labelRanges(in: line)
    var ranges: [Range<String.Index>] = []
    for match in line.matches(of: number) {
      var range = match.range
      let previous =
        range.lowerBound > line.startIndex ? line[line.index(before: range.lowerBound)] : " "
      if labels.contains(where: { $0.overlaps(range) }) { continue }
      let isTime = times.contains { $0.overlaps(range) }
      if !isTime, previous.isLetter || previous == "_" { continue }
      // 0x76 is an address.
      if range.upperBound < line.endIndex, line[range.upperBound] == "x" { continue }
      // The sign behind a digit parts two numbers, as in a date.
      if previous.isNumber, "+-".contains(line[range.lowerBound]) {
        range = line.index(after: range.lowerBound)..<range.upperBound
      }
      ranges.append(range)
    }
    return ranges.indices.map { index in
      let start = index > 0 ? ranges[index - 1].upperBound : line.startIndex
      let end = index + 1 < ranges.count ? ranges[index + 1].lowerBound : line.endIndex
      func isTime(_ place: Int) -> Bool {
        ranges.indices.contains(place) && times.contains { $0.overlaps(ranges[place]) }
      }
      return NumberToken(
        text: line[ranges[index]], before: line[start..<ranges[index].lowerBound],
        behind: line[ranges[index].upperBound..<end], isTime: isTime(index),
        followsTime: isTime(index - 1))
    }
  }

  /// Where dates and times stand: `2026-11-22T06:51:38.25Z`, `2026-11-22`, `06:51`.
  private static func timeRanges(in line: String) -> [Range<String.Index>] {
    let clock = /[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:[+-][0-9]{2}:?[0-9]{2})?/
    let date = /[0-9]{4}-[0-9]{2}-[0-9]{2}/
    return line.ranges(of: clock) + line.ranges(of: date)
  }

  /// Where the labels of a metric stand, as in `temperature{bus="1"} 21.5`: what is in them is no value.
  private static func labelRanges(in line: String) -> [Range<String.Index>] {
    let labels = /[A-Za-z0-9_:]\{(?:[A-Za-z_][A-Za-z0-9_]*="[^"]*",?\s*)*\}/
    return line.ranges(of: labels)
  }

  /// Whether it has a label of its own.
  var isLabelled: Bool { ownText.contains(where: \.isLetter) }

  /// What stands before it, without the zone of a time.
  private var ownText: Substring {
    followsTime && before.first == "Z" ? before.dropFirst() : before
  }

  /// What stands before it, without the unit of the number before.
  private var label: Substring {
    let text = ownText.drop { $0.isWhitespace || $0 == "\"" }
    let spellings = Quantity.allCases.flatMap(\.spelledUnits).flatMap(\.spellings)
    let unit = spellings.filter { Self.isUnit($0, at: text.lowercased()) }.max {
      $0.count < $1.count
    }
    return unit.map { text.dropFirst($0.count) } ?? ownText
  }

  /// Whether a text begins with a unit, and not with a word or with the label of the next number, as in `RH=42`.
  private static func isUnit(_ spelling: String, at text: String) -> Bool {
    guard text.hasPrefix(spelling) else { return false }
    let rest = text.dropFirst(spelling.count)
    let next = rest.first { !$0.isWhitespace }
    return rest.first?.isLetter != true && next != "=" && next != ":"
  }

  /// What a label is about, if it says so.
  private var namedQuantity: Quantity? {
    // The name of a metric before its labels.
    let name = label.prefix { $0 != "{" }
    return Self.quantity(named: name.lowercased()) ?? Self.quantity(named: label.lowercased())
  }

  private static func quantity(named label: String) -> Quantity? {
    let words = label.split { !$0.isLetter }
    let other = [
      "dew", "sea", "alt", "raw", "adc", "min", "max", "avg", "average", "mean", "heat", "feels",
      "qnh", "battery", "delta", "id", "chip", "cpu",
    ]
    guard
      !words.contains(where: { word in other.contains { word == $0 || word.hasPrefix("\($0)itude") }
      })
    else { return nil }
    if label.contains("temp") || words.contains("t") { return .temperature }
    if label.contains("pres") || label.contains("baro") || words.contains("p") { return .pressure }
    if label.contains("hum") || words.contains("rh") || words.contains("h") { return .humidity }
    return nil
  }

  /// Whether its label says that it is something else.
  private var isSomethingElse: Bool {
    label.contains(where: \.isLetter) && namedQuantity == nil && statedUnit == nil
  }

  /// The unit behind it, or in its label.
  private var statedUnit: SpelledUnit? {
    let behind = behind.drop { $0.isWhitespace || $0 == "\"" }.lowercased()
    let label = self.label.lowercased()
    var found: (unit: SpelledUnit, length: Int)?
    for unit in Quantity.allCases.flatMap(\.spelledUnits) {
      for spelling in unit.spellings {
        let isBehind = Self.isUnit(spelling, at: behind)
        let isInLabel =
          label.contains("(\(spelling))") || label.contains("[\(spelling)]")
          || label.contains("_\(spelling)\"") || label.contains("_\(spelling):")
          || label.contains("_\(spelling)=") || label.contains("_\(spelling){")
          || label.hasSuffix("_\(spelling) ")
        if isBehind || isInLabel, spelling.count > found?.length ?? 0 {
          found = (unit, spelling.count)
        }
      }
    }
    return found?.unit
  }

  /// What the number is, and how sure that is: 3 by label and unit, 2 by one of them, 1 by its value.
  ///
  /// - Parameter truth: what a right program shows.
  /// - Returns: its unit, how sure that is, and whether the unit is stated or the value near enough to
  ///   believe it; `nil` for any other number.
  func meaning(
    _ truth: [Quantity: Double]
  ) -> (unit: SpelledUnit, strength: Int, isNear: Bool)? {
    guard !isTime else { return nil }
    let (named, stated) = (namedQuantity, statedUnit)
    if let stated {
      if let named { return named == stated.quantity ? (stated, 3, true) : nil }
      // Something with a unit that has another name, such as a dew point.
      return label.contains(where: \.isLetter) ? nil : (stated, 2, true)
    }
    guard let value = Double(text), !isSomethingElse else { return nil }
    let candidates = (named.map { [$0] } ?? Quantity.allCases).flatMap { quantity in
      quantity.spelledUnits.compactMap { unit -> (unit: SpelledUnit, error: Double)? in
        guard let right = truth[quantity] else { return nil }
        let error = abs(value * unit.scale + unit.offset - right) / quantity.scatter
        // Who shows mercury says so, as a rule: a wrong value would fit too easily.
        return (unit, unit.isOfMercury ? error * 50 : error)
      }
    }
    guard let best = candidates.min(by: { $0.error < $1.error }) else { return nil }
    if named != nil { return (best.unit, 2, best.error < 10) }
    return best.error < 1 ? (best.unit, 1, true) : nil
  }
}

extension SpelledUnit {
  /// Whether it is the height of a column of mercury.
  fileprivate var isOfMercury: Bool { suffix == "mmhg" || suffix == "inhg" }
}

extension Quantity {
  /// How near to the truth a bare number must be to be taken for this.
  fileprivate var scatter: Double {
    switch self {
    case .temperature: 2
    case .pressure: 500
    case .humidity: 8
    }
  }
}
