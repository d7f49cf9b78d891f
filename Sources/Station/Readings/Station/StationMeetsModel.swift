package import Forecasts
import Glibc

/// The difference between the station and the model, carried into the next hours.
package struct StationOffset: Hashable, Sendable {
  /// Added to °C.
  package var temperature: Double?
  /// Added to %.
  package var humidity: Double?
  /// Added to hPa at sea level.
  package var seaLevelPressure: Double?
  /// When it was found, in seconds since 1970.
  package let moment: Int

  /// After how many hours it counts 1/e, 37 %.
  package static let fading = 6.0

  /// How much the offset counts at a moment: all of it now, less and less later.
  package func weight(at later: Int) -> Double {
    later <= moment ? 1 : exp(-Double(later - moment) / 3600 / Self.fading)
  }

  /// Finds the offset at a moment, from the readings of the hour before.
  ///
  /// The model's temperature is taken to the station's height by 6.5 °C/km first.
  ///
  /// - Parameters:
  ///   - store: what the station has read.
  ///   - site: where it stands.
  ///   - forecast: what the runs that are known say of the site.
  ///   - moment: now, in seconds since 1970.
  /// - Returns: `nil` where no two readings are five minutes apart, as a sensor that is read each half hour has them, or
  ///   where there is no run.
  /// - Throws: an error of SQLite.
  package static func find(
    _ store: ReadingStore, _ site: Site, _ forecast: PointForecast, at moment: Int
  ) throws -> StationOffset? {
    let known = forecast.known(at: moment)
    let readings = try store.means(every: 300, from: moment - 3600, to: moment)
    guard readings.count >= 2 else { return nil }
    func mean(_ seen: (Reading) -> Double?, _ model: (Int) -> Double?) -> Double? {
      // A mean over five minutes stands in their middle.
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
  /// The model's temperature at the site's height.
  ///
  /// It is taken there by 6.5 °C/km.
  package func temperature(_ forecast: PointForecast, at moment: Int) -> Double? {
    guard let model = forecast.value(.temperature, at: moment) else { return nil }
    guard let ground = forecast.column(at: moment)?.elevation else { return model }
    return model + 0.0065 * (ground - elevation)
  }
}
