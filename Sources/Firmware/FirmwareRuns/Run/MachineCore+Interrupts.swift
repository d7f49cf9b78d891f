import Cores
import Machines

extension MachineCore {
  /// Whether the program has switched interrupts off.
  var areInterruptsOff: Bool {
    if let core = self as? ArmCore {
      return core[special: .primask] != 0 || core[special: .faultmask] != 0
    }
    // SREG, behind 32 registers; its highest bit is I.
    return architecture == .avr && readRegister(32) & 0x80 == 0
  }
}
