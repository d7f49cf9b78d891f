package import Quantities
import Text

/// By how much values may differ, as a command line says it: `50Pa,0.5C,2%`.
package enum Tolerances {
  private static let kinds: [(quantity: Quantity, kind: QuantityKind)] = [
    (.pressure, .pressureChange), (.temperature, .temperatureChange),
    (.humidity, .humidityChange),
  ]

  /// Reads them.
  ///
  /// - Parameter text: a number and a unit for each quantity, with commas between them.
  /// - Throws: `QuantityKind.FormatError` that says what is wrong, and what is known.
  /// - Returns: the tolerances in the kept units; `nil` for a quantity that is not named.
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
        throw QuantityKind.FormatError(message: "'\(part.clipped)': a tolerance is not below 0")
      }
      guard found[quantity] == nil else {
        throw QuantityKind.FormatError(message: "two tolerances of \(quantity.rawValue)")
      }
      found[quantity] = value
    }
    return found
  }
}
