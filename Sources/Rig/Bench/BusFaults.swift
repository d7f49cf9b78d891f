package import Files
package import I2C
package import Rigs
import Text
package import VirtualI2C

/// The faults of one bus.
package struct BusFaults {
  /// The faults as the bus injects them, with how often each has fired.
  package let plan: FaultPlan
  /// The faults, with their numbers in the list of the rig or the command line, from 1.
  private let planned: [(number: Int, fault: Fault)]

  /// Selects the faults of a rig that act on a bus.
  ///
  /// - Parameters:
  ///   - faults: the faults of the rig.
  ///   - bus: the number of the bus.
  ///   - seed: the seed of their probabilities.
  package init(_ faults: [Fault], on bus: Int, seed: UInt64) {
    planned = zip(1..., faults).filter { $1.bus == bus }.map { (number: $0, fault: $1) }
    plan = FaultPlan(planned.map(\.fault.plan), seed: seed)
  }

  /// Creates the faults of a command line, each with the keys of a rig.
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

  /// Wraps an adapter whose bus is not simulated, so that the faults act on its wire; returns it unchanged without
  /// faults.
  package func over(_ adapter: any I2CAdapter, _ clock: any I2CClock) -> any I2CAdapter {
    planned.isEmpty ? adapter : FaultyAdapter(adapter, clock: clock, faults: plan)
  }

  /// The faults with how often they have fired so far.
  package var records: [FaultRecord] {
    zip(planned, plan.faults).map {
      FaultRecord(number: $0.number, fault: $0.fault, plan: $1)
    }
  }
}

/// A fault and how often it has fired so far.
package struct FaultRecord {
  /// Its number in the list of the rig, from 1.
  package let number: Int
  /// The configured fault.
  package let fault: Fault
  /// The injected fault, with how often and when it has fired.
  package let plan: PlannedFault
}

extension Bench {
  /// The faults with how often they have fired so far, in the order of the rig.
  package var faultRecords: [FaultRecord] {
    Set(rig.faults.map(\.bus)).flatMap { bus($0)?.faults.records ?? [] }
      .inOrder { $0.number < $1.number }
  }
}
