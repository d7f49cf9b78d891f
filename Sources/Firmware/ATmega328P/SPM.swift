import Cores
import Machines

/// SPM, with which the program erases and writes pages of flash (datasheet, chapters 26 and 27).
///
/// An erase or a write takes 4.5 ms, during which the core is halted if the page is in the no-read-while-write section.
/// SPM instructions outside the boot section are ignored; lock bits are not modelled.
final class SPM: IOBlock, ProgramMemoryController {
  static let SPMCSR: UInt16 = 0x57
  /// Bits of SPMCSR.
  private static let SPMIE: UInt8 = 0x80, RWWSB: UInt8 = 0x40, SIGRD: UInt8 = 0x20
  private static let RWWSRE: UInt8 = 0x10, BLBSET: UInt8 = 0x08, PGWRT: UInt8 = 0x04
  private static let PGERS: UInt8 = 0x02, SPMEN: UInt8 = 0x01

  static let page = 128
  private static let time: UInt64 = 4_500_000
  /// The start of the no-read-while-write section, in bytes.
  private static let noReadWhileWrite = 0x7000
  private static let signature: [UInt16: UInt8] = [0: 0x1E, 2: 0x95, 4: 0x0F, 1: 0xFF]

  private unowned let chip: Chip
  let memory: MachineMemory
  private var control: UInt8 = 0
  private var armedUntil: UInt64 = 0
  private var buffer = [UInt8](repeating: 0xFF, count: page)
  private var ready: ChipEvent?
  private var isBusy = false

  init(_ chip: Chip, _ memory: MachineMemory) {
    self.chip = chip
    self.memory = memory
    super.init()
    ready = ChipEvent(chip) { [unowned self] _ in finish() }
  }

  override var addresses: [UInt16] { [SPM.SPMCSR] }
  override var vectors: [Vector] { [.spmReady] }

  override func reset() {
    ready?.clear()
    (control, armedUntil, isBusy) = (0, 0, false)
    clearBuffer()
    chip.core.loadsProgramSpecially = false
    update()
  }

  private func clearBuffer() { for index in buffer.indices { buffer[index] = 0xFF } }

  private func update() {
    chip.request(.spmReady, control & Self.SPMIE != 0 && control & Self.SPMEN == 0)
  }

  private func finish() {
    isBusy = false
    control &= ~(Self.PGWRT | Self.PGERS | Self.SPMEN)
    update()
  }

  override func read(_ address: UInt16) -> UInt8 {
    if !isBusy, armedUntil < chip.cycle { disarm() }
    if armedUntil >= chip.cycle { chip.polls.changes(at: armedUntil + 1) }
    return control
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    guard !isBusy else { return }
    control = value & ~Self.RWWSB | control & Self.RWWSB
    if value & Self.SPMEN != 0 {
      armedUntil = chip.cycle + 4
      chip.core.loadsProgramSpecially = value & (Self.SIGRD | Self.BLBSET) != 0
    }
    update()
  }

  private func disarm() {
    control &= Self.SPMIE | Self.RWWSB
    chip.core.loadsProgramSpecially = false
  }

  func loadProgram(_ address: UInt16, _ stored: UInt8) -> UInt8 {
    // LPM takes three of the four cycles.
    guard armedUntil + 3 >= chip.cycle else {
      disarm()
      return stored
    }
    let isSignature = control & Self.SIGRD != 0
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
    guard control & Self.SPMEN != 0, armedUntil + 1 >= chip.cycle, chip.core.pc > boot, !isBusy
    else {
      return
    }
    switch control & 0x1E {
    case 0:
      let offset = Int(address) & (Self.page - 2)
      buffer[offset] = UInt8(truncatingIfNeeded: word)
      buffer[offset + 1] = UInt8(word >> 8)
      control &= ~Self.SPMEN
    case Self.PGERS: change(address) { _, _ in 0xFF }
    case Self.PGWRT:
      let buffer = buffer
      change(address) { old, index in old & buffer[index] }
      clearBuffer()
    case Self.RWWSRE:
      control &= ~(Self.RWWSB | Self.RWWSRE | Self.SPMEN)
      clearBuffer()
    default: control &= Self.SPMIE | Self.RWWSB
    }
    update()
  }

  private func change(_ address: UInt16, _ body: (UInt8, Int) -> UInt8) {
    let start = Int(address) & 0x7FFF & ~(Self.page - 1)
    let bytes = memory.bytes.assumingMemoryBound(to: UInt8.self)
    for index in 0..<Self.page { bytes[start + index] = body(bytes[start + index], index) }
    chip.core.invalidate(start, count: Self.page)
    memory.didChange?(start, Self.page)
    let time = chip.cycles(nanoseconds: Self.time)
    if start >= Self.noReadWhileWrite {
      chip.core.cycles &+= time
      control &= ~(Self.PGWRT | Self.PGERS | Self.SPMEN)
    } else {
      isBusy = true
      control |= Self.RWWSB
      ready?.set(in: time)
    }
  }
}

/// The fuse bytes; a bit that is 0 is programmed (data sheet, chapter 28.2).
package struct ATmega328PFuses: Hashable, Sendable {
  /// CKDIV8, CKOUT, SUT, CKSEL.
  package var low: UInt8
  /// RSTDISBL, DWEN, SPIEN, WDTON, EESAVE, BOOTSZ, BOOTRST.
  package var high: UInt8
  /// BODLEVEL.
  package var extended: UInt8

  /// Creates fuses.
  ///
  /// Default: a crystal, no boot loader, brown-out detection at 2.7 V.
  package init(low: UInt8 = 0xFF, high: UInt8 = 0xDF, extended: UInt8 = 0xFD) {
    (self.low, self.high, self.extended) = (low, high, extended)
  }

  /// The frequency in Hz of the oscillator that CKSEL selects, before CKDIV8: the calibrated RC oscillator (2), that of
  /// 128 kHz (3), or the crystal of a board with 16 MHz (data sheet, table 9-1).
  package var frequency: UInt64 { [2: 8_000_000, 3: 128_000][low & 15] ?? 16_000_000 }

  /// The word address of the boot section, 256 to 2048 words before the end of flash.
  var bootStart: UInt16 { 0x4000 - 256 << UInt16(~high >> 1 & 3) }
  /// `true` if a reset starts the program in the boot section (BOOTRST).
  var startsInBoot: Bool { high & 1 == 0 }
  /// `true` if the watchdog is always on (WDTON).
  var forcesWatchdog: Bool { high & 0x10 == 0 }
  /// `true` if the brown-out detector is on because BODLEVEL is programmed (table 28-5).
  var watchesSupply: Bool { extended & 7 != 7 }
  /// `true` if a reset sets the clock divider to 8 (CKDIV8).
  var dividesClock: Bool { low & 0x80 == 0 }

  /// The start-up cycles of the oscillator after a sleep mode that stops it (data sheet, tables 9-4, 9-7, 9-9, 9-13).
  var startUpCycles: UInt64 {
    let (source, time) = (low & 15, low >> 4 & 3)
    switch source {
    case 0, 2, 3: return 6
    case 4: return 1024
    case 5: return 32768
    case let resonator where resonator & 1 == 0: return time < 2 ? 258 : 1024
    default: return time == 0 ? 1024 : 16384
    }
  }

  /// The additional delay of a reset in nanoseconds at 5 V (the same tables).
  var resetDelay: UInt64 {
    let (source, time) = (low & 15, Int(low >> 4 & 3))
    let (short, long): (UInt64, UInt64) = (4_100_000, 65_000_000)
    switch source {
    case 0...5: return [0, short, long, 0][time]
    case let resonator where resonator & 1 == 0: return [short, long, 0, short][time]
    default: return [long, 0, short, long][time]
    }
  }
}
