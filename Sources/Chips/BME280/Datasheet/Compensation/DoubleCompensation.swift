/// The double precision formulas of DS 8.1, before any clamp.
public enum DoubleCompensation {
  /// The fine temperature, in 1/5120 C.
  @inlinable @inline(__always)
  public static func fineTemperature(_ raw: Int32, _ calibration: Calibration) -> Double {
    let (t1, value) = (Double(calibration.t1), Double(raw))
    let linear = (value / 16_384 - t1 / 1024) * Double(calibration.t2)
    let offset = value / 131_072 - t1 / 8192
    return linear + offset * offset * Double(calibration.t3)
  }

  /// The whole part of a fine temperature, on which the other channels are computed.
  @inlinable @inline(__always)
  public static func whole(_ fine: Double) -> Int32 {
    Int32(min(max(fine, -2_147_483_648), 2_147_483_647))
  }

  /// The sensitivity and offset of pressure at a fine temperature; the sensitivity divides.
  @inlinable @inline(__always)
  public static func pressureTerms(
    fine: Int32, _ calibration: Calibration
  ) -> (sensitivity: Double, offset: Double) {
    let var1 = Double(fine) / 2 - 64_000
    let curve =
      var1 * var1 * Double(calibration.p6) / 32_768 + var1 * Double(calibration.p5) * 2
    let offset = curve / 4 + Double(calibration.p4) * 65_536
    let second = Double(calibration.p3) * var1 * var1 / 524_288
    let slope = (second + Double(calibration.p2) * var1) / 524_288
    return ((1 + slope / 32_768) * Double(calibration.p1), offset)
  }

  /// The pressure in Pa.
  @inlinable @inline(__always)
  public static func pressure(
    _ raw: Int32, sensitivity: Double, offset: Double, _ calibration: Calibration
  ) -> Double {
    let linear = (1_048_576 - Double(raw) - offset / 4096) * 6250 / sensitivity
    let square = Double(calibration.p9) * linear * linear / 2_147_483_648
    let scaled = linear * Double(calibration.p8) / 32_768
    return linear + (square + scaled + Double(calibration.p7)) / 16
  }

  /// The relative humidity in % before the clamp.
  ///
  /// - Parameters:
  ///   - raw: the humidity register.
  ///   - fine: the fine temperature.
  ///   - calibration: the part's words.
  ///   - curvatureTwice: Bosch's code multiplies by the H3 term twice, DS 8.1 once.
  /// - Returns: the humidity, which may lie outside 0...100 %.
  @inlinable @inline(__always)
  public static func humidity(
    _ raw: Int32, fine: Int32, _ calibration: Calibration, curvatureTwice: Bool
  ) -> Double {
    let varH = Double(fine) - 76_800
    let offset = Double(calibration.h4) * 64 + Double(calibration.h5) / 16_384 * varH
    let curvature = 1 + Double(calibration.h3) / 67_108_864 * varH
    let slope = 1 + Double(calibration.h6) / 67_108_864 * varH * curvature
    let (span, gain) = (Double(raw) - offset, Double(calibration.h2) / 65_536)
    // In the order of each original: the last bits depend on it.
    let linear = curvatureTwice ? span * gain * (curvature * slope) : span * (gain * slope)
    return linear * (1 - Double(calibration.h1) * linear / 524_288)
  }
}
