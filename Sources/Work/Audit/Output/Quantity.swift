import Barometry

/// What a sensor measures.
public enum Quantity: String, CaseIterable, Sendable {
  /// Temperature in C.
  case temperature
  /// Pressure in Pa.
  case pressure
  /// Relative humidity in %.
  case humidity

  /// A unit in which programs show it.
  struct Unit: Hashable, Sendable {
    let quantity: Quantity
    /// The suffix of a name, without its underscore.
    let suffix: String
    /// How programs write it behind a number.
    let spellings: [String]
    /// What one is in C, Pa or %, and what is added.
    let scale: Double, offset: Double
  }

  /// The units in which programs show it, the usual one first.
  var units: [Unit] {
    func unit(_ suffix: String, _ spellings: [String], _ scale: Double, _ offset: Double = 0)
      -> Unit
    {
      Unit(quantity: self, suffix: suffix, spellings: spellings, scale: scale, offset: offset)
    }
    switch self {
    case .temperature:
      return [
        unit("c", ["degrees c", "degc", "deg c", "celsius", "°c", "ºc", "℃", "'c", "*c", "c"], 1),
        unit(
          "f", ["degrees f", "degf", "deg f", "fahrenheit", "°f", "ºf", "℉", "f"], 5.0 / 9,
          -160.0 / 9),
        unit("k", ["kelvin", "k"], 1, -273.15),
      ]
    case .pressure:
      return [
        unit("hpa", ["hpa", "mbar", "millibar"], 100), unit("pa", ["pa", "pascal", "pascals"], 1),
        unit("kpa", ["kpa"], 1000), unit("mbar", [], 100),
        unit("mmhg", ["mmhg", "mm hg", "torr"], PressureUnit.millimetreOfMercury.pascals),
        unit("inhg", ["inhg", "in hg"], PressureUnit.inchOfMercury.pascals),
      ]
    case .humidity:
      return [
        unit("rh", ["%rh", "% rh", "rh%", "%", "percent", "rh"], 1), unit("percent", [], 1),
        unit("fraction", [], 100),
      ]
    }
  }

  /// The unit that a name says: `pressure_hpa`; the usual one for `pressure`.
  static func unit(named name: String) -> Unit? {
    let name = name.lowercased()
    for quantity in allCases where name.hasPrefix(quantity.rawValue) {
      let rest = name.dropFirst(quantity.rawValue.count)
      if rest.isEmpty { return quantity.units[0] }
      guard rest.first == "_" else { return nil }
      return quantity.units.first { $0.suffix == rest.dropFirst() }
    }
    return nil
  }

  /// All names that say a quantity and its unit.
  static var names: String {
    allCases.flatMap { quantity in quantity.units.map { "\(quantity.rawValue)_\($0.suffix)" } }
      .joined(separator: ", ")
  }
}
