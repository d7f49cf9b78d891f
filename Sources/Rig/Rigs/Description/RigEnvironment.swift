package import Environment
package import Parts
import Quantities
package import Support

/// The ambient air of a rig.
package enum RigEnvironment: Sendable {
  /// Air whose quantities follow profiles that the rig configures.
  case scripted(pressure: Profile, temperature: Profile, humidity: Profile)
  /// Air from a weather table, with the date at the start of the run (ns since 1970).
  case series(WeatherSeries)
  /// The air of a cabin, which differs from module to module.
  case cabin(CabinPlan)

  /// The date at the start of the run, in nanoseconds since 1970; 0 without a series.
  package var start: Int64 {
    switch self {
    case .scripted, .cabin: 0
    case .series(let series): series.start
    }
  }

  /// The end of the weather data, in nanoseconds since the start; the last values are kept afterwards.
  ///
  /// `nil` for air that is defined at all times.
  package var knownTime: UInt64? {
    guard case .series(let series) = self else { return nil }
    let last = [series.pressure, series.temperature, series.humidity]
      .compactMap(\.points.last?.time)
    return UInt64(max(last.max() ?? 0, 0))
  }

  /// The plan of the cabin; `nil` for other air.
  package var plan: CabinPlan? {
    if case .cabin(let plan) = self { plan } else { nil }
  }

  /// Creates the cabin; `nil` for other air.
  package func cabin() -> Cabin? {
    plan.map(Cabin.init)
  }

  /// Creates the source of the air around the sensors; for a cabin, it is the air of the first
  /// module.
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

extension Rig {
  /// Notes about air values that leave the specified range of a sensor of the rig.
  package var airNotes: [Finding] {
    let parts =
      describedBuses.flatMap(\.devices).map(\.part.model) + [fleet?.part.model].compactMap { $0 }
    return Quantity.allCases.compactMap { quantity in
      guard let air = environment.range(of: quantity, during: duration) else { return nil }
      let left = parts.first { model in
        model.ranges[quantity].map {
          air.lowerBound < $0.lowerBound || air.upperBound > $0.upperBound
        } ?? false
      }
      guard let left, let allowed = left.ranges[quantity] else { return nil }
      let extreme = air.lowerBound < allowed.lowerBound ? air.lowerBound : air.upperBound
      func shown(_ value: Double) -> String { Decimal.fixed(quantity.shown(value), 0) }
      let unit = quantity.shownUnit.symbol
      return Finding(
        .note, "air", at: Finding.Location(file: file),
        "the air reaches \(Decimal.shortest(quantity.shown(extreme))) \(unit), outside the range of "
          + "\(left.titleWithArticle), \(shown(allowed.lowerBound)) to \(shown(allowed.upperBound)) "
          + "\(unit); its values there are invalid")
    }
  }
}

extension RigEnvironment {
  /// Returns the range of a quantity of the air; `nil` for a cabin, whose air depends on the run.
  fileprivate func range(of quantity: Quantity, during duration: UInt64?) -> ClosedRange<Double>? {
    let profile: Profile
    switch self {
    case .scripted(let pressure, let temperature, let humidity):
      profile =
        PerQuantity(temperature: temperature, pressure: pressure, humidity: humidity)[quantity]
    case .series(let series):
      profile =
        PerQuantity(
          temperature: series.temperature, pressure: series.pressure, humidity: series.humidity)[
          quantity]
    case .cabin: return nil
    }
    let end = duration.map(Int64.init) ?? Int64.max
    let values =
      [profile.value(at: 0), profile.value(at: end)]
      + profile.points.filter { (0...end).contains($0.time) }.map(\.value)
    return (values.min() ?? 0)...(values.max() ?? 0)
  }
}
