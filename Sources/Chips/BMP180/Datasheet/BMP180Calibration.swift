/// The calibration words of one BMP180, burnt into its E2PROM by the factory (DS 3.4).
public struct BMP180Calibration: Hashable, Sendable {
  /// Pressure: sensitivity, and its change with the temperature.
  public var ac1, ac2, ac3: Int16
  /// Pressure: offset.
  public var ac4: UInt16
  /// Temperature: slope, and the code of its zero.
  public var ac5, ac6: UInt16
  /// Pressure: curvature.
  public var b1, b2: Int16
  /// No formula needs it.
  public var mb: Int16
  /// Temperature: curvature.
  public var mc, md: Int16

  /// The number of bytes, 0xAA...0xBF.
  public static var byteCount: Int { 22 }

  /// Creates a calibration from its words, in the order of the registers.
  public init(words: InlineArray<11, UInt16>) {
    (ac1, ac2) = (Int16(bitPattern: words[0]), Int16(bitPattern: words[1]))
    (ac3, ac4) = (Int16(bitPattern: words[2]), words[3])
    (ac5, ac6) = (words[4], words[5])
    (b1, b2) = (Int16(bitPattern: words[6]), Int16(bitPattern: words[7]))
    (mb, mc) = (Int16(bitPattern: words[8]), Int16(bitPattern: words[9]))
    md = Int16(bitPattern: words[10])
  }

  /// Creates a calibration from its 22 bytes, the high byte of each word first.
  public init(bytes: Span<UInt8>) {
    var words = InlineArray<11, UInt16>(repeating: 0)
    for index in 0..<11 {
      words[index] = UInt16(bytes[2 * index]) << 8 | UInt16(bytes[2 * index + 1])
    }
    self.init(words: words)
  }

  /// Its words, in the order of the registers.
  public var words: InlineArray<11, UInt16> {
    [
      UInt16(bitPattern: ac1), UInt16(bitPattern: ac2), UInt16(bitPattern: ac3), ac4, ac5, ac6,
      UInt16(bitPattern: b1), UInt16(bitPattern: b2), UInt16(bitPattern: mb),
      UInt16(bitPattern: mc), UInt16(bitPattern: md),
    ]
  }

  /// One of its 22 bytes.
  public func byte(_ index: Int) -> UInt8 {
    let word = words[index / 2]
    return UInt8(truncatingIfNeeded: index % 2 == 0 ? word >> 8 : word)
  }

  /// Whether no word is 0 or 0xFFFF, which the data sheet gives as the test of a sound transfer (DS 3.4).
  public var isSound: Bool {
    let words = words
    for index in words.indices where words[index] == 0 || words[index] == 0xFFFF { return false }
    return true
  }

  /// The words of the data sheet's example (DS figure 4).
  public static var example: BMP180Calibration {
    BMP180Calibration(words: [
      408, 0xFFB8, 0xC7D1, 32_741, 32_757, 23_153, 6190, 4, 0x8000, 0xDDF9, 2868,
    ])
  }
}
