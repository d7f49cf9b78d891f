import Machines

/// The SPI as a master with nobody on the wires: a byte takes its time and 0xFF comes back.
final class Spi: IOBlock {
  private unowned let chip: AvrChip
  private var control: UInt8 = 0
  private var status: UInt8 = 0
  private var hasHinted = false
  private var data: UInt8 = 0
  private var moved: ChipEvent?

  init(_ chip: AvrChip) {
    self.chip = chip
    super.init()
    moved = ChipEvent(chip) { [unowned self] _ in
      status |= 0x80
      data = 0xFF
      update()
    }
  }

  override var addresses: [UInt16] { [0x4C, 0x4D, 0x4E] }
  override var vectors: [Vector] { [.spi] }
  override func reset() {
    (control, status, data) = (0, 0, 0)
    moved?.clear()
    update()
  }
  override func clock(runs: Bool) { moved?.clock(runs: runs) }
  override func acknowledge(_ vector: Vector) {
    status &= 0x7F
    update()
  }
  private func update() { chip.request(.spi, control & 0x80 != 0 && status & 0x80 != 0) }

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case 0x4C: return control
    case 0x4D: return status
    default:
      status &= 0x7F
      update()
      return data
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case 0x4C: control = value
    case 0x4D: status = status & 0xC0 | value & 1
    default:
      status &= 0x7F
      guard control & 0x50 == 0x50 else { break }
      if !hasHinted {
        hasHinted = true
        chip.untouched.hint(
          "it uses SPI, to which nothing is connected: it receives 0xFF; sensors are on I2C buses")
      }
      let divisor = [4, 16, 64, 128][Int(control & 3)] >> UInt64(status & 1)
      moved?.set(in: 8 * UInt64(divisor))
    }
    update()
  }
}
