/// A reading of the station.
package struct Reading: Hashable, Sendable {
  /// The sequence number in the store, ascending from 1; 0 if it is not stored.
  package var sequence: Int64 = 0
  /// The time in seconds since 1970.
  package let time: Int
  /// The temperature in °C.
  package let celsius: Double?
  /// The relative humidity in %.
  package let humidity: Double?
  /// The pressure at the station in Pa.
  package let pascals: Double?

  /// Creates a reading.
  package init(
    sequence: Int64 = 0, time: Int, celsius: Double?, humidity: Double?, pascals: Double?
  ) {
    (self.sequence, self.time) = (sequence, time)
    (self.celsius, self.humidity, self.pascals) = (celsius, humidity, pascals)
  }
}

/// A forecast as issued, by the model alone and corrected by the station.
package struct IssuedForecast: Hashable, Sendable {
  /// The variable, a name of `/v1/forecast`.
  package let metric: String
  /// The times at which it was issued and for which it is valid, in seconds since 1970.
  package let issued, valid: Int
  /// The model's value at the elevation of the station.
  package let model: Double
  /// The corrected value; `nil` without a correction.
  package let corrected: Double?

  /// Creates a forecast.
  package init(metric: String, issued: Int, valid: Int, model: Double, corrected: Double?) {
    (self.metric, self.issued, self.valid) = (metric, issued, valid)
    (self.model, self.corrected) = (model, corrected)
  }
}

/// A forecast of a method that uses pressure only.
package struct BarometerForecast: Hashable, Sendable {
  /// The method: `thesis`, `an3914` or `zambretti`.
  package let method: String
  /// The time at which it was issued, in seconds since 1970.
  package let issued: Int
  /// Whether it predicts rain.
  package let isWet: Bool
}
