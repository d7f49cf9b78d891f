import Cores
import Machines

/// PWR: the regulator, the backup domain, stop mode and standby.
package final class PWR: Peripheral {
  package static let CR: UInt32 = 0x00
  package static let CSR: UInt32 = 0x04

  /// Bits of CR.
  private enum Control {
    static let PDDS: UInt32 = 1 << 1, CWUF: UInt32 = 1 << 2, CSBF: UInt32 = 1 << 3
    static let FPDS: UInt32 = 1 << 9
  }
  /// The flags WUF (wake-up) and SBF (standby) in CSR.
  private var wokeUp: UInt32 = 0

  init(_ chip: Chip) {
    super.init(at: 0x4000_7000, chip)
    define(PWR.CR, mask: 0xEFF3, reset: 0x8000)
    define(PWR.CSR, mask: 0x0300)
    // With PDDS a deep sleep is standby: everything except the backup domain is off, and waking up resets the chip.
    // Without PDDS it is stop mode: only peripherals clocked by LSI or LSE continue.
    chip.core.deepSleep = { [unowned self, unowned chip] sleeps in
      if sleeps, self[PWR.CR] & Control.PDDS != 0 {
        chip.setStopped(true)
        chip.isStandby = true
        chip.run.requestOff()
      } else {
        chip.setStopped(sleeps)
      }
    }
  }

  /// Sets SBF and WUF after a wake-up from standby, and clears them after a power-on or brown-out
  /// reset.
  func note(_ cause: ResetCause) {
    wokeUp = cause == .wakeUp ? 3 : cause == .powerOn || cause == .brownOut ? 0 : wokeUp
  }

  /// Returns the value of a register; in CSR the regulators are ready as soon as they are enabled.
  override func load(_ offset: UInt32) -> UInt32 {
    guard offset == PWR.CSR else { return self[offset] }
    return self[PWR.CSR] | wokeUp | 1 << 14 | (self[PWR.CSR] >> 9 & 1) << 3
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    // CWUF and CSBF clear flags and read as 0.
    if offset == PWR.CR {
      self[PWR.CR] &= ~(Control.CWUF | Control.CSBF)
      wokeUp &= ~(value >> 2 & 3)
      chip.stopsFlash = self[PWR.CR] & Control.FPDS != 0
    }
  }
}
