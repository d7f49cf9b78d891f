package import Schema

extension Section {
  /// The keys of an error of each quantity.
  package static let deviation = Section(
    "An error of each quantity, none unless given.",
    [
      .optional("pressure", .quantity(.pressureChange), "of pressure"),
      .optional("temperature", .quantity(.temperatureChange), "of temperature"),
      .optional("humidity", .quantity(.humidityChange), "of humidity"),
    ])
}

/// An error of each quantity, as the keys of `Section.deviation` say it.
package struct DeviationKeys: Hashable, Sendable {
  /// The error in Pa, °C and %; 0 where the key is not there.
  package let pressure, temperature, humidity: Double

  /// Reads the keys.
  package init(_ value: CheckedValue?) {
    pressure = value?["pressure"]?.number ?? 0
    temperature = value?["temperature"]?.number ?? 0
    humidity = value?["humidity"]?.number ?? 0
  }
}
