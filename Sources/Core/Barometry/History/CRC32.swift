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

  /// Divides four bits.
  @inline(__always)
  private mutating func shiftFour() {
    state = state >> 4 ^ Self.remainders[unchecked: Int(state & 15)]
  }

  /// What four bits leave at the end.
  private static let remainders: InlineArray<16, UInt32> = [
    0x0000_0000, 0x1DB7_1064, 0x3B6E_20C8, 0x26D9_30AC, 0x76DC_4190, 0x6B6B_51F4, 0x4DB2_6158,
    0x5005_713C, 0xEDB8_8320, 0xF00F_9344, 0xD6D6_A3E8, 0xCB61_B38C, 0x9B64_C2B0, 0x86D3_D2D4,
    0xA00A_E278, 0xBDBD_F21C,
  ]
}
