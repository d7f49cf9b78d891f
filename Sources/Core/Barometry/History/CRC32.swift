/// The cyclic redundancy check of IEEE 802.3 (reflected polynomial 0xEDB88320).
struct CRC32 {
  private var state: UInt32 = 0xFFFF_FFFF

  /// The checksum of all bytes so far.
  var value: UInt32 { ~state }

  /// Takes one more byte.
  mutating func update(_ byte: UInt8) {
    state ^= UInt32(byte)
    for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0xEDB8_8320 : state >> 1 }
  }
}
