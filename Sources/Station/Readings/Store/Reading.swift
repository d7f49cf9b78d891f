/// One reading of the station.
package struct Reading: Hashable, Sendable {
  /// Its number in the store, from 1, rising; 0 for one that is not stored.
  package var sequence: Int64 = 0
  /// When, in seconds since 1970.
  package let time: Int
  /// °C.
  package let celsius: Double?
  /// %.
  package let humidity: Double?
  /// Pa at the station.
  package let pascals: Double?

  /// Creates a reading.
  package init(
    sequence: Int64 = 0, time: Int, celsius: Double?, humidity: Double?, pascals: Double?
  ) {
    (self.sequence, self.time) = (sequence, time)
    (self.celsius, self.humidity, self.pascals) = (celsius, humidity, pascals)
  }
}

/// A forecast as it was made: for a moment, by the model alone and corrected by the station.
package struct IssuedForecast: Hashable, Sendable {
  /// What of: a name of `/v1/forecast`.
  package let metric: String
  /// When it was made, and for when, in seconds since 1970.
  package let issued, valid: Int
  /// The model's value at the station's height.
  package let model: Double
  /// The value that the station corrects; `nil` where it had nothing to say.
  package let corrected: Double?

  /// Creates a forecast.
  package init(metric: String, issued: Int, valid: Int, model: Double, corrected: Double?) {
    (self.metric, self.issued, self.valid) = (metric, issued, valid)
    (self.model, self.corrected) = (model, corrected)
  }
}

/// What a forecaster that only looks at the barometer said.
package struct BarometerForecast: Hashable, Sendable {
  /// `thesis`, `an3914` or `zambretti`.
  package let method: String
  /// When it was said, in seconds since 1970.
  package let issued: Int
  /// Whether it means rain.
  package let isWet: Bool
}
