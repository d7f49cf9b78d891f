import Cores

/// The table of the debug port that start-up code looks at for the part and its revision: 52832, revision 2.
final class RomTable: BusDevice {
  func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    let word: UInt32 =
      switch offset & ~3 {
      case 0xFE0: 0x06
      case 0xFE4: 0x00
      case 0xFE8: 0x50
      default: 0
      }
    return bytes == 4 ? word : word >> (offset & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool { true }
}
