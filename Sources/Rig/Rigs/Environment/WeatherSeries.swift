package import Environment
package import Quantities
package import Schema

/// The air of a time span, from a table of weather.
package struct WeatherSeries: Sendable {
  /// The moment at which the run begins, in nanoseconds since 1970.
  package let start: Int64
  /// The last moment of which the table speaks, in nanoseconds since 1970.
  package let end: Int64
  /// The pressure in Pa over the time since the start.
  package let pressure: Profile
  /// The temperature in C over the time since the start.
  package let temperature: Profile
  /// The relative humidity in % over the time since the start.
  package let humidity: Profile
}

/// How a table of weather is to be read.
package struct WeatherTable {
  /// One column: its name in the header and the unit of its numbers.
  package struct Column {
    package let name: String
    package let quantity: QuantityKind
    package let unit: QuantityUnit
  }

  package let path: String
  package let time: String
  /// The moment at which the run begins; that of the first row when `nil`.
  package let start: Int64?
  /// How long the run lasts; to the end of the table when `nil`.
  package let duration: Int64?
  /// Pressure, temperature, humidity.
  package let columns: [Column]
  package let missing: String?
  /// The longest gap that may be bridged; none when `nil`.
  package let longestGap: Int64?
}
