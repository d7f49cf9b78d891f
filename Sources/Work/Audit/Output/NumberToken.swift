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

  /// A regular expression for numbers, without groups.
  static let pattern = "[-+]?[0-9.]*[0-9](?:[eE][-+]?[0-9]+)?"

  /// Finds the numbers of a line; digits within a word, as in BME280, do not count.
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
      // A sign after a digit separates two numbers, as in a date.
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

  /// Returns the ranges of dates and times: `2026-11-22T06:51:38.25Z`, `2026-11-22`, `06:51`.
  private static func timeRanges(in line: String) -> [Range<String.Index>] {
    let clock = /[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:[+-][0-9]{2}:?[0-9]{2})?/
    let date = /[0-9]{4}-[0-9]{2}-[0-9]{2}/
    return line.ranges(of: clock) + line.ranges(of: date)
  }

  /// Returns the ranges of the labels of a metric, as in `temperature{bus="1"} 21.5`; they contain
  /// no values.
  private static func labelRanges(in line: String) -> [Range<String.Index>] {
    let labels = /[A-Za-z0-9_:]\{(?:[A-Za-z_][A-Za-z0-9_]*="[^"]*",?\s*)*\}/
    return line.ranges(of: labels)
  }

  /// `true` if the number has a label.
  var isLabelled: Bool { ownText.contains(where: \.isLetter) }

  /// The text before the number, without the time zone of a preceding time.
  private var ownText: Substring {
    followsTime && before.first == "Z" ? before.dropFirst() : before
  }

  /// The text before the number, without the unit of the previous number.
  private var label: Substring {
    let text = ownText.drop { $0.isWhitespace || $0 == "\"" }
    let spellings = Quantity.allCases.flatMap(\.spelledUnits).flatMap(\.spellings)
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

  /// The quantity named by the label, if any.
  private var namedQuantity: Quantity? {
    // The name of a metric ends at its labels.
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

  /// `true` if the label names something other than a known quantity or unit.
  private var isSomethingElse: Bool {
    label.contains(where: \.isLetter) && namedQuantity == nil && statedUnit == nil
  }

  /// The unit after the number, or in its label.
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

  /// Returns the number's quantity and unit, with a confidence: 3 if label and unit identify them,
  /// 2 if only one of the two does, 1 if only the value does.
  ///
  /// - Parameter truth: the correct values in °C, Pa and %.
  /// - Returns: the unit, the confidence, and `true` if the output names the unit or the value is
  ///   plausible; `nil` if the number is not a value.
  func meaning(
    _ truth: [Quantity: Double]
  ) -> (unit: SpelledUnit, strength: Int, isNear: Bool)? {
    guard !isTime else { return nil }
    let (named, stated) = (namedQuantity, statedUnit)
    if let stated {
      if let named { return named == stated.quantity ? (stated, 3, true) : nil }
      // Another quantity with this unit, such as a dew point.
      return label.contains(where: \.isLetter) ? nil : (stated, 2, true)
    }
    guard let value = Double(text), !isSomethingElse else { return nil }
    let candidates = (named.map { [$0] } ?? Quantity.allCases).flatMap { quantity in
      quantity.spelledUnits.compactMap { unit -> (unit: SpelledUnit, error: Double)? in
        guard let right = truth[quantity] else { return nil }
        let error = abs(value * unit.scale + unit.offset - right) / quantity.scatter
        // Programs that print mercury usually state the unit; a bare number would match too easily.
        return (unit, unit.isOfMercury ? error * 50 : error)
      }
    }
    guard let best = candidates.min(by: { $0.error < $1.error }) else { return nil }
    if named != nil { return (best.unit, 2, best.error < 10) }
    return best.error < 1 ? (best.unit, 1, true) : nil
  }
}

extension SpelledUnit {
  /// `true` for mmHg and inHg.
  fileprivate var isOfMercury: Bool { suffix == "mmhg" || suffix == "inhg" }
}

extension Quantity {
  /// The maximum deviation from the correct value, in °C, Pa or %, for a number without label and
  /// unit.
  fileprivate var scatter: Double {
    switch self {
    case .temperature: 2
    case .pressure: 500
    case .humidity: 8
    }
  }
}

/// A unit as programs write it, in field names and after numbers.
struct SpelledUnit: Hashable, Sendable {
  let quantity: Quantity
  /// The suffix of a field name, without its underscore.
  let suffix: String
  /// The spellings after a number.
  let spellings: [String]
  /// The size of the unit in °C, Pa or %, and the offset that is added.
  let scale: Double, offset: Double

  fileprivate init(
    _ quantity: Quantity, _ suffix: String, _ spellings: [String], _ unit: QuantityUnit
  ) {
    self.quantity = quantity
    self.suffix = suffix
    self.spellings = spellings
    scale = unit.size
    offset = unit.kept(0)
  }
}

extension Quantity {
  /// The units in which programs print this quantity, the most common first.
  var spelledUnits: [SpelledUnit] {
    func unit(_ suffix: String, _ spellings: [String], _ unit: QuantityUnit) -> SpelledUnit {
      SpelledUnit(self, suffix, spellings, unit)
    }
    func unit(_ suffix: String, _ spellings: [String], _ scale: PressureUnit) -> SpelledUnit {
      unit(suffix, spellings, scale.unit)
    }
    switch self {
    case .temperature:
      return [
        unit(
          "c", ["degrees c", "degc", "deg c", "celsius", "°c", "ºc", "℃", "'c", "*c", "c"],
          TemperatureUnit.celsius.unit),
        unit(
          "f", ["degrees f", "degf", "deg f", "fahrenheit", "°f", "ºf", "℉", "f"],
          TemperatureUnit.fahrenheit.unit),
        unit("k", ["kelvin", "k"], TemperatureUnit.kelvin.unit),
      ]
    case .pressure:
      return [
        unit("hpa", ["hpa", "mbar", "millibar"], .hectopascal),
        unit("pa", ["pa", "pascal", "pascals"], .pascal), unit("kpa", ["kpa"], .kilopascal),
        unit("mbar", [], .millibar),
        unit("mmhg", ["mmhg", "mm hg", "torr"], .millimetreOfMercury),
        unit("inhg", ["inhg", "in hg"], .inchOfMercury),
      ]
    case .humidity:
      return [
        unit("rh", ["%rh", "% rh", "rh%", "%", "percent", "rh"], QuantityUnit("%")),
        unit("percent", [], QuantityUnit("%")), unit("fraction", [], QuantityUnit("", times: 100)),
      ]
    }
  }

  /// Returns the unit in a field name such as `pressure_hpa`; for `pressure` alone, the default
  /// unit; `nil` for an unknown name.
  static func unit(named name: String) -> SpelledUnit? {
    let name = name.lowercased()
    for quantity in allCases where name.hasPrefix(quantity.rawValue) {
      let rest = name.dropFirst(quantity.rawValue.count)
      if rest.isEmpty { return quantity.spelledUnits[0] }
      guard rest.first == "_" else { return nil }
      return quantity.spelledUnits.first { $0.suffix == rest.dropFirst() }
    }
    return nil
  }

  /// All field names with a quantity and a unit.
  static var names: String {
    allCases.flatMap { quantity in
      quantity.spelledUnits.map { "\(quantity.rawValue)_\($0.suffix)" }
    }.joined(separator: ", ")
  }
}
