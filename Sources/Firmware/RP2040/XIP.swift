import Machines

/// XIP_CTRL, the cache of the flash, which a program may only flush or switch.
final class XIP: Peripheral {
  static let CTRL: UInt32 = 0x00
  static let FLUSH: UInt32 = 0x04
  static let STAT: UInt32 = 0x08
  static let CTR_HIT: UInt32 = 0x0C
  static let CTR_ACC: UInt32 = 0x10

  init(_ chip: Chip) {
    super.init(at: 0x1400_0000, chip)
    define(XIP.CTRL, reset: 3, mask: 0xB)
    define(XIP.FLUSH, mask: 0)
    // The flush has ended, and the streaming FIFO is empty.
    define(XIP.STAT, reset: 3, mask: 0)
    for offset in [XIP.CTR_HIT, XIP.CTR_ACC] { define(offset) }
  }
}

/// SSI: the serial interface to the flash, through which a program can ask the flash for its identity.
///
/// Reads, erasure and programming by commands of its own are not modelled; programs use the functions of the boot ROM.
final class SSI: Peripheral {
  static let SR: UInt32 = 0x28
  static let DR0: UInt32 = 0x60
  private enum Status {
    static let TFNF: UInt32 = 2, TFE: UInt32 = 4, RFNE: UInt32 = 8
  }
  /// The bytes that the flash has sent.
  private var replies: [UInt8] = []
  private var command: [UInt8] = []
  private let identity: [UInt8]

  /// Creates the interface; the identity of the flash is derived from a seed.
  init(seed: UInt64, _ chip: Chip) {
    identity = (0..<8).map { UInt8(truncatingIfNeeded: seed >> (56 - $0 * 8)) ^ 0xE6 }
    super.init(at: 0x1800_0000, chip)
    for offset in stride(from: 0x00 as UInt32, through: 0x24, by: 4) { define(offset) }
    define(SSI.SR, mask: 0)
    for offset in stride(from: 0x2C as UInt32, to: SSI.DR0, by: 4) { define(offset) }
    define(SSI.DR0)
    for offset in stride(from: 0xF0 as UInt32, through: 0xF8, by: 4) { define(offset) }
  }

  /// The select line of the flash goes high: the command has ended.
  func deselect() {
    command.removeAll(keepingCapacity: true)
    replies.removeAll(keepingCapacity: true)
  }

  override func reset() {
    super.reset()
    deselect()
  }

  /// Returns what the flash sends with a byte of a command: JEDEC ID (0x9F), status (0x05) and unique ID (0x4B).
  private func exchange(_ byte: UInt8) -> UInt8 {
    let index = command.count
    command.append(byte)
    switch command[0] {
    case 0x9F: return index > 0 ? [0xEF, 0x40, 0x15][min(index, 3) - 1] : 0
    case 0x05, 0x35: return 0
    case 0x4B: return index > 4 ? identity[(index - 5) % 8] : 0
    default:
      if index == 0, ![0x06, 0x66, 0x99, 0xFF].contains(byte) {
        note(SSI.DR0, "flash command 0x" + String(byte, radix: 16))
      }
      return 0
    }
  }

  override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case SSI.SR: Status.TFNF | Status.TFE | (replies.isEmpty ? 0 : Status.RFNE)
    case SSI.DR0: replies.isEmpty ? 0 : UInt32(replies.removeFirst())
    default: nil
    }
  }

  override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    guard offset == SSI.DR0 else { return false }
    replies.append(exchange(UInt8(truncatingIfNeeded: value)))
    return true
  }
}

/// IO_QSPI and PADS_QSPI: the pins of the flash, of which a program overrides the select line.
final class QSPIPins: Peripheral {
  static let GPIO_QSPI_SS_CTRL: UInt32 = 0x0C
  private let ssi: SSI?

  /// Creates IO_QSPI, which deselects the flash, or PADS_QSPI, without `ssi`.
  init(_ ssi: SSI?, _ chip: Chip) {
    self.ssi = ssi
    super.init(at: ssi == nil ? 0x4002_0000 : 0x4001_8000, chip)
    for offset in stride(from: 0 as UInt32, to: 0x5C, by: 4) { define(offset) }
  }

  override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    // OUTOVER: 3 drives the line high.
    if offset == QSPIPins.GPIO_QSPI_SS_CTRL, value >> 8 & 3 != 2 { ssi?.deselect() }
    return false
  }
}
