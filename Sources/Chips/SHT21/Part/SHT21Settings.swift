package import Parts
package import Schema

/// How a pipeline measures with an SHT21: the keys that its driver takes.
package struct SHT21Settings: DriverSettings {
  /// How finely.
  package var resolution = SHT21Resolution.humidity12Temperature14
  /// How a result is waited for.
  package var waiting = SHT21Driver.Waiting.noHold

  package var measurementTime: UInt64 {
    resolution.longestTime(of: .temperature) + resolution.longestTime(of: .humidity)
  }
}

extension SHT21Part {
  package func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings {
    var settings = SHT21Settings()
    if value["hold"]?.boolean == true { settings.waiting = .hold }
    guard let asked = value["resolution"] else { return settings }
    let (temperature, humidity) = (asked["temperature"]?.integer, asked["humidity"]?.integer)
    let found = SHT21Resolution.allCases.first {
      temperature ?? $0.bits(of: .temperature) == $0.bits(of: .temperature)
        && humidity ?? $0.bits(of: .humidity) == $0.bits(of: .humidity)
    }
    if let found {
      settings.resolution = found
    } else {
      checker.note(
        "an sht21 measures temperature and humidity in 14 and 12 bits, 13 and 10, 12 and 8, or 11 and 11",
        at: asked.position)
    }
    return settings
  }
}
