extension BMP180Calibration {
  /// The temperature between two formulas, B5 of DS figure 4: in 1/160 °C.
  ///
  /// Every division drops what is left over downwards, as the example's numbers do.
  ///
  /// - Parameter code: the code of the temperature, UT.
  /// - Returns: B5; `nil` where the calibration would divide by zero.
  public func fineTemperature(_ code: Int32) -> Int32? {
    let x1 = ((Int64(code) - Int64(ac6)) * Int64(ac5)) >> 15
    guard x1 + Int64(md) != 0 else { return nil }
    return Int32(clamping: x1 + Self.floor(Int64(mc) << 11, x1 + Int64(md)))
  }

  /// The temperature in tenths of a °C, as the data sheet computes it (DS figure 4).
  ///
  /// - Parameter fine: B5, as ``fineTemperature(_:)`` gives it.
  /// - Returns: the temperature.
  public static func tenths(_ fine: Int32) -> Int32 { (fine &+ 8) >> 4 }

  /// The pressure in Pa, as the data sheet computes it (DS figure 4).
  ///
  /// - Parameters:
  ///   - code: the code of the pressure, UP.
  ///   - oversampling: of how many readings it is.
  ///   - fine: B5, as ``fineTemperature(_:)`` gives it.
  /// - Returns: the pressure; `nil` where the calibration would divide by zero or by less.
  public func pascals(
    _ code: Int32, _ oversampling: BMP180Oversampling, fine: Int32
  ) -> Int32? {
    let oss = Int64(oversampling.rawValue)
    let b6 = Int64(fine) - 4000
    let square = (b6 * b6) >> 12
    let slope = ((Int64(b2) * square) >> 11) + ((Int64(ac2) * b6) >> 11)
    let b3 = (((Int64(ac1) * 4 + slope) << oss) + 2) >> 2
    let offset = (((Int64(ac3) * b6) >> 13) + ((Int64(b1) * square) >> 16) + 2) >> 2
    let b4 = (Int64(ac4) * (offset + 32_768)) >> 15
    guard b4 > 0 else { return nil }
    let b7 = (Int64(code) - b3) * (50_000 >> oss)
    let rough = b7 < 0x8000_0000 ? Self.floor(b7 * 2, b4) : Self.floor(b7, b4) * 2
    let curve = (((rough >> 8) * (rough >> 8) * 3038) >> 16) + ((-7357 * rough) >> 16)
    return Int32(clamping: rough + (curve + 3791) >> 4)
  }

  /// A quotient without what is left over, downwards.
  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest != 0 && (rest < 0) != (divisor < 0) ? quotient - 1 : quotient
  }
}
