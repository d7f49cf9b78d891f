import Cores
import Machines

/// The EEPROM, in which a write takes 3.4 ms, or 1.8 ms if it only erases or only writes (datasheet, table 8-2).
final class EEPROM: IOBlock {
  static let EECR: UInt16 = 0x3F
  static let EEDR: UInt16 = 0x40
  static let EEARL: UInt16 = 0x41
  static let EEARH: UInt16 = 0x42

  static let size = 1024
  private unowned let chip: Chip
  let memory: MachineMemory
  private var address: UInt16 = 0
  private var data: UInt8 = 0
  private var control: UInt8 = 0
  /// The last cycle at which EEMPE is still set.
  private var armedUntil: UInt64 = 0
  private var writing: (offset: Int, value: UInt8)?
  private var written: ChipEvent?

  /// Bits of EECR.
  ///
  /// EEPM0 alone selects erasing only, and EEPM1 alone writing only.
  private static let EEPM1: UInt8 = 0x20, EEPM0: UInt8 = 0x10
  private static let EERE: UInt8 = 1, EEPE: UInt8 = 2, EEMPE: UInt8 = 4, EERIE: UInt8 = 8

  init(_ chip: Chip, _ memory: MachineMemory) {
    self.chip = chip
    self.memory = memory
    super.init()
    written = ChipEvent(chip) { [unowned self] _ in finish() }
  }

  override var addresses: [UInt16] { [EEPROM.EECR, EEPROM.EEDR, EEPROM.EEARL, EEPROM.EEARH] }
  override var vectors: [Vector] { [.eepromReady] }

  /// Resets the registers; a write in progress is completed, since it does not need the core.
  override func reset() {
    if writing != nil { finish() }
    written?.clear()
    (address, data, control, armedUntil) = (0, 0, 0, 0)
    update()
  }

  private func update() {
    chip.request(.eepromReady, control & Self.EERIE != 0 && writing == nil)
  }

  private func finish() {
    if let (offset, value) = writing {
      memory.bytes.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
      memory.didChange?(offset, 1)
    }
    writing = nil
    control &= ~Self.EEPE
    update()
  }

  private var isArmed: Bool { armedUntil >= chip.cycle }

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case EEPROM.EECR:
      if isArmed { chip.polls.changes(at: armedUntil + 1) }
      return control | (isArmed ? Self.EEMPE : 0)
    case EEPROM.EEDR: return data
    case EEPROM.EEARL: return UInt8(truncatingIfNeeded: self.address)
    default: return UInt8(self.address >> 8)
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case EEPROM.EECR: setControl(value)
    case EEPROM.EEDR: data = value
    case EEPROM.EEARL: self.address = self.address & 0x300 | UInt16(value)
    default: self.address = self.address & 0xFF | UInt16(value & 3) << 8
    }
  }

  private func setControl(_ value: UInt8) {
    let mode = value & (Self.EEPM1 | Self.EEPM0)
    if writing == nil { control = control & Self.EEPE | mode }
    control = control & ~Self.EERIE | value & Self.EERIE
    if value & Self.EERE != 0, writing == nil {
      data = current
      // A read halts the core for four cycles.
      chip.core.cycles &+= 4
    }
    if value & Self.EEPE != 0, isArmed, writing == nil { begin(mode) }
    if value & Self.EEMPE != 0, value & Self.EEPE == 0 { armedUntil = chip.cycle + 4 }
    update()
  }

  private var current: UInt8 {
    memory.bytes.load(fromByteOffset: Int(address), as: UInt8.self)
  }

  private func begin(_ mode: UInt8) {
    armedUntil = 0
    control |= Self.EEPE
    let value =
      switch mode {
      case Self.EEPM0: UInt8(0xFF)
      case Self.EEPM1: current & data
      default: data
      }
    writing = (Int(address), value)
    written?.set(in: chip.cycles(nanoseconds: mode == 0 ? 3_400_000 : 1_800_000))
    chip.core.cycles &+= 2
  }
}
