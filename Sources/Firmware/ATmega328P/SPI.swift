import Machines

/// The SPI as a controller of a bus without a device: it receives 0xFF at the bit rate of SPCR.
final class SPI: IOBlock {
  static let SPCR: UInt16 = 0x4C
  static let SPSR: UInt16 = 0x4D
  static let SPDR: UInt16 = 0x4E
  /// Bits of SPCR and SPSR.
  private static let SPIE: UInt8 = 0x80, SPE: UInt8 = 0x40, MSTR: UInt8 = 0x10
  private static let SPIF: UInt8 = 0x80

  private unowned let chip: Chip
  private var control: UInt8 = 0
  private var status: UInt8 = 0
  private var hasHinted = false
  private var data: UInt8 = 0
  private var moved: ChipEvent?

  init(_ chip: Chip) {
    self.chip = chip
    super.init()
    moved = ChipEvent(chip) { [unowned self] _ in
      status |= Self.SPIF
      data = 0xFF
      update()
    }
  }

  override var addresses: [UInt16] { [SPI.SPCR, SPI.SPSR, SPI.SPDR] }
  override var vectors: [Vector] { [.spi] }
  override func reset() {
    (control, status, data) = (0, 0, 0)
    moved?.clear()
    update()
  }
  override func clock(runs: Bool) { moved?.clock(runs: runs) }
  override func acknowledge(_ vector: Vector) {
    status &= ~Self.SPIF
    update()
  }
  private func update() { chip.request(.spi, control & Self.SPIE != 0 && status & Self.SPIF != 0) }

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case SPI.SPCR: return control
    case SPI.SPSR: return status
    default:
      status &= ~Self.SPIF
      update()
      return data
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case SPI.SPCR: control = value
    case SPI.SPSR: status = status & 0xC0 | value & 1
    default:
      status &= ~Self.SPIF
      guard control & (Self.SPE | Self.MSTR) == Self.SPE | Self.MSTR else { break }
      if !hasHinted {
        hasHinted = true
        chip.unmodelledRegisters.hint(
          "it uses SPI, to which nothing is connected: it receives 0xFF; sensors are on I2C buses")
      }
      let divisor = [4, 16, 64, 128][Int(control & 3)] >> UInt64(status & 1)
      moved?.set(in: 8 * UInt64(divisor))
    }
    update()
  }
}
