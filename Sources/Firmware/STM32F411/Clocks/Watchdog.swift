import Machines

/// IWDG: begins the part anew unless it is fed; its clock of 32 kHz runs by itself and cannot be stopped.
final class Watchdog: Peripheral {
  private lazy var alarm = Alarm(chip) { [unowned self] in chip.run.requestReset(.watchdog) }
  private var isUnlocked = false
  /// Whether it counts.
  private(set) var isRunning = false

  init(_ chip: Silicon) {
    super.init(at: 0x4000_3000, chip)
    define(0x00, mask: 0)
    define(0x04, mask: 7)
    define(0x08, mask: 0xFFF, reset: 0xFFF)
    define(0x0C, mask: 0)
  }

  override func reset() {
    super.reset()
    (isUnlocked, isRunning) = (false, false)
    alarm.clear()
  }

  override func clocksDidChange() { alarm.renew() }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    guard offset == 0 else {
      if !isUnlocked { self[offset] = before }
      return
    }
    switch value & 0xFFFF {
    case 0xCCCC:
      isRunning = true
      feed()
    case 0xAAAA:
      isUnlocked = false
      feed()
    case 0x5555: isUnlocked = true
    default: isUnlocked = false
    }
  }

  private func feed() {
    guard isRunning else { return }
    let ticks = (UInt64(self[0x08]) + 1) * (4 << UInt64(min(self[0x04], 6)))
    alarm.set(at: chip.nanoseconds(chip.now) + ticks * 31_250)
  }
}
