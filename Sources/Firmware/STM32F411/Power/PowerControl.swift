import Cores
import Machines

/// PWR: the regulator, the backup domain, and how deep a sleep is.
final class PowerControl: Peripheral {
  /// WUF and SBF.
  private var wokeUp: UInt32 = 0

  init(_ chip: Silicon) {
    super.init(at: 0x4000_7000, chip)
    define(0x00, mask: 0xEFF3, reset: 0x8000)
    define(0x04, mask: 0x0300)
    // With PDDS a deep sleep is standby: all but the backup domain is off, and the part begins anew when it wakes. Without
    // PDDS it is the stop mode: only what runs from the slow oscillators goes on.
    chip.core.deepSleep = { [unowned self, unowned chip] sleeps in
      if sleeps, self[0] & 2 != 0 {
        chip.setStopped(true)
        chip.isStandby = true
        chip.run.requestOff()
      } else {
        chip.setStopped(sleeps)
      }
    }
  }

  /// Notes why the part began anew: SBF and WUF.
  func note(_ cause: ResetCause) {
    wokeUp = cause == .wakeUp ? 3 : cause == .powerOn || cause == .brownOut ? 0 : wokeUp
  }

  /// CSR: the regulators are ready as soon as they are asked for.
  override func load(_ offset: UInt32) -> UInt32 {
    guard offset == 4 else { return self[offset] }
    return self[4] | wokeUp | 1 << 14 | (self[4] >> 9 & 1) << 3
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    // CWUF and CSBF clear flags and read as 0.
    if offset == 0 {
      self[0] &= ~0xC
      wokeUp &= ~(value >> 2 & 3)
      chip.stopsFlash = self[0] >> 9 & 1 != 0
    }
  }
}
