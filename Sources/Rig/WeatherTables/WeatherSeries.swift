package import Environment

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
