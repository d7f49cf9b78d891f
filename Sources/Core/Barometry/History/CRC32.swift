/// The cyclic redundancy check of IEEE 802.3 (reflected polynomial 0xEDB88320).
struct CRC32 {
  private var state: UInt32 = 0xFFFF_FFFF

  /// The checksum of all bytes so far.
  var value: UInt32 { ~state }

  /// Takes one more byte.
  mutating func update(_ byte: UInt8) {
    state ^= UInt32(byte)
    shiftFour()
    shiftFour()
  }

  /// Divides four bits: what each of them, being 1, leaves at the end.
  @inline(__always)
  private mutating func shiftFour() {
    let low = state
    state >>= 4
    state ^= (0 &- (low & 1)) & 0x1DB7_1064
    state ^= (0 &- (low >> 1 & 1)) & 0x3B6E_20C8
    state ^= (0 &- (low >> 2 & 1)) & 0x76DC_4190
    state ^= (0 &- (low >> 3 & 1)) & 0xEDB8_8320
  }
}
