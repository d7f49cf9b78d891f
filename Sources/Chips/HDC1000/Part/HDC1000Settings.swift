package import Parts
package import Schema

/// How a pipeline measures with an HDC1000: the keys that its driver takes.
package struct HDC1000Settings: DriverSettings {
  /// Resolutions, both quantities in one measurement.
  package var configuration = HDC1000Configuration()

  package var measurementTime: UInt64 {
    HDC1000Quantity.allCases.reduce(0) {
      $0 + configuration.resolution(of: $1).time(of: $1) * 9 / 8
    }
  }
}

extension HDC1000Part {
  package func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings {
    var settings = HDC1000Settings()
    guard let asked = value["resolution"] else { return settings }
    let temperature = resolution(asked["temperature"], [.bits14, .bits11])
    let humidity = resolution(asked["humidity"], [.bits14, .bits11, .bits8])
    if let temperature, let humidity {
      settings.configuration.temperatureResolution = temperature
      settings.configuration.humidityResolution = humidity
    } else {
      checker.note(
        "an hdc1000 measures temperature in 14 or 11 bits, humidity in 14, 11 or 8",
        at: asked.position)
    }
    return settings
  }

  /// The resolution that a key asks for, 14 bits where it is not there; `nil` where no such is known.
  private func resolution(
    _ value: CheckedValue?, _ known: [HDC1000Resolution]
  ) -> HDC1000Resolution? {
    known.first { $0.bits == value?.integer ?? 14 }
  }
}
