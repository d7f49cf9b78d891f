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

  /// Returns the temperature in °C at an altitude in m.
  public static func celsius(atAltitude metres: Double) -> Double {
    seaLevelTemperature - 273.15 - lapseRate * metres
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

/// Properties of the water vapour in air, computed by the Magnus formula.
///
/// The coefficients are those of the WMO guide to instruments (no. 8, annex 4.B), valid from -45 to 60 C within 0.4 %.
public enum DewPoint {
  private static var scale: Double { 17.62 }
  private static var offset: Double { 243.12 }

  /// Returns the dew point in C; `nil` for air without water.
  ///
  /// - Parameters:
  ///   - celsius: the temperature in C.
  ///   - relativeHumidity: the relative humidity in %, above 0.
  /// - Returns: the dew point over water in C.
  public static func celsius(at celsius: Double, relativeHumidity: Double) -> Double? {
    guard relativeHumidity > 0 else { return nil }
    let sum = log(relativeHumidity / 100) + scale * celsius / (offset + celsius)
    return offset * sum / (scale - sum)
  }

  /// Returns the saturation pressure of water vapour over water at a temperature in C, in Pa.
  public static func saturationPressure(at celsius: Double) -> Double {
    611.2 * exp(scale * celsius / (offset + celsius))
  }

  /// Returns the absolute humidity in g/m3.
  ///
  /// - Parameters:
  ///   - celsius: the temperature in C.
  ///   - relativeHumidity: the relative humidity in %.
  /// - Returns: the mass of water in g/m3.
  public static func absoluteHumidity(at celsius: Double, relativeHumidity: Double) -> Double {
    // The gas constant of water vapour is 461.5 J/(kg K).
    saturationPressure(at: celsius) * relativeHumidity / 100 / (461.5 * (celsius + 273.15)) * 1000
  }
}
