import Barometry
package import Forecasts
import Quantities

/// Where the station stands.
package struct Site: Sendable {
  /// What people call it.
  package let name: String
  /// Where.
  package let place: Place
  /// Its height above the sea in m.
  package let elevation: Double
  /// Within how many km of a place it speaks for the place.
  package let radius: Double

  /// Creates a site.
  package init(name: String, place: Place, elevation: Double, radius: Double) {
    (self.name, self.place, self.elevation, self.radius) = (name, place, elevation, radius)
  }

  /// What a barometer here shows in hPa, of a pressure at sea level in hPa: the other way round.
  package func pressure(seaLevel: Double, celsius: Double) -> Double {
    seaLevel * 100
      / StandardAtmosphere.seaLevelPressure(of: 100, atAltitude: elevation, celsius: celsius)
  }

  /// The pressure at sea level in hPa.
  package func seaLevel(pascals: Double, celsius: Double?) -> Double {
    Quantity.pressure.shown(
      StandardAtmosphere.seaLevelPressure(
        of: pascals, atAltitude: elevation, celsius: celsius ?? 15 - 0.0065 * elevation))
  }
}
