package import I2C
package import Rigs
package import Support
package import VirtualI2C

package struct BusFaults {
  /// The faults to inject, with the firings of each.
  package let plan: FaultPlan
  /// The configured faults, numbered in the list of the rig or on the command line.
  private let planned: [Fault]

  /// Selects the faults of a rig that act on a bus.
  ///
  /// - Parameters:
  ///   - faults: the faults of the rig.
  ///   - bus: the number of the bus.
  ///   - seed: the seed for faults that fire with a probability.
  package init(_ faults: [Fault], on bus: Int, seed: UInt64) {
    let planned = Self.planned(faults, on: bus)
    self.init(faults, on: bus, sharing: FaultPlan(planned.map(\.plan), seed: seed))
  }

  /// Selects the faults of a rig that act on a bus, whose plan exists.
  init(_ faults: [Fault], on bus: Int, sharing plan: FaultPlan) {
    planned = Self.planned(faults, on: bus)
    self.plan = plan
  }

  private static func planned(_ faults: [Fault], on bus: Int) -> [Fault] {
    zip(1..., faults).filter { $1.bus == bus }.map { $1.numbered($0) }
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

  /// The faults with their firings so far.
  package var faults: [Fault] {
    zip(planned, plan.faults).map { $0.injected($1) }
  }
}

extension Bench {
  /// The faults in the order of the rig, with their firings so far.
  package var faults: [Fault] {
    Set(rig.faults.map(\.bus)).flatMap { bus($0)?.faults.faults ?? [] }
      .inOrder { $0.number < $1.number }
  }
}
