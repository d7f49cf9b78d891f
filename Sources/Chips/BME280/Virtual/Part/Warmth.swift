/// The warmth of a part that measures, and what it does to the humidity at its membrane.
enum Warmth {
  /// The relative humidity that a part senses which is warmer than the air, in %.
  ///
  /// The vapour is the same, the pressure at which it would saturate is higher (Magnus formula, WMO
  /// guide no. 8, annex 4.B, over water).
  static func humidity(_ percent: Double, of air: Double, warmedBy rise: Double) -> Double {
    guard rise != 0 else { return percent }
    let warmer = air + rise
    return percent
      * exponential(17.62 * air / (243.12 + air) - 17.62 * warmer / (243.12 + warmer))
  }

  /// The exponential of a small number by its series: the same on every machine, which a C library's
  /// is not.
  private static func exponential(_ value: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for power in 1...30 {
      term *= value / Double(power)
      sum += term
    }
    return sum
  }
}
