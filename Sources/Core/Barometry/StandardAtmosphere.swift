import CMath

/// The lowest layer of the standard atmosphere (ISO 2533), up to 11 km, from which altimeters
/// convert pressure to altitude.
public enum StandardAtmosphere {
  /// The pressure at sea level: 101325 Pa.
  public static var seaLevelPressure: Double { 101_325 }
  /// The temperature at sea level: 288.15 K.
  public static var seaLevelTemperature: Double { 288.15 }
  /// The temperature lapse rate: 0.0065 K/m.
  public static var lapseRate: Double { 0.0065 }

  /// The standard acceleration of gravity in m/s^2.
  private static var gravity: Double { 9.80665 }
  /// The specific gas constant of dry air in J/(kg K).
  private static var gasConstant: Double { 287.05287 }
  private static var exponent: Double { gravity / (gasConstant * lapseRate) }

  /// Returns the pressure in Pa at an altitude in m.
  public static func pressure(atAltitude metres: Double) -> Double {
    seaLevelPressure * pow(1 - lapseRate * metres / seaLevelTemperature, exponent)
  }

  /// Returns the altitude in m at which the air has the given pressure in Pa, measured from the
  /// altitude at which it has the reference pressure.
  ///
  /// Default reference: sea level.
  public static func altitude(
    ofPressure pascals: Double, above reference: Double = seaLevelPressure
  ) -> Double {
    (1 - pow(pascals / reference, 1 / exponent)) * seaLevelTemperature / lapseRate
  }

  /// Returns the pressure of a station reduced to sea level, in Pa.
  ///
  /// The assumed column of air below the station has the station's temperature at its top and
  /// becomes warmer downwards at the standard lapse rate. Its humidity is ignored.
  ///
  /// - Parameters:
  ///   - pascals: the pressure at the station in Pa.
  ///   - metres: the altitude of the station in m.
  ///   - celsius: the temperature at the station in C.
  /// - Returns: the pressure at sea level in Pa.
  public static func seaLevelPressure(
    of pascals: Double, atAltitude metres: Double, celsius: Double
  ) -> Double {
    let mean = celsius + 273.15 + lapseRate * metres / 2
    return pascals * exp(gravity * metres / (gasConstant * mean))
  }
}
