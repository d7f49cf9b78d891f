import Quantities

/// A unit as programs write it: in names of their fields, and behind numbers.
struct SpelledUnit: Hashable, Sendable {
  let quantity: Quantity
  /// The suffix of a name, without its underscore.
  let suffix: String
  /// How programs write it behind a number.
  let spellings: [String]
  /// What one is in C, Pa or %, and what is added.
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
  /// The units in which programs show it, the usual one first.
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

  /// The unit that a name says: `pressure_hpa`; the usual one for `pressure`.
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

  /// All names that say a quantity and its unit.
  static var names: String {
    allCases.flatMap { quantity in
      quantity.spelledUnits.map { "\(quantity.rawValue)_\($0.suffix)" }
    }.joined(separator: ", ")
  }
}
