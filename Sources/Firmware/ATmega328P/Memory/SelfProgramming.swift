import Cores
import Machines

/// SPM: pages of the flash erased and written by the program (data sheet, chapters 26 and 27).
///
/// An erase or a write takes 4.5 ms; the core stands meanwhile where the page lies in the part of the flash that cannot be
/// read while it is written. Instructions outside the boot section are ignored; lock bits are not modelled.
final class SelfProgramming: IOBlock, ProgramKeeper {
  static let page = 128
  private static let time: UInt64 = 4_500_000
  /// From here on nothing can be read while it is written, in bytes.
  private static let slow = 0x7000
  private static let signature: [UInt16: UInt8] = [0: 0x1E, 2: 0x95, 4: 0x0F, 1: 0xFF]

  private unowned let chip: AvrChip
  let memory: MachineMemory
  private var control: UInt8 = 0
  private var armedUntil: UInt64 = 0
  private var buffer = [UInt8](repeating: 0xFF, count: page)
  private var ready: ChipEvent?
  private var isBusy = false

  init(_ chip: AvrChip, _ memory: MachineMemory) {
    self.chip = chip
    self.memory = memory
    super.init()
    ready = ChipEvent(chip) { [unowned self] _ in finish() }
  }

  override var addresses: [UInt16] { [0x57] }
  override var vectors: [Vector] { [.spmReady] }

  override func reset() {
    ready?.clear()
    (control, armedUntil, isBusy) = (0, 0, false)
    forgetBuffer()
    chip.core.loadsProgramSpecially = false
    update()
  }

  private func forgetBuffer() { for index in buffer.indices { buffer[index] = 0xFF } }

  private func update() {
    chip.request(.spmReady, control & 0x80 != 0 && control & 1 == 0)
  }

  private func finish() {
    isBusy = false
    control &= ~0x07
    update()
  }

  override func read(_ address: UInt16) -> UInt8 {
    if !isBusy, armedUntil < chip.cycle { disarm() }
    if armedUntil >= chip.cycle { chip.polls.changes(at: armedUntil + 1) }
    return control
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    guard !isBusy else { return }
    control = value & 0xBF | control & 0x40
    if value & 1 != 0 {
      armedUntil = chip.cycle + 4
      chip.core.loadsProgramSpecially = value & 0x28 != 0
    }
    update()
  }

  private func disarm() {
    control &= 0xC0
    chip.core.loadsProgramSpecially = false
  }

  func loadProgram(_ address: UInt16, _ stored: UInt8) -> UInt8 {
    // LPM itself takes three cycles of the four.
    guard armedUntil + 3 >= chip.cycle else {
      disarm()
      return stored
    }
    let isSignature = control & 0x20 != 0
    disarm()
    if isSignature { return Self.signature[address & 0x1F] ?? 0xFF }
    switch address {
    case 0: return chip.fuses.low
    case 1: return 0xFF
    case 2: return chip.fuses.extended
    case 3: return chip.fuses.high
    default: return stored
    }
  }

  func storeProgram(_ address: UInt16, _ word: UInt16) {
    let boot = chip.fuses.bootStart
    guard control & 1 != 0, armedUntil + 1 >= chip.cycle, chip.core.pc > boot, !isBusy else {
      return
    }
    switch control & 0x1E {
    case 0:
      let offset = Int(address) & (Self.page - 2)
      buffer[offset] = UInt8(truncatingIfNeeded: word)
      buffer[offset + 1] = UInt8(word >> 8)
      control &= ~1
    case 0x02: change(address) { _, _ in 0xFF }
    case 0x04:
      let buffer = buffer
      change(address) { old, index in old & buffer[index] }
      forgetBuffer()
    case 0x10:
      control &= ~0x51
      forgetBuffer()
    default: control &= 0xC0
    }
    update()
  }

  private func change(_ address: UInt16, _ body: (UInt8, Int) -> UInt8) {
    let start = Int(address) & 0x7FFF & ~(Self.page - 1)
    let bytes = memory.bytes.assumingMemoryBound(to: UInt8.self)
    for index in 0..<Self.page { bytes[start + index] = body(bytes[start + index], index) }
    chip.core.forget(start, count: Self.page)
    memory.didChange?(start, Self.page)
    let time = chip.cycles(nanoseconds: Self.time)
    if start >= Self.slow {
      chip.core.cycles &+= time
      control &= ~0x07
    } else {
      isBusy = true
      control |= 0x40
      ready?.set(in: time)
    }
  }
}
