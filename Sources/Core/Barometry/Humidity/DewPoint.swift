import CMath

/// Water in the air, by Magnus's formula.
///
/// The figures are those of the WMO's guide to instruments (number 8, annex 4.B), from -45 to 60 C within 0.4 %.
public enum DewPoint {
  private static var scale: Double { 17.62 }
  private static var offset: Double { 243.12 }

  /// The temperature in C to which air must cool for dew; `nil` for air without water.
  ///
  /// - Parameters:
  ///   - celsius: its temperature in C.
  ///   - relativeHumidity: its relative humidity in %, above 0.
  /// - Returns: the dew point over water, in C.
  public static func celsius(at celsius: Double, relativeHumidity: Double) -> Double? {
    guard relativeHumidity > 0 else { return nil }
    let sum = log(relativeHumidity / 100) + scale * celsius / (offset + celsius)
    return offset * sum / (scale - sum)
  }

  /// The pressure of saturated water vapour over water at a temperature in C, in Pa.
  public static func saturationPressure(at celsius: Double) -> Double {
    611.2 * exp(scale * celsius / (offset + celsius))
  }

  /// The mass of water in air, in g/m3.
  ///
  /// - Parameters:
  ///   - celsius: its temperature in C.
  ///   - relativeHumidity: its relative humidity in %.
  /// - Returns: the mass in g/m3.
  public static func absoluteHumidity(at celsius: Double, relativeHumidity: Double) -> Double {
    // 461.5 J/(kg K) is the gas constant of water vapour.
    saturationPressure(at: celsius) * relativeHumidity / 100 / (461.5 * (celsius + 273.15)) * 1000
  }
}
