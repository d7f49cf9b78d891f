package import Quantities

/// One result of a sensor: what it measured, and the codes of its converters behind it.
package struct Sample: Hashable, Sendable {
  /// What the converters gave, before any formula; `nil` where the part has no converter for it.
  package typealias Codes = PerQuantity<Int32?>

  /// The temperature in °C; `nil` where it was not measured.
  package var celsius: Double?
  /// The pressure in Pa; `nil` where it was not measured.
  package var pascals: Double?
  /// The relative humidity in %; `nil` where it was not measured.
  package var relativeHumidity: Double?
  /// The codes behind them.
  package var codes: Codes

  /// Creates a result; nothing was measured unless given.
  package init(
    celsius: Double? = nil, pascals: Double? = nil, relativeHumidity: Double? = nil,
    codes: Codes = Codes()
  ) {
    self.celsius = celsius
    self.pascals = pascals
    self.relativeHumidity = relativeHumidity
    self.codes = codes
  }

  /// The value of a quantity in °C, Pa or %; `nil` where it was not measured.
  package subscript(_ quantity: Quantity) -> Double? {
    switch quantity {
    case .temperature: celsius
    case .pressure: pascals
    case .humidity: relativeHumidity
    }
  }
}
