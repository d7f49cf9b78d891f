/// The calibration words of one part (DS 4.2.2 table 16), stored in its NVM by the factory.
///
/// The humidity words of a BMP280 are 0.
public struct Calibration: Hashable, Sendable {
  /// dig_T1, the offset of the temperature.
  public var t1: UInt16
  /// dig_T2, the slope of the temperature.
  public var t2: Int16
  /// dig_T3, the curvature of the temperature.
  public var t3: Int16

  /// dig_P1, the sensitivity of the pressure.
  public var p1: UInt16
  /// dig_P2, the first-order temperature dependence of the pressure sensitivity.
  public var p2: Int16
  /// dig_P3, the second-order temperature dependence of the pressure sensitivity.
  public var p3: Int16
  /// dig_P4, the offset of the pressure.
  public var p4: Int16
  /// dig_P5, the first-order temperature dependence of the pressure offset.
  public var p5: Int16
  /// dig_P6, the second-order temperature dependence of the pressure offset.
  public var p6: Int16
  /// dig_P7, the offset of the final pressure correction.
  public var p7: Int16
  /// dig_P8, the slope of the final pressure correction.
  public var p8: Int16
  /// dig_P9, the curvature of the final pressure correction.
  public var p9: Int16

  /// dig_H1, the curvature of the final humidity.
  public var h1: UInt8
  /// dig_H2, the slope of the humidity.
  public var h2: Int16
  /// dig_H3, the second-order temperature dependence of the humidity slope.
  public var h3: UInt8
  /// dig_H4, the offset of the humidity; a signed 12-bit number.
  public var h4: Int16
  /// dig_H5, the temperature dependence of the humidity offset; a signed 12-bit number.
  public var h5: Int16
  /// dig_H6, the first-order temperature dependence of the humidity slope.
  public var h6: Int8

  /// Creates a calibration from its words.
  ///
  /// Default: 0 for the humidity words, as on a BMP280.
  public init(
    t1: UInt16, t2: Int16, t3: Int16,
    p1: UInt16, p2: Int16, p3: Int16, p4: Int16, p5: Int16, p6: Int16, p7: Int16, p8: Int16,
    p9: Int16,
    h1: UInt8 = 0, h2: Int16 = 0, h3: UInt8 = 0, h4: Int16 = 0, h5: Int16 = 0, h6: Int8 = 0
  ) {
    (self.t1, self.t2, self.t3) = (t1, t2, t3)
    (self.p1, self.p2, self.p3, self.p4, self.p5) = (p1, p2, p3, p4, p5)
    (self.p6, self.p7, self.p8, self.p9) = (p6, p7, p8, p9)
    (self.h1, self.h2, self.h3, self.h4, self.h5, self.h6) = (h1, h2, h3, h4, h5, h6)
  }
}

extension Calibration {
  /// The length in bytes of a BME280's lower calibration block, 0x88...0xA1.
  @inlinable public static var lowerLength: Int { 26 }
  /// The length in bytes of a BMP280's only calibration block, 0x88...0x9F.
  @inlinable public static var bmp280Length: Int { 24 }
  /// The length in bytes of a BME280's upper calibration block, 0xE1...0xE7.
  @inlinable public static var upperLength: Int { 7 }
  /// The length in bytes of both calibration blocks of a BME280.
  @inlinable public static var bme280Length: Int { 33 }

  /// Returns the length of a chip's calibration in bytes.
  @inlinable
  public static func length(on chip: Chip) -> Int {
    chip.measuresHumidity ? bme280Length : bmp280Length
  }

  /// Returns the register address of a byte of a BME280's NVM: 0x88...0xA1, then 0xE1...0xE7.
  ///
  /// - Parameter index: the index of the byte, 0...32.
  /// - Returns: the register address; the first 24 bytes have the same addresses on a BMP280.
  @inlinable
  public static func register(ofByte index: Int) -> Int {
    index < lowerLength
      ? Int(Register.calibrationLower) + index
      : Int(Register.calibrationUpper) + index - lowerLength
  }

  /// Decodes the calibration bytes of the NVM: 33 (0x88...0xA1, then 0xE1...0xE7) or 24 (0x88...0x9F).
  ///
  /// Words are little-endian. H4 and H5 share the byte 0xE5; they are signed 12-bit numbers whose most significant
  /// byte gives the sign. Returns `nil` if there are neither 33 nor 24 bytes.
  public init?(bytes: Span<UInt8>) {
    guard bytes.count == Self.bme280Length || bytes.count == Self.bmp280Length else { return nil }
    func unsigned(_ index: Int) -> UInt16 { UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8 }
    func signed(_ index: Int) -> Int16 { Int16(bitPattern: unsigned(index)) }
    self.init(
      t1: unsigned(0), t2: signed(2), t3: signed(4),
      p1: unsigned(6), p2: signed(8), p3: signed(10), p4: signed(12), p5: signed(14),
      p6: signed(16), p7: signed(18), p8: signed(20), p9: signed(22))
    guard bytes.count == Self.bme280Length else { return }
    h1 = bytes[25]
    h2 = signed(26)
    h3 = bytes[28]
    h4 = Int16(Int8(bitPattern: bytes[29])) << 4 | Int16(bytes[30] & 0x0F)
    h5 = Int16(Int8(bitPattern: bytes[31])) << 4 | Int16(bytes[30] >> 4)
    h6 = Int8(bitPattern: bytes[32])
  }

  /// The bytes of a BME280's NVM: 0x88...0xA1, then 0xE1...0xE7; the unused 0xA0 is 0.
  ///
  /// The first 24 are the NVM of a BMP280. Only the lower 12 bits of H4 and H5 are stored.
  public var bytes: InlineArray<33, UInt8> {
    var bytes = InlineArray<33, UInt8>(repeating: 0)
    func put(_ word: UInt16, at index: Int) {
      bytes[index] = UInt8(truncatingIfNeeded: word)
      bytes[index + 1] = UInt8(truncatingIfNeeded: word >> 8)
    }
    func put(_ word: Int16, at index: Int) { put(UInt16(bitPattern: word), at: index) }
    put(t1, at: 0)
    put(t2, at: 2)
    put(t3, at: 4)
    put(p1, at: 6)
    put(p2, at: 8)
    put(p3, at: 10)
    put(p4, at: 12)
    put(p5, at: 14)
    put(p6, at: 16)
    put(p7, at: 18)
    put(p8, at: 20)
    put(p9, at: 22)
    bytes[25] = h1
    put(h2, at: 26)
    bytes[28] = h3
    bytes[29] = UInt8(truncatingIfNeeded: h4 >> 4)
    bytes[30] = UInt8(truncatingIfNeeded: (h4 & 0x0F) | (h5 & 0x0F) << 4)
    bytes[31] = UInt8(truncatingIfNeeded: h5 >> 4)
    bytes[32] = UInt8(bitPattern: h6)
    return bytes
  }
}

/// A driver that exposes the calibration that it has read.
public protocol CalibratedDriver: AnyObject {
  /// The calibration, or `nil` until the driver has read it.
  var calibration: Calibration? { get }
}
