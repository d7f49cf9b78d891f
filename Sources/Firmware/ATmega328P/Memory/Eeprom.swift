import Cores
import Machines

/// The EEPROM: a byte is read at once and written in 3.4 ms (data sheet, table 8-2: 1.8 ms for half of that).
final class Eeprom: IOBlock {
  static let size = 1024
  private unowned let chip: AvrChip
  let memory: MachineMemory
  private var address: UInt16 = 0
  private var data: UInt8 = 0
  private var control: UInt8 = 0
  /// Until which cycle EEMPE stays set.
  private var armedUntil: UInt64 = 0
  private var writing: (offset: Int, value: UInt8)?
  private var written: ChipEvent?

  private static let read: UInt8 = 1, write: UInt8 = 2, arm: UInt8 = 4, interrupts: UInt8 = 8

  init(_ chip: AvrChip, _ memory: MachineMemory) {
    self.chip = chip
    self.memory = memory
    super.init()
    written = ChipEvent(chip) { [unowned self] _ in finish() }
  }

  override var addresses: [UInt16] { [0x3F, 0x40, 0x41, 0x42] }
  override var vectors: [Vector] { [.eepromReady] }

  /// A write that is under way is finished: it needs no core.
  override func reset() {
    if writing != nil { finish() }
    written?.clear()
    (address, data, control, armedUntil) = (0, 0, 0, 0)
    update()
  }

  private func update() {
    chip.request(.eepromReady, control & Self.interrupts != 0 && writing == nil)
  }

  private func finish() {
    if let (offset, value) = writing {
      memory.bytes.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
      memory.didChange?(offset, 1)
    }
    writing = nil
    control &= ~Self.write
    update()
  }

  private var isArmed: Bool { armedUntil >= chip.cycle }

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case 0x3F:
      if isArmed { chip.polls.changes(at: armedUntil + 1) }
      return control | (isArmed ? Self.arm : 0)
    case 0x40: return data
    case 0x41: return UInt8(truncatingIfNeeded: self.address)
    default: return UInt8(self.address >> 8)
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case 0x3F: setControl(value)
    case 0x40: data = value
    case 0x41: self.address = self.address & 0x300 | UInt16(value)
    default: self.address = self.address & 0xFF | UInt16(value & 3) << 8
    }
  }

  private func setControl(_ value: UInt8) {
    let mode = value & 0x30
    if writing == nil { control = control & Self.write | mode }
    control = control & ~Self.interrupts | value & Self.interrupts
    if value & Self.read != 0, writing == nil {
      data = current
      // The core stands for four cycles.
      chip.core.cycles &+= 4
    }
    if value & Self.write != 0, isArmed, writing == nil { begin(mode) }
    if value & Self.arm != 0, value & Self.write == 0 { armedUntil = chip.cycle + 4 }
    update()
  }

  private var current: UInt8 {
    memory.bytes.load(fromByteOffset: Int(address), as: UInt8.self)
  }

  private func begin(_ mode: UInt8) {
    armedUntil = 0
    control |= Self.write
    let value =
      switch mode {
      case 0x10: UInt8(0xFF)
      case 0x20: current & data
      default: data
      }
    writing = (Int(address), value)
    written?.set(in: chip.cycles(nanoseconds: mode == 0 ? 3_400_000 : 1_800_000))
    chip.core.cycles &+= 2
  }
}
