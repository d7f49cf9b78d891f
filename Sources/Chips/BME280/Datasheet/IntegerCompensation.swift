/// The integer compensation formulas (DS 4.2.3 and 8.2), with the rounding of the datasheet or of Bosch's code.
///
/// The formulas never trap. If the reference code would overflow, the results wrap as in C with `-fwrapv`.
public enum IntegerCompensation<Rounding: FixedPointRounding> {
  /// Returns the fine temperature in 1/5120 C, from which all other channels are computed.
  @inlinable @inline(__always)
  public static func fineTemperature(_ raw: Int32, _ calibration: Calibration) -> Int32 {
    let t1 = Int32(calibration.t1)
    let linear = Rounding.scale(
      (Rounding.scale(raw, down: 3) &- t1 &<< 1) &* Int32(calibration.t2), down: 11)
    let offset = Rounding.scale(raw, down: 4) &- t1
    let curve = Rounding.scale(
      Rounding.scale(offset &* offset, down: 12) &* Int32(calibration.t3), down: 14)
    return linear &+ curve
  }

  /// Returns the temperature in 0.01 C.
  @inlinable @inline(__always)
  public static func temperature(fine: Int32) -> Int32 {
    Rounding.scale(fine &* 5 &+ 128, down: 8)
  }

  /// Returns the pressure in 1/256 Pa as a signed number, computed in 64 bits.
  ///
  /// Returns `nil` if the sensitivity is 0, which would divide by zero.
  @inlinable @inline(__always)
  public static func pressure64(_ raw: Int32, fine: Int32, _ calibration: Calibration) -> Int64? {
    let var1 = Int64(fine) &- 128_000
    let offset =
      var1 &* var1 &* Int64(calibration.p6)
      &+ (var1 &* Int64(calibration.p5)) &<< 17
      &+ Int64(calibration.p4) &<< 35
    let slope =
      Rounding.scale(var1 &* var1 &* Int64(calibration.p3), down: 8)
      &+ (var1 &* Int64(calibration.p2)) &<< 12
    let sensitivity = Rounding.scale(
      ((1 &<< 47) &+ slope) &* Int64(calibration.p1), down: 33)
    guard sensitivity != 0 else { return nil }
    let span = (((1_048_576 &- Int64(raw)) &<< 31) &- offset) &* 3125
    let linear = span.dividedReportingOverflow(by: sensitivity).partialValue
    let root = Rounding.scale(linear, down: 13)
    let square = Rounding.scale(Int64(calibration.p9) &* root &* root, down: 25)
    let scaled = Rounding.scale(Int64(calibration.p8) &* linear, down: 19)
    return Rounding.scale(linear &+ square &+ scaled, down: 8) &+ Int64(calibration.p7) &<< 4
  }

  /// Returns the pressure in Pa, computed in 32 bits.
  ///
  /// Returns `nil` if the sensitivity is 0, which would divide by zero.
  @inlinable @inline(__always)
  public static func pressure32(_ raw: Int32, fine: Int32, _ calibration: Calibration) -> UInt32? {
    let var1 = Rounding.scale(fine, down: 1) &- 64_000
    let quarter = Rounding.scale(var1, down: 2)
    var offset = Rounding.scale(quarter &* quarter, down: 11) &* Int32(calibration.p6)
    offset = offset &+ (var1 &* Int32(calibration.p5)) &<< 1
    offset = Rounding.scale(offset, down: 2) &+ Int32(calibration.p4) &<< 16
    let second = Rounding.scale(
      Int32(calibration.p3) &* Rounding.scale(quarter &* quarter, down: 13), down: 3)
    let first = Rounding.scale(Int32(calibration.p2) &* var1, down: 1)
    let slope = Rounding.scale(second &+ first, down: 18)
    let sensitivity = Rounding.scale((32_768 &+ slope) &* Int32(calibration.p1), down: 15)
    guard sensitivity != 0 else { return nil }
    let divisor = UInt32(bitPattern: sensitivity)
    let span =
      (UInt32(bitPattern: 1_048_576 &- raw)
        &- UInt32(bitPattern: Rounding.scale(offset, down: 12))) &* 3125
    let linear = span < 0x8000_0000 ? (span &<< 1) / divisor : (span / divisor) &* 2
    let eighth = linear &>> 3
    let square = Rounding.scale(
      Int32(calibration.p9) &* Int32(bitPattern: (eighth &* eighth) &>> 13), down: 12)
    let scaled = Rounding.scale(
      Int32(bitPattern: linear &>> 2) &* Int32(calibration.p8), down: 13)
    let correction = Rounding.scale(square &+ scaled &+ Int32(calibration.p7), down: 4)
    return UInt32(bitPattern: Int32(bitPattern: linear) &+ correction)
  }

  /// Returns the relative humidity in 1/1024 %, clamped to 0...100 %.
  @inlinable @inline(__always)
  public static func humidity(_ raw: Int32, fine: Int32, _ calibration: Calibration) -> UInt32 {
    let clamped = min(max(unclampedHumidity(raw, fine: fine, calibration), 0), 419_430_400)
    return UInt32(bitPattern: Rounding.scale(clamped, down: 12))
  }

  /// Returns the relative humidity in 1/4194304 % before clamping; it may be outside 0...100 %.
  @inlinable @inline(__always)
  public static func unclampedHumidity(
    _ raw: Int32, fine: Int32, _ calibration: Calibration
  ) -> Int32 {
    let varH = fine &- 76_800
    let offset = Int32(calibration.h4) &<< 20 &+ Int32(calibration.h5) &* varH
    let span = Rounding.scale((raw &<< 14) &- offset &+ 16_384, down: 15)
    let first = Rounding.scale(varH &* Int32(calibration.h6), down: 10)
    let second = Rounding.scale(varH &* Int32(calibration.h3), down: 11) &+ 32_768
    let slope = Rounding.scale(first &* second, down: 10) &+ 2_097_152
    let linear =
      span &* Rounding.scale(slope &* Int32(calibration.h2) &+ 8192, down: 14)
    let root = Rounding.scale(linear, down: 15)
    let curve = Rounding.scale(
      Rounding.scale(root &* root, down: 7) &* Int32(calibration.h1), down: 4)
    return linear &- curve
  }
}

/// The double precision formulas of DS 8.1, without clamping.
public enum DoubleCompensation {
  /// Returns the fine temperature in 1/5120 C.
  @inlinable @inline(__always)
  public static func fineTemperature(_ raw: Int32, _ calibration: Calibration) -> Double {
    let (t1, value) = (Double(calibration.t1), Double(raw))
    let linear = (value / 16_384 - t1 / 1024) * Double(calibration.t2)
    let offset = value / 131_072 - t1 / 8192
    return linear + offset * offset * Double(calibration.t3)
  }

  /// Returns the integer part of a fine temperature, from which the other channels are computed.
  @inlinable @inline(__always)
  public static func whole(_ fine: Double) -> Int32 {
    Int32(min(max(fine, -2_147_483_648), 2_147_483_647))
  }

  /// Returns the sensitivity and offset of pressure at a fine temperature; the sensitivity is a divisor.
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

  /// Returns the pressure in Pa.
  @inlinable @inline(__always)
  public static func pressure(
    _ raw: Int32, sensitivity: Double, offset: Double, _ calibration: Calibration
  ) -> Double {
    let linear = (1_048_576 - Double(raw) - offset / 4096) * 6250 / sensitivity
    let square = Double(calibration.p9) * linear * linear / 2_147_483_648
    let scaled = linear * Double(calibration.p8) / 32_768
    return linear + (square + scaled + Double(calibration.p7)) / 16
  }

  /// Returns the relative humidity in % before clamping.
  ///
  /// - Parameters:
  ///   - raw: the humidity register.
  ///   - fine: the fine temperature.
  ///   - calibration: the words of the part.
  ///   - curvatureTwice: `true` to multiply by the H3 term twice, as Bosch's code does; DS 8.1 multiplies once.
  /// - Returns: the humidity; it may be outside 0...100 %.
  @inlinable @inline(__always)
  public static func humidity(
    _ raw: Int32, fine: Int32, _ calibration: Calibration, curvatureTwice: Bool
  ) -> Double {
    let varH = Double(fine) - 76_800
    let offset = Double(calibration.h4) * 64 + Double(calibration.h5) / 16_384 * varH
    let curvature = 1 + Double(calibration.h3) / 67_108_864 * varH
    let slope = 1 + Double(calibration.h6) / 67_108_864 * varH * curvature
    let (span, gain) = (Double(raw) - offset, Double(calibration.h2) / 65_536)
    // The factors are multiplied in the order of each original, because the order determines the last bits.
    let linear = curvatureTwice ? span * gain * (curvature * slope) : span * (gain * slope)
    return linear * (1 - Double(calibration.h1) * linear / 524_288)
  }
}

/// The rounding of the integer formulas when they drop low bits.
///
/// Rounding is the only difference in arithmetic between the datasheet and Bosch's code.
public protocol FixedPointRounding {
  /// Divides by two to the power of `bits`.
  static func scale<Integer: FixedWidthInteger & SignedInteger>(
    _ value: Integer, down bits: Int
  ) -> Integer
}

/// Arithmetic shift, which rounds towards negative infinity, as in the datasheet.
public enum Shifting: FixedPointRounding {
  /// Divides by two to the power of `bits`, rounding down.
  @inlinable @inline(__always)
  public static func scale<Integer: FixedWidthInteger & SignedInteger>(
    _ value: Integer, down bits: Int
  ) -> Integer { value &>> Integer(truncatingIfNeeded: bits) }
}

/// Division, which rounds towards zero, as in Bosch's code.
public enum Dividing: FixedPointRounding {
  /// Divides by two to the power of `bits`, rounding towards zero.
  @inlinable @inline(__always)
  public static func scale<Integer: FixedWidthInteger & SignedInteger>(
    _ value: Integer, down bits: Int
  ) -> Integer {
    let shift = Integer(truncatingIfNeeded: bits)
    let bias = (value &>> Integer(truncatingIfNeeded: Integer.bitWidth - 1)) & ((1 &<< shift) &- 1)
    return (value &+ bias) &>> shift
  }
}
