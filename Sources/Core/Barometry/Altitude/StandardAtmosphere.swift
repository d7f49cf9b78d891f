import CMath

/// The lowest layer of the standard atmosphere (ISO 2533), up to 11 km: pressure and altitude as
/// altimeters relate them.
public enum StandardAtmosphere {
  /// The pressure at sea level in Pa.
  public static var seaLevelPressure: Double { 101_325 }
  /// The temperature at sea level in K.
  public static var seaLevelTemperature: Double { 288.15 }
  /// How the temperature falls with altitude, in K/m.
  public static var lapseRate: Double { 0.0065 }

  /// The acceleration of free fall in m/s^2.
  private static var gravity: Double { 9.80665 }
  /// The specific gas constant of dry air in J/(kg K).
  private static var gasConstant: Double { 287.05287 }
  private static var exponent: Double { gravity / (gasConstant * lapseRate) }

  /// The pressure in Pa at an altitude in m.
  public static func pressure(atAltitude metres: Double) -> Double {
    seaLevelPressure * pow(1 - lapseRate * metres / seaLevelTemperature, exponent)
  }

  /// The altitude in m at which the pressure in Pa is found, above that of a reference pressure.
  public static func altitude(
    ofPressure pascals: Double, above reference: Double = seaLevelPressure
  ) -> Double {
    (1 - pow(pascals / reference, 1 / exponent)) * seaLevelTemperature / lapseRate
  }

  /// The pressure that a station at an altitude would read at sea level, in Pa.
  ///
  /// The column of air that is not there is taken to warm downwards by the standard rate from the
  /// temperature at the station; its humidity is left out.
  ///
  /// - Parameters:
  ///   - pascals: what the station reads, in Pa.
  ///   - metres: its altitude in m.
  ///   - celsius: its temperature in C.
  /// - Returns: the pressure at sea level, in Pa.
  public static func seaLevelPressure(
    of pascals: Double, atAltitude metres: Double, celsius: Double
  ) -> Double {
    let mean = celsius + 273.15 + lapseRate * metres / 2
    return pascals * exp(gravity * metres / (gasConstant * mean))
  }
}
