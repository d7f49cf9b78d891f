/// The calibration words of one BMP180, stored in its E2PROM by the factory (DS 3.4).
public struct BMP180Calibration: Hashable, Sendable {
  /// AC1 and AC2: the offset of the pressure code (B3) at 25 °C, and the change of the offset with temperature.
  ///
  /// AC3: the change of the pressure's divisor (B4) with temperature.
  public var ac1, ac2, ac3: Int16
  /// AC4: the value at 25 °C of the divisor B4, which scales the pressure.
  public var ac4: UInt16
  /// AC5: the slope of the temperature's linear term X1.
  ///
  /// AC6: the temperature code at which X1 is 0.
  public var ac5, ac6: UInt16
  /// The quadratic change with temperature: B1 for the pressure's divisor (B4), B2 for its offset (B3).
  public var b1, b2: Int16
  /// The word MB, which the formulas do not use.
  public var mb: Int16
  /// MC and MD: the numerator, and the constant in the denominator, of the temperature's nonlinear term X2.
  public var mc, md: Int16

  /// The number of calibration bytes, which lie at 0xAA...0xBF.
  public static var byteCount: Int { 22 }

  /// Creates a calibration from its words, in register order.
  public init(words: InlineArray<11, UInt16>) {
    (ac1, ac2) = (Int16(bitPattern: words[0]), Int16(bitPattern: words[1]))
    (ac3, ac4) = (Int16(bitPattern: words[2]), words[3])
    (ac5, ac6) = (words[4], words[5])
    (b1, b2) = (Int16(bitPattern: words[6]), Int16(bitPattern: words[7]))
    (mb, mc) = (Int16(bitPattern: words[8]), Int16(bitPattern: words[9]))
    md = Int16(bitPattern: words[10])
  }

  /// Creates a calibration from its 22 bytes, with the most significant byte of each word first.
  public init(bytes: Span<UInt8>) {
    var words = InlineArray<11, UInt16>(repeating: 0)
    for index in 0..<11 {
      words[index] = UInt16(bytes[2 * index]) << 8 | UInt16(bytes[2 * index + 1])
    }
    self.init(words: words)
  }

  /// The words, in register order.
  public var words: InlineArray<11, UInt16> {
    [
      UInt16(bitPattern: ac1), UInt16(bitPattern: ac2), UInt16(bitPattern: ac3), ac4, ac5, ac6,
      UInt16(bitPattern: b1), UInt16(bitPattern: b2), UInt16(bitPattern: mb),
      UInt16(bitPattern: mc), UInt16(bitPattern: md),
    ]
  }

  /// Returns one of the 22 calibration bytes, by index 0...21 starting at 0xAA.
  public func byte(_ index: Int) -> UInt8 {
    let word = words[index / 2]
    return UInt8(truncatingIfNeeded: index % 2 == 0 ? word >> 8 : word)
  }

  /// `true` if no word is 0 or 0xFFFF, which is the datasheet's check for a successful transfer (DS 3.4).
  public var isSound: Bool {
    let words = words
    for index in words.indices where words[index] == 0 || words[index] == 0xFFFF { return false }
    return true
  }

  /// The words of the datasheet's example (DS figure 4).
  public static var example: BMP180Calibration {
    BMP180Calibration(words: [
      408, 0xFFB8, 0xC7D1, 32_741, 32_757, 23_153, 6190, 4, 0x8000, 0xDDF9, 2868,
    ])
  }
}

extension BMP180Calibration {
  /// Returns the intermediate temperature B5 of DS figure 4, in 1/160 °C.
  ///
  /// Divisions round towards negative infinity, because the datasheet's example requires it.
  ///
  /// - Parameter code: the temperature code, UT.
  /// - Returns: B5, or `nil` if the calibration causes a division by zero.
  public func fineTemperature(_ code: Int32) -> Int32? {
    let x1 = ((Int64(code) - Int64(ac6)) * Int64(ac5)) >> 15
    guard x1 + Int64(md) != 0 else { return nil }
    return Int32(clamping: x1 + Self.floor(Int64(mc) << 11, x1 + Int64(md)))
  }

  /// Returns the temperature in tenths of a °C, computed by the datasheet's formula (DS figure 4).
  ///
  /// - Parameter fine: B5, as returned by `fineTemperature(_:)`.
  /// - Returns: the temperature.
  public static func tenths(_ fine: Int32) -> Int32 { (fine &+ 8) >> 4 }

  /// Returns the pressure in Pa, computed by the datasheet's formula (DS figure 4).
  ///
  /// - Parameters:
  ///   - code: the pressure code, UP.
  ///   - oversampling: the oversampling of the conversion.
  ///   - fine: B5, as returned by `fineTemperature(_:)`.
  /// - Returns: the pressure, or `nil` if the calibration makes the divisor B4 zero or negative.
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

  /// Returns a quotient rounded towards negative infinity.
  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest != 0 && (rest < 0) != (divisor < 0) ? quotient - 1 : quotient
  }
}
