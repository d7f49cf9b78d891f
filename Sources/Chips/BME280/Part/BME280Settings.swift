package import BME280
package import BME280Driver
package import Parts
package import Schema

/// How a pipeline measures with a BME280: the keys that its driver takes.
package struct BME280Settings: DriverSettings {
  /// What is measured and how finely.
  package var measurement = MeasurementSettings()
  /// Whether the part runs in normal mode instead of forced.
  package var usesNormalMode = false
  /// The compensation formulas.
  package var variant = CompensationVariant.datasheetInt64

  /// Creates settings: one reading of each channel in forced mode unless given.
  package init(measurement: MeasurementSettings = MeasurementSettings()) {
    self.measurement = measurement
  }

  package var measurementTime: UInt64 { measurement.maximumMeasurementTime(on: .bme280) }

  package var measuresTemperature: Bool { measurement.temperature != .skipped }

  package var measuresPressure: Bool { measuresTemperature && measurement.pressure != .skipped }

  package var filterCoefficient: Int { measurement.filter.coefficient }

  package var isContinuous: Bool { usesNormalMode }
}

extension BME280Part {
  package func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings {
    let oversampling = value["oversampling"]
    func setting(_ channel: String) -> Oversampling {
      Oversampling(samples: oversampling?[channel]?.integer ?? 1) ?? .x1
    }
    var settings = BME280Settings(
      measurement: MeasurementSettings(
        temperature: setting("temperature"), pressure: setting("pressure"),
        humidity: setting("humidity"),
        filter: Filter(coefficient: value["filter"]?.integer ?? 0) ?? .off,
        standby: standby(value["standby"], &checker)))
    settings.usesNormalMode = value["mode"]?.text == "normal"
    settings.variant =
      CompensationVariant.allCases.first { "\($0.name)" == value["variant"]?.text }
      ?? .datasheetInt64
    return settings
  }

  private func standby(_ value: CheckedValue?, _ checker: inout Checker) -> Standby {
    guard let value, let time = value.nanoseconds else { return Standby(rawValue: 0) }
    if let standby = Standby(nanoseconds: UInt64(time), on: .bme280) { return standby }
    checker.note(
      "no such standby time (known: 0.5ms, 62.5ms, 125ms, 250ms, 500ms, 1s, 10ms, 20ms)",
      at: value.position)
    return Standby(rawValue: 0)
  }
}
