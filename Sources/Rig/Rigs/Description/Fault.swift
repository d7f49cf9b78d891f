import I2C
import Support
package import VirtualI2C

/// A fault to inject: its name, its effect, and the evidence of its firings.
package struct Fault: Hashable, Sendable {
  /// The name in rigs of the kind of fault.
  package let name: String
  /// The number of the bus that the fault acts on.
  package let bus: Int
  /// The number of the fault in the list of the rig or on the command line, from 1; 0 before the fault is injected.
  package private(set) var number = 0
  /// The effect of the fault, the conditions that trigger it, and its firings so far.
  package private(set) var plan: PlannedFault

  package init(name: String, bus: Int, plan: PlannedFault) {
    (self.name, self.bus, self.plan) = (name, bus, plan)
  }

  /// Returns the fault with its number in the list of the rig.
  package func numbered(_ number: Int) -> Fault {
    var fault = self
    fault.number = number
    return fault
  }

  /// Returns the fault with the firings of the injected one.
  package func injected(_ plan: PlannedFault) -> Fault {
    var fault = self
    fault.plan = plan
    return fault
  }

  /// The configured number of firings; `nil` if the fault is unlimited.
  package var planned: Int? { plan.count == PlannedFault.unlimited ? nil : plan.count }

  /// `true` if the fault has fired as often as configured, or at least once if it is unlimited.
  package var hasFired: Bool { planned == nil ? plan.fired > 0 : plan.isOver }

  /// Describes how often the fault has fired.
  ///
  /// - Parameter location: the location of the fault, with a leading space. Default: empty.
  /// - Returns: a text such as `fault bit-flip fired 1 of 3 times`.
  package func firings(location: String = "") -> String {
    let count = plan.fired
    guard let planned else {
      return "fault \(name)\(location) fired " + (count == 1 ? "once" : "\(count) times")
    }
    return "fault \(name)\(location) fired \(count) of \(planned) times"
  }

  /// The evidence of the firings, for reports.
  package var evidence: FaultEvidence {
    FaultEvidence(name: name, bus: bus, planned: planned, firings: plan.evidence)
  }
}

/// The evidence of a fault's firings: where, how often and when it fired.
package struct FaultEvidence: Hashable, Sendable {
  /// The name in rigs of the kind of fault.
  package let name: String
  /// The number of the bus.
  package let bus: Int
  /// The configured number of firings; `nil` if the fault is unlimited.
  package let planned: Int?
  /// The number of firings, and the first and the last one.
  package let firings: PlannedFault.Evidence

  package init(name: String, bus: Int, planned: Int?, firings: PlannedFault.Evidence) {
    self.name = name
    self.bus = bus
    self.planned = planned
    self.firings = firings
  }

  /// The evidence as text: `bit-flip at 0x76 on bus 1, 2 of 3 times, from 1.5 s (transfer 12) to 2 s (transfer 30)`.
  package var text: String {
    let (first, last) = (firings.first?.address, firings.last?.address)
    let address = first.flatMap { first == last ? " at \($0)" : nil } ?? ""
    let count = "\(firings.count)" + (planned.map { " of \($0)" } ?? "")
    return "\(name)\(address) on bus \(bus), \(count) times\(moments)"
  }

  /// The times and transfers of the first and last firing as a clause with a leading comma; empty if the fault has not
  /// fired.
  package var moments: String {
    guard let first = firings.first, let last = firings.last else { return "" }
    func moment(_ firing: PlannedFault.Evidence.Firing) -> String {
      "\(Decimal.seconds(firing.time)) s (transfer \(firing.transfer))"
    }
    return first == last ? ", at \(moment(first))" : ", from \(moment(first)) to \(moment(last))"
  }
}
