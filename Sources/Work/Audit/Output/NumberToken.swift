import Quantities

/// A number in a line, with the text before and after it.
struct NumberToken {
  /// The number.
  let text: Substring
  /// The text between the previous number, or the start of the line, and this number.
  let before: Substring
  /// The text between this number and the next, or the end of the line.
  let behind: Substring
  /// `true` if the number is part of a date or a time of day.
  var isTime = false
  /// `true` if a date or time precedes the number, so a Z between them is a time zone.
  var followsTime = false
  /// What the number can be a value of.
  var known: [Measurand]
  /// The label of the number before it, and that number; empty for the first number of a line.
  ///
  /// An input may be named once for a code and a voltage: `AIN0: 6400  1.2000 V`.
  var labelBefore = ""

  /// The name of the number's column in the header of a table; empty if there is none.
  var column = ""

  /// A regular expression for numbers, without groups.
  ///
  /// It does not match the whole part of `-20.-37`, whose fraction has a sign of its own.
  static let pattern = #"[-+]?[0-9.]*[0-9](?:[eE][-+]?[0-9]+)?(?![0-9]*\.[-+][0-9])"#

  /// Returns the numbers of a line, each of which can be a value of something known; digits within a word, as in BME280, do
  /// not count.
  static func tokens(in line: String, known: [Measurand]) -> [NumberToken] {
    let number = /[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?/
    let times = timeRanges(in: line)
    let labels = labelRanges(in: line) + (known.hasInputs ? channelRanges(in: line) : [])
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
      // A sign after a digit separates two numbers, as in a date.
      if previous.isNumber, "+-".contains(line[range.lowerBound]) {
        range = line.index(after: range.lowerBound)..<range.upperBound
      }
      ranges.append(range)
    }
    return ranges.indices.map { index in
      let start = labelStart(of: index, ranges, in: line)
      let end = index + 1 < ranges.count ? ranges[index + 1].lowerBound : line.endIndex
      func isTime(_ place: Int) -> Bool {
        ranges.indices.contains(place) && times.contains { $0.overlaps(ranges[place]) }
      }
      let before = index > 0 ? ranges[index - 1] : nil
      return NumberToken(
        text: line[ranges[index]], before: line[start..<ranges[index].lowerBound],
        behind: line[ranges[index].upperBound..<end], isTime: isTime(index),
        followsTime: isTime(index - 1), known: known,
        labelBefore: before.map { labelStart(of: index - 1, ranges, in: line)..<$0.upperBound }
          .map { String(line[$0]) } ?? "")
    }
  }

  /// Returns the ranges of dates and times: `2026-11-22T06:51:38.25Z`, `2026-11-22`, `06:51`.
  private static func timeRanges(in line: String) -> [Range<String.Index>] {
    let clock =
      /[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+(?![0-9.]))?)?(?:[+-][0-9]{2}:?[0-9]{2})?/
    let date = /[0-9]{4}-[0-9]{2}-[0-9]{2}/
    return line.ranges(of: clock) + line.ranges(of: date)
  }

  /// Returns the ranges of the labels of a metric, as in `temperature{bus="1"} 21.5`; they contain
  /// no values.
  private static func labelRanges(in line: String) -> [Range<String.Index>] {
    let labels = /[A-Za-z0-9_:]\{(?:[A-Za-z_][A-Za-z0-9_]*="[^"]*",?\s*)*\}/
    return line.ranges(of: labels)
  }

  /// Returns the start of the text before a number.
  private static func labelStart(
    of index: Int, _ ranges: [Range<String.Index>], in line: String
  ) -> String.Index {
    index > 0 ? ranges[index - 1].upperBound : line.startIndex
  }

  /// Returns the ranges of numbers that name a channel, as in `Channel 0: 1.2 V`; they are no values.
  private static func channelRanges(in line: String) -> [Range<String.Index>] {
    line.ranges(of: /(?i:\b(?:channel|chan|ch|ain|adc|input|pin)\s*[#(\[]?\s*[0-9]+)\b/)
      + line.ranges(of: /\b[0-9]\. (?i:channel)/)
  }

  /// `true` if the number has a label.
  var isLabelled: Bool { ownText.contains(where: \.isLetter) }

  /// The text before the number, without the time zone of a preceding time, and without the members of a JSON object before
  /// the number's own whose values are text: `"unit": "hPa"`.
  private var ownText: Substring {
    let text = followsTime && before.first == "Z" ? before.dropFirst() : before
    return text.matches(of: Self.textMember).last.map { text[$0.range.upperBound...] } ?? text
  }

  /// A member of a JSON object, or of Python's notation of a dictionary, whose value is text.
  private static var textMember: Regex<(Substring, Substring, Substring)> {
    /["']([^"']*)["']\s*:\s*["']([^"']*)["']\s*[,}\]]/
  }

  /// The text before the number, without the unit of the previous number.
  private var label: Substring {
    if !column.isEmpty, !isLabelled { return column[...] }
    let text = ownText.drop { $0.isWhitespace || $0 == "\"" }
    let spellings = known.flatMap(\.spelledUnits).flatMap(\.spellings)
    let unit = spellings.filter { Self.isUnit($0, at: text.lowercased()) }.max {
      $0.count < $1.count
    }
    return unit.map { text.dropFirst($0.count) } ?? ownText
  }

  /// Returns `true` if a text starts with a unit, and not with a longer word or the label of the
  /// next number, as in `RH=42`.
  private static func isUnit(_ spelling: String, at text: String) -> Bool {
    guard text.hasPrefix(spelling) else { return false }
    let rest = text.dropFirst(spelling.count)
    let next = rest.first { !$0.isWhitespace }
    return rest.first?.isLetter != true && next != "=" && next != ":"
  }

  /// What the label names; several where it does not distinguish them, empty if it names nothing that is known.
  private var named: [Measurand] {
    if isPercentOfHumidity, known.contains(.humidity) { return [.humidity] }
    // The name of a metric ends at its labels.
    let texts = [label.prefix { $0 != "{" }, label].map { $0.lowercased() }
    for text in texts {
      if let quantity = Self.quantity(named: text), known.contains(Measurand(quantity)) {
        return [Measurand(quantity)]
      }
      let own = text.contains(where: \.isLetter) ? text : labelBefore.lowercased() + text
      let inputs = known.filter { $0.isNamed(by: own) }
      if !inputs.isEmpty { return inputs }
    }
    return []
  }

  /// Returns those measurands whose names have most words, which are the most specific.
  private static func mostSpecific(_ found: [SpelledUnit]) -> [SpelledUnit] {
    let most = found.map(\.measurand.wordCount).max()
    return found.filter { $0.measurand.wordCount == most }
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
    // Also in German, Dutch, Italian and Portuguese.
    func isNamed(by stems: [String], _ symbols: [Substring]) -> Bool {
      stems.contains { label.contains($0) } || symbols.contains { words.contains($0) }
    }
    if isNamed(by: ["temp"], ["t"]) { return .temperature }
    if isNamed(by: ["pres", "baro", "druck", "druk"], ["p"]) { return .pressure }
    if isNamed(by: ["hum", "umid", "feucht", "vocht"], ["rh", "h"]) { return .humidity }
    return nil
  }

  /// `true` if the number is in % and its label is a symbol of the relative humidity that alone would mean something else:
  /// U (WMO), RF (German), HR or UR (Romance languages).
  private var isPercentOfHumidity: Bool {
    let symbols: [Substring] = ["u", "rf", "hr", "ur"]
    let words = label.lowercased().split { !$0.isLetter }
    return behind.drop { $0.isWhitespace }.hasPrefix("%")
      && words.last.map(symbols.contains) == true
  }

  /// `true` if the label names more than a sensor or a value in general, as in `SHT4x sensor: 18.63 °C`.
  private var hasNameOfItsOwn: Bool {
    let general = [
      "sensor", "reading", "value", "data", "result", "measured", "measurement", "got", "is",
    ]
    return label.lowercased().split { !$0.isLetter && !$0.isNumber }.contains { word in
      word.contains(where: \.isLetter) && !word.contains(where: \.isNumber)
        && !general.contains { word == $0 || word == "\($0)s" }
    }
  }

  /// `true` if the label names something other than a known quantity or unit.
  private var isSomethingElse: Bool {
    label.contains(where: \.isLetter) && named.isEmpty && statedUnits.isEmpty
  }

  /// The unit after the number, or in its label, for each measurand that has it.
  private var statedUnits: [SpelledUnit] {
    let behind = behind.drop { $0.isWhitespace || $0 == "\"" }.lowercased()
    let label = self.label.lowercased()
    var (found, length): ([SpelledUnit], Int) = ([], 0)
    for unit in known.flatMap(\.spelledUnits) {
      for spelling in unit.spellings {
        let isBehind = Self.isUnit(spelling, at: behind)
        let isInLabel =
          label.contains("(\(spelling))") || label.contains("[\(spelling)]")
          || label.contains("_\(spelling)\"") || label.contains("_\(spelling):")
          || label.contains("_\(spelling)=") || label.contains("_\(spelling){")
          || label.hasSuffix("_\(spelling) ") || label.hasSuffix("_\(spelling)")
        guard isBehind || isInLabel, spelling.count >= length else { continue }
        found = (spelling.count == length ? found : []) + [unit]
        length = spelling.count
      }
    }
    return found.isEmpty ? unitsOfMembers : found
  }

  /// The unit in a member of its own next to that of the number, as in `"humidity": 42.6, "humidity_unit": "%RH"`.
  private var unitsOfMembers: [SpelledUnit] {
    let named = named
    for text in [self.behind, before] {
      for member in text.matches(of: Self.textMember)
      where member.output.1.lowercased().contains("unit") {
        let spelling = member.output.2.lowercased()
        let units = named.flatMap(\.spelledUnits).filter { $0.spellings.contains(spelling) }
        if !units.isEmpty { return units }
      }
    }
    return []
  }

  /// Returns what the number is a value of and its unit, with a confidence: 3 if label and unit identify them, 2 if only one
  /// of the two does, 1 if only the value does.
  ///
  /// - Parameter truth: the correct values.
  /// - Returns: the unit, the confidence, and `true` if the output names the unit or the value is plausible; `nil` if the
  ///   number is not a value.
  func meaning(
    _ truth: [Measurand: Double]
  ) -> (unit: SpelledUnit, strength: Int, isNear: Bool)? {
    guard !isTime else { return nil }
    let (named, stated) = (named, statedUnits)
    if !stated.isEmpty {
      if !named.isEmpty {
        let units = Self.mostSpecific(stated.filter { named.contains($0.measurand) })
        return nearest(of: units, truth).map { ($0.unit, 3, true) }
      }
      // Another quantity with this unit, such as a dew point.
      return hasNameOfItsOwn
        ? nil : nearest(of: stated, truth).map { ($0.unit, 2, true) }
    }
    guard !isSomethingElse else { return nil }
    let units =
      named.isEmpty
      ? known.flatMap(\.spelledUnits) : Self.mostSpecific(named.flatMap(\.spelledUnits))
    guard let best = nearest(of: units.filter { truth[$0.measurand] != nil }, truth) else {
      return nil
    }
    if !named.isEmpty { return (best.unit, 2, best.error < 10) }
    return best.error < 1 ? (best.unit, 1, true) : nil
  }

  /// Returns the unit in which the number is nearest to the correct value; the only one, even without a number or a correct
  /// value.
  private func nearest(
    of units: [SpelledUnit], _ truth: [Measurand: Double]
  ) -> (unit: SpelledUnit, error: Double)? {
    if units.count == 1, Double(text) == nil || truth[units[0].measurand] == nil {
      return (units[0], .infinity)
    }
    guard let value = Double(text) else { return nil }
    let candidates = units.map { unit -> (unit: SpelledUnit, error: Double) in
      guard let right = truth[unit.measurand] else { return (unit, .infinity) }
      let error =
        abs(value * unit.scale + unit.offset - right) / unit.measurand.scatter(at: right)
      // Programs that print mercury usually state the unit; a bare number would match too easily.
      return (unit, unit.isOfMercury ? error * 50 : error)
    }
    return candidates.min { $0.error < $1.error }
  }
}
