public import VirtualSensors

/// The air of a rig.
public enum Environment: Sendable {
  /// Air that follows given courses.
  case scripted(pressure: Track, temperature: Track, humidity: Track)
  /// Air from a table, and the moment (ns since 1970) at which the run begins.
  case series(WeatherSeries)

  /// The moment at which the run begins, in nanoseconds since 1970; 0 unless a series says it.
  public var start: Int64 {
    switch self {
    case .scripted: 0
    case .series(let series): series.start
    }
  }

  /// The source from which the sensors take it.
  public func source() -> any AirSource {
    switch self {
    case .scripted(let pressure, let temperature, let humidity):
      ScriptedAir(pressure: pressure, temperature: temperature, humidity: humidity)
    case .series(let series):
      ScriptedAir(
        pressure: series.pressure, temperature: series.temperature, humidity: series.humidity)
    }
  }
}
