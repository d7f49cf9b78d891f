/// Air whose quantities follow courses known beforehand: constants, ramps, steps or a series.
public final class ScriptedAir: AirSource {
  /// The pressure in Pa.
  public let pressure: Track
  /// The temperature in C.
  public let temperature: Track
  /// The relative humidity in %.
  public let humidity: Track

  /// Makes air from three courses.
  public init(pressure: Track, temperature: Track, humidity: Track) {
    self.pressure = pressure
    self.temperature = temperature
    self.humidity = humidity
  }

  /// Makes air that never changes.
  public convenience init(constant air: Air) {
    self.init(
      pressure: Track(constant: air.pressure), temperature: Track(constant: air.temperature),
      humidity: Track(constant: air.humidity))
  }

  /// The air at a time in nanoseconds since the start of the run.
  public func air(at time: UInt64) -> Air {
    let time = Int64(clamping: time)
    return Air(
      pressure: pressure.value(at: time), temperature: temperature.value(at: time),
      humidity: humidity.value(at: time))
  }
}
