/// The checksum with which the SHT21 ends each result (DS 5.7; Sensirion's application note on CRC
/// of the SHT2x).
///
/// CRC-8 with the polynomial x^8 + x^5 + x^4 + 1, starting from 0: 0xDC gives 0x79, 0x68 0x3A give
/// 0x7C.
public struct SHT21Checksum: Hashable, Sendable {
  /// The checksum of all bytes so far.
  public private(set) var value: UInt8 = 0

  /// Creates the checksum of no bytes.
  public init() {}

  /// Creates the checksum of a byte.
  public init(of byte: UInt8) { add(byte) }

  /// Creates the checksum of a word, its high byte first.
  public init(of word: UInt16) {
    add(UInt8(word >> 8))
    add(UInt8(truncatingIfNeeded: word))
  }

  /// Adds a byte.
  public mutating func add(_ byte: UInt8) {
    value ^= byte
    for _ in 0..<8 { value = value & 0x80 == 0 ? value << 1 : value << 1 ^ 0x31 }
  }
}
