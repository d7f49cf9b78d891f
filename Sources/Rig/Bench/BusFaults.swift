package import Files
package import I2C
package import Rigs
import Text
package import VirtualI2C

package struct BusFaults {
  /// The faults to inject, with the number of times each has fired.
  package let plan: FaultPlan
  /// The configured faults, each with its number, from 1, in the list of the rig or on the command
  /// line.
  private let planned: [(number: Int, fault: Fault)]

  /// Selects the faults of a rig that act on a bus.
  ///
  /// - Parameters:
  ///   - faults: the faults of the rig.
  ///   - bus: the number of the bus.
  ///   - seed: the seed for faults that fire with a probability.
  package init(_ faults: [Fault], on bus: Int, seed: UInt64) {
    planned = zip(1..., faults).filter { $1.bus == bus }.map { (number: $0, fault: $1) }
    plan = FaultPlan(planned.map(\.fault.plan), seed: seed)
  }

  /// Creates the faults given on a command line, each with the keys of a fault in a rig.
  ///
  /// - Parameters:
  ///   - texts: the keys of each fault.
  ///   - bus: the number of the bus.
  /// - Throws: `Failure` with the errors of the first invalid fault.
  package init(_ texts: [String], on bus: Int) throws(Failure) {
    var faults: [Fault] = []
    for text in texts { faults += try Fault.planned(text, on: bus) }
    self.init(faults, on: bus, seed: 0)
  }

  /// Wraps a real or replaying adapter so that the faults act on its wire; returns the adapter
  /// unchanged if there are no faults.
  package func over(_ adapter: any I2CAdapter, _ clock: any I2CClock) -> any I2CAdapter {
    planned.isEmpty ? adapter : FaultyAdapter(adapter, clock: clock, faults: plan)
  }

  /// The faults, each with the number of times it has fired so far.
  package var records: [FaultRecord] {
    zip(planned, plan.faults).map {
      FaultRecord(number: $0.number, fault: $0.fault, plan: $1)
    }
  }
}

/// A fault with the number of times it has fired so far.
package struct FaultRecord {
  /// The number of the fault in the list of the rig, from 1.
  package let number: Int
  /// The configured fault.
  package let fault: Fault
  /// The injected fault, which counts its firings and keeps their times.
  package let plan: PlannedFault
}

extension Bench {
  /// The faults in the order of the rig, each with the number of times it has fired so far.
  package var faultRecords: [FaultRecord] {
    Set(rig.faults.map(\.bus)).flatMap { bus($0)?.faults.records ?? [] }
      .inOrder { $0.number < $1.number }
  }
}
