package import Quantities

/// One result of a sensor: what it measured, and the codes of its converters behind it.
package struct Sample: Hashable, Sendable {
  /// What the converters gave, before any formula; `nil` where the part has no converter for it.
  package typealias Codes = PerQuantity<Int32?>

  /// What it says of the air.
  package var values: AirReading
  /// The codes behind them.
  package var codes: Codes

  /// Creates a result; nothing was measured unless given.
  package init(
    celsius: Double? = nil, pascals: Double? = nil, relativeHumidity: Double? = nil,
    codes: Codes = Codes()
  ) {
    values = AirReading(temperature: celsius, pressure: pascals, humidity: relativeHumidity)
    self.codes = codes
  }

  /// The temperature in °C; `nil` where it was not measured.
  package var celsius: Double? { values.temperature }
  /// The pressure in Pa; `nil` where it was not measured.
  package var pascals: Double? { values.pressure }
  /// The relative humidity in %; `nil` where it was not measured.
  package var relativeHumidity: Double? { values.humidity }

  /// The value of a quantity in °C, Pa or %; `nil` where it was not measured.
  package subscript(_ quantity: Quantity) -> Double? { values[quantity] }
}
