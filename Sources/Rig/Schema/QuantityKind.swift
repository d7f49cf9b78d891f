package import Quantities
import Support

/// A physical quantity in a file: a number and a unit, such as `10s`, `1005hPa` or `45%`.
package enum QuantityKind: String, Hashable, Sendable, CaseIterable {
  /// A duration, stored in nanoseconds.
  case duration
  /// A bus frequency, stored in Hz.
  case frequency
  /// A pressure, stored in Pa.
  case pressure
  /// A temperature, stored in °C.
  case temperature
  /// A temperature difference, stored in °C.
  case temperatureDifference = "temperature difference"
  /// A relative humidity, stored in %.
  case humidity
  /// An altitude above sea level, stored in m.
  case altitude
  /// A length, stored in m.
  case length
  /// A volume, stored in m3.
  case volume
  /// A rate of change of pressure, stored in Pa/s.
  case pressureRate = "rate of pressure"
  /// A signed change of pressure, stored in Pa.
  case pressureChange = "change of pressure"
  /// A signed change of temperature, stored in °C.
  case temperatureChange = "change of temperature"
  /// A signed change of relative humidity, stored in %.
  case humidityChange = "change of humidity"
  /// A battery charge, stored in µC.
  case charge
  /// A memory size, stored in bytes.
  case size
  /// An electric potential, stored in V.
  case voltage

  /// The accepted units, the most common one first.
  package var units: [QuantityUnit] {
    switch self {
    case .duration:
      [
        QuantityUnit("s", times: 1e9), QuantityUnit("ms", times: 1e6),
        QuantityUnit("us", times: 1e3), QuantityUnit("ns"),
        QuantityUnit("min", times: 60e9), QuantityUnit("h", times: 3600e9),
        QuantityUnit("d", times: 86400e9),
      ]
    case .frequency:
      [QuantityUnit("kHz", times: 1e3), QuantityUnit("Hz"), QuantityUnit("MHz", times: 1e6)]
    case .pressure, .pressureChange: Quantity.pressure.units
    case .temperature: Quantity.temperature.units
    case .temperatureDifference, .temperatureChange:
      Quantity.temperature.units.map(\.ofDifferences)
    case .humidity, .humidityChange: Quantity.humidity.units
    case .altitude:
      [QuantityUnit("m"), QuantityUnit("km", times: 1000), QuantityUnit("ft", times: 0.3048)]
    case .length:
      [QuantityUnit("mm", times: 0.001), QuantityUnit("cm", times: 0.01), QuantityUnit("m")]
    case .volume: [QuantityUnit("m3")]
    case .pressureRate:
      [
        QuantityUnit("mmHg/min", times: PressureUnit.millimetreOfMercury.pascals / 60),
        QuantityUnit("hPa/min", times: PressureUnit.hectopascal.pascals / 60), QuantityUnit("Pa/s"),
      ]
    case .charge:
      [
        QuantityUnit("mAh", times: 3.6e6), QuantityUnit("uAh", times: 3.6e3),
        QuantityUnit("mC", times: 1e3),
      ]
    case .size:
      [QuantityUnit("B"), QuantityUnit("KiB", times: 1024), QuantityUnit("MiB", times: 1_048_576)]
    case .voltage: [QuantityUnit("V"), QuantityUnit("mV", times: 0.001)]
    }
  }

  /// The symbols of the accepted units, the most common one first.
  package var symbols: [String] { units.map { "\($0.symbol)" } }

  /// The accepted range, in the stored unit.
  package var range: ClosedRange<Double> {
    switch self {
    case .duration: 0...3650 * 86400e9
    case .frequency: 1...3.4e6
    case .pressure: 0...2_000_000
    case .temperature: -273.15...200
    case .temperatureDifference: 0...500
    case .humidity: 0...100
    case .altitude: -500...11_000
    case .length: 0...10
    case .volume: 0.001...1_000_000
    case .pressureRate: 0...100_000
    case .pressureChange: -100_000...100_000
    case .temperatureChange: -200...200
    case .humidityChange: -100...100
    case .charge: 0...3.6e12
    case .size: 0...4_294_967_296
    case .voltage: 0...5.5
    }
  }

  /// An example for messages.
  package var example: String {
    switch self {
    case .duration: "10s"
    case .frequency: "400kHz"
    case .pressure: "1005hPa"
    case .temperature: "21.3C"
    case .temperatureDifference: "0.1C"
    case .humidity: "45%"
    case .altitude: "35m"
    case .length: "12.3mm"
    case .volume: "90m3"
    case .pressureRate: "5mmHg/min"
    case .pressureChange: "-50Pa"
    case .temperatureChange: "+0.5C"
    case .humidityChange: "-3%"
    case .charge: "0.5mAh"
    case .size: "16KiB"
    case .voltage: "1.5V"
    }
  }

  /// Returns the unit with a given symbol; `°C` and `%RH` are accepted too.
  package func unit(_ symbol: String) -> QuantityUnit? {
    let plain = symbol.contains("°") ? symbol.filter { $0 != "°" } : symbol
    return units.first { unit in
      let known = "\(unit.symbol)"
      return known == plain || (known == "%" && plain == "%RH")
    }
  }

  /// An error in the text of a quantity, or in another value of a file.
  package struct FormatError: Error {
    package let message: String

    package init(message: String) { self.message = message }
  }

  /// The name with the indefinite article: `a duration`, `an altitude`.
  package var nounWithArticle: String {
    (rawValue.first.map { "aeiou".contains($0) } ?? false ? "an " : "a ") + rawValue
  }

  /// Parses a number and a unit, with an optional space between them; a duration may have several
  /// such pairs, as in `2h10min`.
  package func parse(_ text: String) throws(FormatError) -> Double {
    guard self == .duration, let parts = Self.parts(text) else { return try parsePart(text) }
    var sum = 0.0
    for part in parts { sum += try parsePart(part) }
    guard range.contains(sum) else {
      throw FormatError(message: "\(text.clipped) is out of range for \(nounWithArticle)")
    }
    return sum
  }

  /// Splits a duration into pairs of number and unit; returns `nil` if there is only one pair, or
  /// for any other text.
  private static func parts(_ text: String) -> [String]? {
    var parts: [String] = []
    var part = ""
    for character in text where character != " " {
      let isNumeral = character.isNumber || character == "."
      if isNumeral, let last = part.last, last.isLetter {
        parts.append(part)
        part = ""
      } else if !isNumeral, !character.isLetter {
        return nil
      }
      part.append(character)
    }
    return parts.isEmpty ? nil : parts + [part]
  }

  /// Common spellings of units that are not accepted, and the accepted unit for each.
  private static let usualSpellings: [QuantityKind: [String: String]] = [
    .duration: [
      "m": "min", "M": "min", "mn": "min", "minute": "min", "minutes": "min", "hr": "h", "hrs": "h",
      "hour": "h", "hours": "h", "day": "d", "days": "d", "sec": "s", "secs": "s", "second": "s",
      "seconds": "s", "msec": "ms", "usec": "us", "µs": "us", "μs": "us", "nsec": "ns",
    ]
  ]

  /// Returns a hint with the accepted unit closest to an unknown one, such as `min` for `m` or `h`
  /// for `hours`.
  private func hint(_ symbol: String) -> String {
    if let usual = Self.usualSpellings[self]?[symbol] { return "; did you mean '\(usual)'?" }
    let near = NearestWord.hint(symbol, among: symbols)
    guard near.isEmpty else { return near }
    let begun = symbols.filter { symbol.hasPrefix($0) }.max { $0.count < $1.count }
    return begun.map { "; did you mean '\($0)'?" } ?? ""
  }

  private func parsePart(_ text: String) throws(FormatError) -> Double {
    let numeral = text.prefix { $0.isNumber || "+-.eE".contains($0) }
    var digits = String(numeral)
    if digits.last == "e" || digits.last == "E" { digits.removeLast() }
    let symbol = text.dropFirst(digits.count).trimmed
    guard let number = Double(digits), number.isFinite else {
      throw FormatError(
        message: "'\(text.clipped)' is not \(nounWithArticle); for example \(example)")
    }
    guard !symbol.isEmpty else {
      throw FormatError(message: "'\(text.clipped)' needs a unit; for example \(example)")
    }
    guard let unit = unit(symbol) else {
      let known = symbols
      throw FormatError(
        message: "unknown unit '\(symbol.clipped)' for \(rawValue)"
          + hint(symbol)
          + " (accepted: \(known.joined(separator: ", ")))")
    }
    let value = unit.kept(number)
    guard range.contains(value) else {
      throw FormatError(message: "\(text.clipped) is out of range for \(nounWithArticle)")
    }
    return value
  }
}

/// Parses the tolerances on a command line, such as `50Pa,0.5C,2%`.
package enum Tolerances {
  private static let kinds: [(quantity: Quantity, kind: QuantityKind)] = [
    (.pressure, .pressureChange), (.temperature, .temperatureChange),
    (.humidity, .humidityChange),
  ]

  /// Parses tolerances.
  ///
  /// - Parameter text: a number and a unit for each quantity, separated by commas.
  /// - Throws: `QuantityKind.FormatError` with the accepted units.
  /// - Returns: the tolerances in the stored units; `nil` for a quantity that is not given.
  package static func parse(
    _ text: String
  ) throws(QuantityKind.FormatError) -> AirReading {
    var found = AirReading(temperature: nil, pressure: nil, humidity: nil)
    for part in text.split(separator: ",") {
      let part = part.trimmed
      let symbol = String(part.drop { $0.isNumber || "+-. ".contains($0) })
      guard let (quantity, kind) = kinds.first(where: { $0.kind.unit(symbol) != nil }) else {
        let known = kinds.flatMap(\.kind.symbols)
        let what =
          symbol.isEmpty
          ? "'\(part.clipped)' needs a unit; for example 50Pa,0.5C,2%"
          : "unknown unit '\(symbol.clipped)' for pressure, temperature or humidity"
            + NearestWord.hint(symbol, among: known)
        throw QuantityKind.FormatError(
          message: "\(what) (accepted: \(known.joined(separator: ", ")))")
      }
      let value = try kind.parse(part)
      guard value >= 0 else {
        throw QuantityKind.FormatError(message: "the tolerance '\(part.clipped)' is below 0")
      }
      guard found[quantity] == nil else {
        throw QuantityKind.FormatError(
          message: "the tolerance of \(quantity.rawValue) is given twice")
      }
      found[quantity] = value
    }
    return found
  }
}
