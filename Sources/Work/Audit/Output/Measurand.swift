import Parts
package import Quantities
import Support

/// What an audit compares: a quantity of the air, or an input of a part such as a voltage.
package struct Measurand: Hashable, Sendable, Comparable {
  /// The name in reports and options: `temperature`, `ain0-ain1`.
  package let name: String
  private let kind: Kind

  private enum Kind: Hashable {
    case air(Quantity)
    /// The input with this index in its part.
    case input(Int, unit: String, tolerance: Double)
  }

  package static let temperature = Measurand(.temperature)
  package static let pressure = Measurand(.pressure)
  package static let humidity = Measurand(.humidity)

  /// The quantities of the air.
  package static let air = Quantity.allCases.map(Measurand.init)

  package init(_ quantity: Quantity) {
    (name, kind) = (quantity.rawValue, .air(quantity))
  }

  /// Creates the input of a part with its index.
  init(_ input: PartInput, _ index: Int) {
    name = input.name
    kind = .input(index, unit: input.unit, tolerance: input.tolerance ?? 0)
  }

  /// The quantity of the air; `nil` for an input.
  var quantity: Quantity? {
    if case .air(let quantity) = kind { quantity } else { nil }
  }

  // Not inlined, like `rank`: inlined in a loop of the audit, Swift 6.3.1 fails to optimize it.
  /// The index of the input in its part; `nil` for a quantity of the air.
  @inline(never)
  var input: Int? {
    if case .input(let index, _, _) = kind { index } else { nil }
  }

  /// The quantities of the air come first, in the order of `Quantity`, then the inputs.
  package static func < (one: Measurand, other: Measurand) -> Bool { one.rank < other.rank }

  @inline(never)
  private var rank: Int {
    switch kind {
    case .air(let quantity): Quantity.allCases.firstIndex(of: quantity) ?? 0
    case .input(let index, _, _): Quantity.allCases.count + index
    }
  }

  /// The name as the start of a field name: `ain0_ain1`.
  package var fieldName: String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
  }

  /// The maximum deviation from a correct value for a number without label and unit, in the unit of the values.
  func scatter(at value: Double) -> Double {
    switch kind {
    case .air(.temperature): 2
    case .air(.pressure): 500
    case .air(.humidity): 8
    case .input(_, _, let tolerance): max(abs(value) / 50, 2 * tolerance)
    }
  }

  /// The units in which programs print it, the most common first.
  ///
  /// The values of a quantity of the air are in °C, Pa or %, those of an input in the unit of its part file.
  var spelledUnits: [SpelledUnit] {
    switch kind {
    case .air(let quantity): SpelledUnit.units(of: quantity, self)
    case .input(_, let unit, _): SpelledUnit.units(ofInput: unit, self)
    }
  }

  /// The number of words of its name.
  var wordCount: Int { fieldName.count { $0 == "_" } + 1 }

  /// Returns whether the label of a number, the text before it in small letters, names it as an input.
  func isNamed(by label: String) -> Bool {
    guard input != nil else { return false }
    let words = label.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    let whole = words.joined()
    let names = fieldName.split(separator: "_").map(String.init)
    if whole.contains(names.joined()) { return true }
    // Channels: "A0", "CH0", "channel 0" for ain0; "V bus" and "bus" for the bus voltage.
    if names.count == 1, let digit = name.last, digit.isNumber {
      let short = ["a\(digit)", "ch\(digit)", "chan\(digit)", "channel\(digit)", "adc\(digit)"]
      let pairs = zip(words, words.dropFirst()).map { $0 + $1 }
      return (words + pairs).contains { short.contains($0) }
    }
    let nouns = SpelledUnit.nouns(of: unit)
    let own = names.filter { !nouns.contains($0) }
    guard own.isEmpty else { return own.allSatisfy { whole.contains($0) } }
    // The only input of its unit without a name of its own is named by a noun, such as "lux".
    return words.contains { word in nouns.contains { word.hasPrefix($0) } }
  }

  private var unit: String {
    if case .input(_, let unit, _) = kind { unit } else { "" }
  }
}

extension [Measurand] {
  /// `true` if some are no quantities of the air.
  var hasInputs: Bool { contains { $0.input != nil } }

  /// Returns the unit in a field name such as `pressure_hpa`; for `pressure` alone, the default unit; `nil` for an unknown
  /// name.
  package func unit(named name: String) -> SpelledUnit? {
    let name = name.lowercased()
    // The longest name first, because one may begin with another.
    for measurand in inOrder(by: { $0.fieldName.count > $1.fieldName.count }) {
      guard name.hasPrefix(measurand.fieldName) else { continue }
      let rest = name.dropFirst(measurand.fieldName.count)
      if rest.isEmpty { return measurand.spelledUnits.first }
      guard rest.first == "_" else { continue }
      if let unit = measurand.spelledUnits.first(where: { $0.suffix == rest.dropFirst() }) {
        return unit
      }
    }
    return nil
  }

  /// The names as alternatives in a sentence: "a temperature, pressure or humidity".
  var phrase: String {
    let names = map(\.name)
    let list = names.dropLast().joined(separator: ", ")
    return "a " + (list.isEmpty ? "" : "\(list) or ") + (names.last ?? "value")
  }

  /// All field names with a unit.
  package var fieldNames: String {
    flatMap { measurand in
      measurand.spelledUnits.map { "\(measurand.fieldName)_\($0.suffix)" }
    }.joined(separator: ", ")
  }
}

/// A unit as programs write it, in field names and after numbers.
package struct SpelledUnit: Hashable, Sendable {
  package let measurand: Measurand
  /// The suffix of a field name, without its underscore.
  let suffix: String
  /// The spellings after a number, in small letters.
  let spellings: [String]
  /// The symbol in reports.
  package let symbol: String
  /// The size of the unit in that of the values, and the offset that is added.
  package let scale: Double, offset: Double
  /// The number of decimals of a value in reports.
  let decimals: Int

  private init(
    _ measurand: Measurand, _ suffix: String, _ spellings: [String], _ unit: QuantityUnit,
    _ symbol: String, decimals: Int = 2
  ) {
    self.measurand = measurand
    (self.suffix, self.spellings, self.symbol) = (suffix, spellings, symbol)
    (scale, offset, self.decimals) = (unit.size, unit.kept(0), decimals)
  }

  private init(
    _ measurand: Measurand, _ suffix: String, _ spellings: [String], _ symbol: String,
    scale: Double = 1, decimals: Int
  ) {
    self.measurand = measurand
    (self.suffix, self.spellings, self.symbol) = (suffix, spellings, symbol)
    (self.scale, offset, self.decimals) = (scale, 0, decimals)
  }

  /// `true` for mmHg and inHg.
  var isOfMercury: Bool { suffix == "mmhg" || suffix == "inhg" }

  /// Formats a value, given in the unit of the values, in this unit.
  func text(_ value: Double) -> String {
    "\(Decimal.fixed((value - offset) / scale, decimals)) \(symbol)"
  }

  /// The units of a quantity of the air.
  static func units(of quantity: Quantity, _ measurand: Measurand) -> [SpelledUnit] {
    func unit(
      _ suffix: String, _ spellings: [String], _ unit: QuantityUnit, _ symbol: String,
      decimals: Int = 2
    ) -> SpelledUnit {
      SpelledUnit(measurand, suffix, spellings, unit, symbol, decimals: decimals)
    }
    switch quantity {
    case .temperature:
      return [
        unit(
          "c",
          [
            "degrees c", "degc", "deg c", "celsius", "cel", "temp. [c]", "°c", "ºc", "℃", "'c",
            "*c",
            "c",
          ],
          TemperatureUnit.celsius.unit, "C"),
        unit(
          "f", ["degrees f", "degf", "deg f", "fahrenheit", "°f", "ºf", "℉", "f"],
          TemperatureUnit.fahrenheit.unit, "F"),
        unit("k", ["kelvin", "k"], TemperatureUnit.kelvin.unit, "K"),
      ]
    case .pressure:
      return [
        unit("hpa", ["hpa", "mbar", "millibar"], PressureUnit.hectopascal.unit, "hPa"),
        unit("pa", ["pa", "pascal", "pascals"], PressureUnit.pascal.unit, "Pa", decimals: 0),
        unit("kpa", ["kpa"], PressureUnit.kilopascal.unit, "kPa", decimals: 3),
        unit("mbar", [], PressureUnit.millibar.unit, "mbar"),
        unit("mmhg", ["mmhg", "mm hg", "torr"], PressureUnit.millimetreOfMercury.unit, "mmHg"),
        unit("inhg", ["inhg", "in hg"], PressureUnit.inchOfMercury.unit, "inHg", decimals: 3),
      ]
    case .humidity:
      let percent = ["%rh", "% rh", "rh%", "rh [%]", "%", "percent", "rh"]
      return [
        unit("rh", percent, QuantityUnit("%"), "%"), unit("percent", [], QuantityUnit("%"), "%"),
        unit("fraction", [], QuantityUnit("", times: 100), "", decimals: 4),
      ]
    }
  }

  /// The units of an input whose values are in a unit; a unit that is not known here has only itself.
  static func units(ofInput unit: String, _ measurand: Measurand) -> [SpelledUnit] {
    func spelled(
      _ suffix: String, _ symbol: String, _ scale: Double, decimals: Int, _ more: String...
    ) -> SpelledUnit {
      SpelledUnit(
        measurand, suffix, [symbol.lowercased()] + more, symbol, scale: scale, decimals: decimals)
    }
    switch unit {
    case "V":
      return [
        spelled("v", "V", 1, decimals: 4, "volts", "volt"),
        spelled("mv", "mV", 0.001, decimals: 2, "millivolts", "millivolt"),
        spelled("uv", "uV", 0.000_001, decimals: 0, "µv", "microvolts"),
      ]
    case "A":
      return [
        spelled("a", "A", 1, decimals: 4, "amps", "amp", "amperes", "ampere"),
        spelled("ma", "mA", 0.001, decimals: 2, "milliamps", "milliamperes"),
        spelled("ua", "uA", 0.000_001, decimals: 0, "µa", "microamps"),
      ]
    case "W":
      return [
        spelled("w", "W", 1, decimals: 4, "watts", "watt"),
        spelled("mw", "mW", 0.001, decimals: 1, "milliwatts"),
      ]
    case "lx": return [spelled("lx", "lx", 1, decimals: 2, "lux")]
    case "ppm": return [spelled("ppm", "ppm", 1, decimals: 0)]
    case "": return [SpelledUnit(measurand, "", [], "", decimals: 2)]
    default:
      let suffix = unit.lowercased().filter { $0.isLetter || $0.isNumber }
      return [spelled(suffix, unit, 1, decimals: 2)]
    }
  }

  /// The words for a value in a unit, which name no particular input.
  static func nouns(of unit: String) -> [String] {
    switch unit {
    case "V": ["voltage", "volt", "v"]
    case "A": ["current", "amp", "ibus"]
    case "W": ["power", "watt"]
    case "lx": ["light", "lux", "illuminance", "ambient", "lx"]
    case "ppm": ["co2", "carbon", "ppm"]
    default: []
    }
  }
}
