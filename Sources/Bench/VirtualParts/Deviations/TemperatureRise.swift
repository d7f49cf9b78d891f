/// The temperature of a part above that of the air, and what it does to the humidity at its membrane.
public enum TemperatureRise {
  /// The relative humidity that a part senses which is warmer than the air, in %.
  ///
  /// The vapour is the same, the pressure at which it would saturate is higher (Magnus formula, WMO
  /// guide no. 8, annex 4.B, over water).
  ///
  /// - Parameters:
  ///   - percent: the relative humidity of the air.
  ///   - air: the temperature of the air in °C.
  ///   - rise: by how much the part is warmer, in °C.
  /// - Returns: the relative humidity at the part.
  @inlinable
  public static func humidity(_ percent: Double, of air: Double, warmedBy rise: Double) -> Double {
    guard rise != 0 else { return percent }
    let warmer = air + rise
    return percent
      * exponential(17.62 * air / (243.12 + air) - 17.62 * warmer / (243.12 + warmer))
  }

  /// The share of a difference in temperature that is left after a time.
  ///
  /// - Parameters:
  ///   - time: how long ago the difference was whole.
  ///   - timeConstant: after which 1/e of it is left, in the same unit.
  /// - Returns: 0...1.
  public static func remainder(after time: Double, timeConstant: Double) -> Double {
    guard timeConstant > 0, time < 40 * timeConstant else { return 0 }
    let root = exponential(-time / timeConstant / 16)
    let fourth = root * root * root * root
    return fourth * fourth * fourth * fourth
  }

  /// The exponential of a small number by its series: the same on every machine, which a C library's
  /// is not.
  @usableFromInline
  static func exponential(_ value: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for power in 1...30 {
      term *= value / Double(power)
      sum += term
    }
    return sum
  }
}
