package import Rigs
package import VirtualI2C

/// A planned failure of a rig and what it has done so far.
package struct FaultRecord {
  /// Which one it is: its place in the rig's list, from 1.
  package let number: Int
  /// What was planned.
  package let fault: Fault
  /// What it has done.
  package let plan: PlannedFault

  /// What the failures planned for a bus have done so far.
  static func all(_ planned: [(number: Int, fault: Fault)], _ plan: FaultPlan) -> [FaultRecord] {
    zip(planned, plan.faults).map {
      FaultRecord(number: $0.number, fault: $0.fault, plan: $1)
    }
  }
}

extension Bench {
  /// What each planned failure has done so far, in the order of the rig.
  package var faultRecords: [FaultRecord] {
    Set(rig.faults.map(\.bus)).flatMap { bus($0)?.faultRecords ?? [] }
      .sorted { $0.number < $1.number }
  }
}

extension Bench.Bus {
  /// What the failures planned for the bus have done so far.
  package var faultRecords: [FaultRecord] {
    FaultRecord.all(planned, faultPlan)
  }
}
