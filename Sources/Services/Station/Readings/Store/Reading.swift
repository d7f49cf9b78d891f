/// A reading from the station's sensor.
package struct Reading: Hashable, Sendable {
  /// The sequence number in the store, starting at 1 and ascending; 0 if the reading is not stored.
  package var sequence: Int64 = 0
  /// The time in seconds since 1970.
  package let time: Int
  /// The temperature in °C; `nil` if it was not measured.
  package let celsius: Double?
  /// The relative humidity in %; `nil` if it was not measured.
  package let humidity: Double?
  /// The pressure at the station in Pa; `nil` if it was not measured.
  package let pascals: Double?

  package init(
    sequence: Int64 = 0, time: Int, celsius: Double?, humidity: Double?, pascals: Double?
  ) {
    (self.sequence, self.time) = (sequence, time)
    (self.celsius, self.humidity, self.pascals) = (celsius, humidity, pascals)
  }
}

/// A forecast value as it was issued, both from the model alone and corrected by the station.
package struct IssuedForecast: Hashable, Sendable {
  /// The name of the variable in `/v1/forecast`.
  package let metric: String
  /// The time at which the forecast was issued and the time for which it is valid, in seconds since
  /// 1970.
  package let issued, valid: Int
  /// The model's value, at the elevation of the station.
  package let model: Double
  /// The corrected value; `nil` if there was no correction.
  package let corrected: Double?

  package init(metric: String, issued: Int, valid: Int, model: Double, corrected: Double?) {
    (self.metric, self.issued, self.valid) = (metric, issued, valid)
    (self.model, self.corrected) = (model, corrected)
  }
}

/// A forecast by a method that uses only the pressure.
package struct BarometerForecast: Hashable, Sendable {
  /// The method: `thesis`, `an3914` or `zambretti`.
  package let method: String
  /// The time at which the forecast was issued, in seconds since 1970.
  package let issued: Int
  /// `true` if the forecast predicts rain.
  package let isWet: Bool
}
