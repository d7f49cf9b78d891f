import CMath

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
