import Machines

/// The watchdog: an interrupt, a reset or both, in 16 ms to 8 s of its own oscillator of 128 kHz.
final class AvrWatchdog: IOBlock {
  private unowned let chip: AvrChip
  private let isForced: Bool
  private var control: UInt8 = 0
  private var armedUntil: UInt64 = 0
  private var event: ChipEvent?
  /// WDRF in MCUSR keeps it on.
  var isHeldOn: () -> Bool = { false }

  private static let flag: UInt8 = 0x80, interrupts: UInt8 = 0x40, arm: UInt8 = 0x10
  private static let resets: UInt8 = 0x08

  init(_ chip: AvrChip) {
    self.chip = chip
    isForced = chip.fuses.forcesWatchdog
    super.init()
    event = ChipEvent(chip) { [unowned self] _ in expire() }
  }

  override var addresses: [UInt16] { [0x60] }
  override var vectors: [Vector] { [.watchdog] }

  override func reset() {
    (control, armedUntil) = (0, 0)
    feed()
  }

  /// Whether it lets the part begin anew, at once or after an interrupt that nobody takes.
  var isOnForReset: Bool { isForced || control & Self.resets != 0 || isHeldOn() }
  private var isOn: Bool { isOnForReset || control & Self.interrupts != 0 }

  /// WDR: counts from the beginning.
  func feed() {
    update()
    chip.energy.set(Consumers.watchdog, isOn, at: chip.now)
    guard isOn else {
      event?.clear()
      return
    }
    let steps = UInt64(control & 7 | control >> 2 & 8)
    event?.set(in: chip.cycles(nanoseconds: (2048 << min(steps, 9)) * 1_000_000_000 / 128_000))
  }

  private func expire() {
    // In the mode of interrupt and reset it does not wait twice for the interrupt to be taken (data sheet, WDTCSR).
    if control & Self.interrupts != 0, !(isOnForReset && control & Self.flag != 0) {
      control |= Self.flag
      feed()
    } else if isOnForReset {
      chip.requestReset(.watchdog)
    }
  }

  override func acknowledge(_ vector: Vector) {
    control &= ~Self.flag
    // In the mode of interrupt and reset the next time is a reset.
    if isOnForReset, !isForced { control &= ~Self.interrupts }
    chip.request(.watchdog, false)
  }

  override func read(_ address: UInt16) -> UInt8 {
    let held = isOnForReset ? Self.resets : 0
    guard armedUntil >= chip.cycle else { return control | held }
    chip.polls.changes(at: armedUntil + 1)
    return control | held | Self.arm
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    let before = (control, isOn)
    if value & Self.flag != 0 { control &= ~Self.flag }
    control = control & ~Self.interrupts | value & Self.interrupts
    if value & (Self.arm | Self.resets) == Self.arm | Self.resets {
      armedUntil = chip.cycle + 4
      control |= Self.resets
    } else if armedUntil >= chip.cycle {
      control = control & 0xC0 | value & 0x2F
      armedUntil = 0
    } else {
      control |= value & Self.resets
    }
    let changedTime = before.0 & 0x27 != control & 0x27
    if before.1 != isOn || changedTime { feed() } else { update() }
  }

  private func update() { chip.request(.watchdog, control & 0xC0 == 0xC0) }
}
