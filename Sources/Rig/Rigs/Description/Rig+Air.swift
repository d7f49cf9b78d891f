import Environment
package import Findings
import Parts
import Quantities
import Text
import WeatherTables

extension Rig {
  /// A note of each quantity of the air that leaves what a sensor of the rig measures by its data sheet.
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
        .note, "air", at: Finding.Place(file: file),
        "the air reaches \(Decimal.shortest(quantity.shown(extreme))) \(unit), and \(left.titleWithArticle) is made for "
          + "\(shown(allowed.lowerBound)) to \(shown(allowed.upperBound)) \(unit): outside, its values mean nothing"
      )
    }
  }
}

extension EnvironmentPlan {
  /// The least and the most that a quantity of the air is; `nil` in a cabin, where only a run tells.
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
