package import Rigs
import Text
package import VirtualI2C

/// A planned failure of a rig and what it has done so far.
package struct FaultRecord {
  /// Which one it is: its place in the rig's list, from 1.
  package let number: Int
  /// What was planned.
  package let fault: Fault
  /// What it has done.
  package let plan: PlannedFault
}

extension Bench {
  /// What each planned failure has done so far, in the order of the rig.
  package var faultRecords: [FaultRecord] {
    Set(rig.faults.map(\.bus)).flatMap { bus($0)?.faults.records ?? [] }
      .inOrder { $0.number < $1.number }
  }
}
