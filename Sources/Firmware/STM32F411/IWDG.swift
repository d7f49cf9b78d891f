import Machines

/// IWDG: resets the chip unless it is reloaded; its 32 kHz clock is independent and cannot be stopped.
final class IWDG: Peripheral {
  static let KR: UInt32 = 0x00
  static let PR: UInt32 = 0x04
  static let RLR: UInt32 = 0x08
  static let SR: UInt32 = 0x0C

  private lazy var event = ChipEvent(chip) { [unowned self] in chip.run.requestReset(.watchdog) }
  private var isUnlocked = false
  private(set) var isRunning = false

  init(_ chip: Chip) {
    super.init(at: 0x4000_3000, chip)
    define(IWDG.KR, mask: 0)
    define(IWDG.PR, mask: 7)
    define(IWDG.RLR, mask: 0xFFF, reset: 0xFFF)
    define(IWDG.SR, mask: 0)
  }

  override func reset() {
    super.reset()
    (isUnlocked, isRunning) = (false, false)
    event.clear()
  }

  override func clocksDidChange() { event.reschedule() }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    guard offset == IWDG.KR else {
      if !isUnlocked { self[offset] = before }
      return
    }
    switch value & 0xFFFF {
    case 0xCCCC:
      isRunning = true
      reload()
    case 0xAAAA:
      isUnlocked = false
      reload()
    case 0x5555: isUnlocked = true
    default: isUnlocked = false
    }
  }

  private func reload() {
    guard isRunning else { return }
    let ticks = (UInt64(self[IWDG.RLR]) + 1) * (4 << UInt64(min(self[IWDG.PR], 6)))
    event.set(at: chip.nanoseconds(chip.now) + ticks * 31_250)
  }
}
