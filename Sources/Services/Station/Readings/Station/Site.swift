import Barometry
package import Forecasts
import Glibc
import Quantities

/// The site of the station.
package struct Site: Sendable {
  /// The display name of the site.
  package let name: String
  package let location: GeoPoint
  /// The elevation above sea level in m.
  package let elevation: Double
  /// The radius in km within which the station corrects forecasts.
  package let radius: Double

  package init(name: String, location: GeoPoint, elevation: Double, radius: Double) {
    (self.name, self.location, self.elevation, self.radius) = (name, location, elevation, radius)
  }

  /// Converts the pressure at sea level to the pressure at the station, both in hPa.
  package func pressure(seaLevel: Double, celsius: Double) -> Double {
    seaLevel * 100
      / StandardAtmosphere.seaLevelPressure(of: 100, atAltitude: elevation, celsius: celsius)
  }

  /// Converts the pressure at the station in Pa to the pressure at sea level in hPa.
  package func seaLevel(pascals: Double, celsius: Double?) -> Double {
    Quantity.pressure.shown(
      StandardAtmosphere.seaLevelPressure(
        of: pascals, atAltitude: elevation, celsius: celsius ?? 15 - 0.0065 * elevation))
  }
}

/// The difference between the station and the model, with which the forecast for the next hours is
/// corrected.
package struct StationOffset: Hashable, Sendable {
  /// The offset of temperature in °C.
  package var temperature: Double?
  /// The offset of relative humidity in %.
  package var humidity: Double?
  /// The offset of pressure at sea level in hPa.
  package var seaLevelPressure: Double?
  /// The time at which the offset was determined, in seconds since 1970.
  package let moment: Int

  /// The time constant with which the offset decays, in hours; after this time, its weight is 1/e
  /// (37 %).
  package static let fading = 6.0

  /// Returns the weight of the offset at a time, which is 1 when the offset was determined and
  /// decays afterwards.
  package func weight(at later: Int) -> Double {
    later <= moment ? 1 : exp(-Double(later - moment) / 3600 / Self.fading)
  }

  /// Determines the offset at a time from the readings of the previous hour.
  ///
  /// The model's temperature is first adjusted to the station's elevation with 6.5 °C/km.
  ///
  /// - Parameters:
  ///   - store: The stored readings.
  ///   - site: The site of the station.
  ///   - forecast: The runs at the site.
  ///   - moment: The time in seconds since 1970.
  /// - Returns: The offset; `nil` if no two readings are within five minutes of each other, as with
  ///   a sensor read every half hour, or if no run covers the time.
  /// - Throws: An SQLite error.
  package static func find(
    _ store: ReadingStore, _ site: Site, _ forecast: PointForecast, at moment: Int
  ) throws -> StationOffset? {
    let known = forecast.known(at: moment)
    let readings = try store.means(every: 300, from: moment - 3600, to: moment)
    guard readings.count >= 2 else { return nil }
    func mean(_ seen: (Reading) -> Double?, _ model: (Int) -> Double?) -> Double? {
      // A mean over five minutes is assigned to the middle of its interval.
      let differences = readings.compactMap { reading in
        seen(reading).flatMap { value in model(reading.time + 150).map { value - $0 } }
      }
      return differences.isEmpty ? nil : differences.reduce(0, +) / Double(differences.count)
    }
    var offset = StationOffset(moment: moment)
    offset.temperature = mean(\.celsius) { site.temperature(known, at: $0) }
    offset.humidity = mean(\.humidity) { known.value(.humidity, at: $0) }
    offset.seaLevelPressure = mean(
      { reading in
        reading.pascals.map { site.seaLevel(pascals: $0, celsius: reading.celsius) }
      }, { known.value(.seaLevelPressure, at: $0) })
    guard offset.temperature != nil || offset.humidity != nil || offset.seaLevelPressure != nil
    else {
      return nil
    }
    return offset
  }

  private init(moment: Int) { self.moment = moment }
}

extension Site {
  /// Adjusts the model's temperature to the elevation of the site with 6.5 °C/km.
  package func temperature(_ forecast: PointForecast, at moment: Int) -> Double? {
    guard let model = forecast.value(.temperature, at: moment) else { return nil }
    guard let ground = forecast.column(at: moment)?.elevation else { return model }
    return model + 0.0065 * (ground - elevation)
  }
}
