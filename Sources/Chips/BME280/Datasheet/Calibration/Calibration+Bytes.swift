extension Calibration {
  /// The bytes of 0x88...0xA1, the lower block of a BME280.
  @inlinable public static var lowerLength: Int { 26 }
  /// The bytes of 0x88...0x9F, all that a BMP280 has.
  @inlinable public static var bmp280Length: Int { 24 }
  /// The bytes of 0xE1...0xE7, the upper block of a BME280.
  @inlinable public static var upperLength: Int { 7 }
  /// The bytes of both blocks of a BME280, end to end.
  @inlinable public static var bme280Length: Int { 33 }

  /// The length of a chip's calibration in bytes.
  @inlinable
  public static func length(on chip: Chip) -> Int {
    chip.measuresHumidity ? bme280Length : bmp280Length
  }

  /// The register in which a byte of a BME280's NVM stands: 0x88...0xA1, then 0xE1...0xE7.
  ///
  /// - Parameter index: the index of the byte, from 0 to 32.
  /// - Returns: the register; a BMP280's are the first 24.
  @inlinable
  public static func register(ofByte index: Int) -> Int {
    index < lowerLength
      ? Int(Register.calibrationLower) + index
      : Int(Register.calibrationUpper) + index - lowerLength
  }

  /// Decodes the bytes of the NVM: 33 (0x88...0xA1, then 0xE1...0xE7) or 24 (0x88...0x9F).
  ///
  /// Words are little-endian; H4 and H5 share the byte 0xE5 and are signed numbers of 12 bits,
  /// whose sign is that of their most significant byte. Any other length gives nothing.
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
  /// The first 24 are the NVM of a BMP280. Of H4 and H5 the lower 12 bits are kept.
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
