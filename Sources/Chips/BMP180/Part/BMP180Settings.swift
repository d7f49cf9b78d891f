package import Parts
package import Schema

/// How a pipeline measures with a BMP180: the keys that its driver takes.
package struct BMP180Settings: DriverSettings {
  /// How many readings a pressure adds up.
  package var oversampling = BMP180Oversampling.x1

  package var measuresPressure: Bool { true }

  package var measurementTime: UInt64 {
    BMP180Conversion.temperature.longestTime + BMP180Conversion.pressure(oversampling).longestTime
  }
}

extension BMP180Part {
  package func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings {
    var settings = BMP180Settings()
    guard let asked = value["oversampling"] else { return settings }
    let number = asked["pressure"]?.integer ?? 1
    guard let oversampling = BMP180Oversampling.allCases.first(where: { $0.samples == number })
    else {
      checker.note("a bmp180 adds up 1, 2, 4 or 8 readings of a pressure", at: asked.position)
      return settings
    }
    settings.oversampling = oversampling
    return settings
  }
}
