package import Environment
package import WeatherTables

/// The air of a rig.
package enum EnvironmentPlan: Sendable {
  /// Air that follows given courses.
  case scripted(pressure: Profile, temperature: Profile, humidity: Profile)
  /// Air from a table, and the moment (ns since 1970) at which the run begins.
  case series(WeatherSeries)
  /// The air of a cabin, which differs from module to module.
  case cabin(CabinPlan)

  /// The moment at which the run begins, in nanoseconds since 1970; 0 unless a series says it.
  package var start: Int64 {
    switch self {
    case .scripted, .cabin: 0
    case .series(let series): series.start
    }
  }

  /// How long the air is known, in nanoseconds since the start; afterwards its last value holds.
  ///
  /// Nothing where it is known for ever.
  package var knownTime: UInt64? {
    guard case .series(let series) = self else { return nil }
    let last = [series.pressure, series.temperature, series.humidity]
      .compactMap(\.points.last?.time)
    return UInt64(max(last.max() ?? 0, 0))
  }

  /// The plan of the cabin, where the air is that of one.
  package var plan: CabinPlan? {
    if case .cabin(let plan) = self { plan } else { nil }
  }

  /// The cabin, worked out, where the air is that of one.
  package func cabin() -> Cabin? {
    plan.map(Cabin.init)
  }

  /// The source from which the sensors take it; in a cabin that of its first module.
  package func source() -> any AirSource {
    switch self {
    case .scripted(let pressure, let temperature, let humidity):
      ScriptedAir(pressure: pressure, temperature: temperature, humidity: humidity)
    case .series(let series):
      ScriptedAir(
        pressure: series.pressure, temperature: series.temperature, humidity: series.humidity)
    case .cabin(let plan): CabinAir(Cabin(plan), module: 0)
    }
  }
}
