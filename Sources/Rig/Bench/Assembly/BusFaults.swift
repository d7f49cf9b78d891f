package import Files
package import I2C
package import Rigs
package import VirtualI2C

/// The faults that are planned on one bus.
package struct BusFaults {
  /// The plan, which knows how often each has fired.
  package let plan: FaultPlan
  /// Which they are, with their places in the list that plans them, from 1.
  private let planned: [(number: Int, fault: Fault)]

  /// Creates them of what a rig plans on a bus.
  ///
  /// - Parameters:
  ///   - faults: the faults of the rig.
  ///   - bus: the number of the bus.
  ///   - seed: what probabilities come from.
  package init(_ faults: [Fault], on bus: Int, seed: UInt64) {
    planned = zip(1..., faults).filter { $1.bus == bus }.map { (number: $0, fault: $1) }
    plan = FaultPlan(planned.map(\.fault.plan), seed: seed)
  }

  /// Creates them of what the command line says, each with the keys of a rig.
  ///
  /// - Parameters:
  ///   - texts: the keys of each.
  ///   - bus: the number of the bus.
  /// - Throws: `Failure` with the mistakes of the first that is wrong.
  package init(_ texts: [String], on bus: Int) throws(Failure) {
    var faults: [Fault] = []
    for text in texts { faults += try Fault.planned(text, on: bus) }
    self.init(faults, on: bus, seed: 0)
  }

  /// An adapter on whose wire they happen, where nobody simulates the bus; the same one where none is planned.
  package func over(_ adapter: any I2CAdapter, _ clock: any I2CClock) -> any I2CAdapter {
    planned.isEmpty ? adapter : FaultyAdapter(adapter, clock: clock, faults: plan)
  }

  /// What each has done so far.
  package var records: [FaultRecord] {
    zip(planned, plan.faults).map {
      FaultRecord(number: $0.number, fault: $0.fault, plan: $1)
    }
  }
}
