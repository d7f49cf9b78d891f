/// Air whose quantities follow courses known beforehand: constants, ramps, steps or a series.
public final class ScriptedAir: AirSource {
  /// The pressure in Pa.
  public let pressure: Profile
  /// The temperature in C.
  public let temperature: Profile
  /// The relative humidity in %.
  public let humidity: Profile

  /// Creates air from three courses.
  public init(pressure: Profile, temperature: Profile, humidity: Profile) {
    self.pressure = pressure
    self.temperature = temperature
    self.humidity = humidity
  }

  /// Creates air that never changes.
  public convenience init(constant air: Air) {
    self.init(
      pressure: Profile(constant: air.pressure), temperature: Profile(constant: air.temperature),
      humidity: Profile(constant: air.humidity))
  }

  /// The air at a time in nanoseconds since the start of the run.
  public func air(at time: UInt64) -> Air {
    let time = Int64(clamping: time)
    return Air(
      pressure: pressure.value(at: time), temperature: temperature.value(at: time),
      humidity: humidity.value(at: time))
  }
}
