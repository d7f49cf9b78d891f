package import Quantities
import Text

/// A physical quantity as files write it: a number and a unit, `10s`, `1005hPa`, `45%`.
package enum QuantityKind: String, Hashable, Sendable, CaseIterable {
  /// A length of time, kept in nanoseconds.
  case duration
  /// A bus frequency, kept in Hz.
  case frequency
  /// A pressure, kept in Pa.
  case pressure
  /// A temperature, kept in C.
  case temperature
  /// A difference of temperatures, kept in C.
  case temperatureDifference = "temperature difference"
  /// A relative humidity, kept in %.
  case humidity
  /// A height above the sea, kept in m.
  case altitude
  /// A length, kept in m.
  case length
  /// A volume, kept in m3.
  case volume
  /// A speed at which pressure changes, kept in Pa/s.
  case pressureRate = "rate of pressure"
  /// A change of pressure with its sign, kept in Pa.
  case pressureChange = "change of pressure"
  /// A change of temperature with its sign, kept in C.
  case temperatureChange = "change of temperature"
  /// A change of relative humidity with its sign, kept in %.
  case humidityChange = "change of humidity"
  /// The charge of a battery, kept in microcoulombs.
  case charge
  /// A size of memory, kept in bytes.
  case size

  /// The units, the usual one first.
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
    }
  }

  /// How the units are written, the usual one first.
  package var symbols: [String] { units.map { "\($0.symbol)" } }

  /// The values that make sense, in the kept unit.
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
    }
  }

  /// The unit with a symbol; `°C` and `%RH` are understood too.
  package func unit(_ symbol: String) -> QuantityUnit? {
    let plain = symbol.contains("°") ? symbol.filter { $0 != "°" } : symbol
    return units.first { unit in
      let known = "\(unit.symbol)"
      return known == plain || (known == "%" && plain == "%RH")
    }
  }

  /// Why a text is no such quantity.
  package struct FormatError: Error {
    package let message: String
  }

  /// Its name behind an article: `a duration`, `an altitude`.
  package var nounWithArticle: String {
    (rawValue.first.map { "aeiou".contains($0) } ?? false ? "an " : "a ") + rawValue
  }

  /// Reads a number and a unit, between which a blank may stand; of a duration several, `2h10min`.
  package func parse(_ text: String) throws(FormatError) -> Double {
    guard self == .duration, let parts = Self.parts(text) else { return try parsePart(text) }
    var sum = 0.0
    for part in parts { sum += try parsePart(part) }
    guard range.contains(sum) else {
      throw FormatError(message: "\(text.clipped) is out of range for \(nounWithArticle)")
    }
    return sum
  }

  /// The parts of a duration, each a number and a unit; `nil` where there is only one, or something else.
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

  /// Units as people write them elsewhere, and the accepted unit for each.
  private static let usualSpellings: [QuantityKind: [String: String]] = [
    .duration: [
      "m": "min", "M": "min", "mn": "min", "minute": "min", "minutes": "min", "hr": "h", "hrs": "h",
      "hour": "h", "hours": "h", "day": "d", "days": "d", "sec": "s", "secs": "s", "second": "s",
      "seconds": "s", "msec": "ms", "usec": "us", "µs": "us", "μs": "us", "nsec": "ns",
    ]
  ]

  /// The accepted unit that an unknown one most likely means: `min` for `m`, `h` for `hours`.
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
