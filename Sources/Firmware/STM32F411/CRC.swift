import Machines

/// CRC: the CRC-32 of 32-bit words, with the polynomial 0x04C11DB7, the most significant bit first, without a final
/// inversion (RM0383, section 4).
package final class CRC: Peripheral {
  package static let DR: UInt32 = 0x00
  package static let IDR: UInt32 = 0x04
  package static let CR: UInt32 = 0x08

  private static let polynomial: UInt32 = 0x04C1_1DB7

  init(_ chip: Chip) {
    super.init(at: 0x4002_3000, chip)
    define(CRC.DR, reset: .max)
    define(CRC.IDR, mask: 0xFF)
    define(CRC.CR, mask: 0)
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case CRC.DR:
      var remainder = before ^ value
      for _ in 0..<32 {
        remainder = remainder << 1 ^ (remainder >> 31 != 0 ? Self.polynomial : 0)
      }
      self[CRC.DR] = remainder
    // RESET, which reads as 0.
    case CRC.CR where value & 1 != 0: self[CRC.DR] = .max
    default: break
    }
  }
}
