import Machines

/// The watchdog timer, which causes an interrupt, a reset or both after 16 ms to 8 s of its own 128 kHz oscillator.
final class WDT: IOBlock {
  static let WDTCSR: UInt16 = 0x60

  private unowned let chip: Chip
  private let isForced: Bool
  private var control: UInt8 = 0
  private var armedUntil: UInt64 = 0
  private var event: ChipEvent?
  /// A function that returns whether WDRF in MCUSR is set, which keeps the watchdog on.
  var isHeldOn: () -> Bool = { false }

  /// Bits of WDTCSR.
  private static let WDIF: UInt8 = 0x80, WDIE: UInt8 = 0x40, WDCE: UInt8 = 0x10, WDE: UInt8 = 0x08

  init(_ chip: Chip) {
    self.chip = chip
    isForced = chip.fuses.forcesWatchdog
    super.init()
    event = ChipEvent(chip) { [unowned self] _ in expire() }
  }

  override var addresses: [UInt16] { [WDT.WDTCSR] }
  override var vectors: [Vector] { [.watchdog] }

  override func reset() {
    (control, armedUntil) = (0, 0)
    feed()
  }

  /// `true` if a timeout resets the chip.
  ///
  /// If the watchdog interrupt is enabled as well, the first timeout causes the interrupt, and only the second one
  /// resets the chip.
  var isOnForReset: Bool { isForced || control & Self.WDE != 0 || isHeldOn() }
  private var isOn: Bool { isOnForReset || control & Self.WDIE != 0 }

  /// Restarts the timer, as the instruction WDR does.
  func feed() {
    update()
    chip.energy.set(EnergyTable.watchdog, isOn, at: chip.now)
    guard isOn else {
      event?.clear()
      return
    }
    let steps = UInt64(control & 7 | control >> 2 & 8)
    event?.set(in: chip.cycles(nanoseconds: (2048 << min(steps, 9)) * 1_000_000_000 / 128_000))
  }

  private func expire() {
    // In interrupt and system reset mode a second timeout resets the chip (data sheet, WDTCSR).
    if control & Self.WDIE != 0, !(isOnForReset && control & Self.WDIF != 0) {
      control |= Self.WDIF
      feed()
    } else if isOnForReset {
      chip.requestReset(.watchdog)
    }
  }

  override func acknowledge(_ vector: Vector) {
    control &= ~Self.WDIF
    // In interrupt and system reset mode the next timeout is a reset.
    if isOnForReset, !isForced { control &= ~Self.WDIE }
    chip.request(.watchdog, false)
  }

  override func read(_ address: UInt16) -> UInt8 {
    let held = isOnForReset ? Self.WDE : 0
    guard armedUntil >= chip.cycle else { return control | held }
    chip.polls.changes(at: armedUntil + 1)
    return control | held | Self.WDCE
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    let before = (control, isOn)
    if value & Self.WDIF != 0 { control &= ~Self.WDIF }
    control = control & ~Self.WDIE | value & Self.WDIE
    if value & (Self.WDCE | Self.WDE) == Self.WDCE | Self.WDE {
      armedUntil = chip.cycle + 4
      control |= Self.WDE
    } else if armedUntil >= chip.cycle {
      control = control & 0xC0 | value & 0x2F
      armedUntil = 0
    } else {
      control |= value & Self.WDE
    }
    let changedTime = before.0 & 0x27 != control & 0x27
    if before.1 != isOn || changedTime { feed() } else { update() }
  }

  private func update() { chip.request(.watchdog, control & 0xC0 == 0xC0) }
}
