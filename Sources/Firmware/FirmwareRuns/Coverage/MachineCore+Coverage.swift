import Cores
import Machines

extension MachineCore {
  /// Remembers from now on which instructions run, over resets too.
  func noteRun() { (self as? ArmCore)?.notesRun = true }

  /// Whether an instruction has run.
  func hasRun(_ address: UInt32) -> Bool { (self as? ArmCore)?.hasRun(address) ?? false }
}
