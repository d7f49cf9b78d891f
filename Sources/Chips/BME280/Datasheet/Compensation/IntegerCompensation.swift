/// The integer formulas (DS 4.2.3 and 8.2), by either rounding.
///
/// They never trap: where the reference code overflows, results wrap as C does with `-fwrapv`.
public enum IntegerCompensation<Rounding: FixedPointRounding> {
  /// The fine temperature, in 1/5120 C, on which all other channels depend.
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

  /// The temperature in 0.01 C.
  @inlinable @inline(__always)
  public static func temperature(fine: Int32) -> Int32 {
    Rounding.scale(fine &* 5 &+ 128, down: 8)
  }

  /// The pressure in 1/256 Pa as a signed number, computed in 64 bits.
  ///
  /// Nothing where the sensitivity comes out as 0, which would divide by it.
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

  /// The pressure in Pa, computed in 32 bits.
  ///
  /// Nothing where the sensitivity comes out as 0, which would divide by it.
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

  /// The relative humidity in 1/1024 %, clamped to 0...100 %.
  @inlinable @inline(__always)
  public static func humidity(_ raw: Int32, fine: Int32, _ calibration: Calibration) -> UInt32 {
    let clamped = min(max(unclampedHumidity(raw, fine: fine, calibration), 0), 419_430_400)
    return UInt32(bitPattern: Rounding.scale(clamped, down: 12))
  }

  /// The relative humidity in 1/4194304 % before the clamp, which may lie beyond 0...100 %.
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
