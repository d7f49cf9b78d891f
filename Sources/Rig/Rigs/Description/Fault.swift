package import VirtualI2C

/// A planned failure of a rig.
package struct Fault: Hashable, Sendable {
  /// The name of its kind, as the rig spells it.
  package let name: String
  /// The number of the bus on which it happens.
  package let bus: Int
  /// What happens and when.
  package let plan: PlannedFault

  /// Whether it has fired as often as planned; one that lasts to the end, at all.
  package func hasFired(_ count: Int) -> Bool {
    plan.count == PlannedFault.unlimited ? count > 0 : count >= plan.count
  }

  /// How often it has fired, in words.
  ///
  /// - Parameters:
  ///   - count: how often it has.
  ///   - place: where, with a space before.
  /// - Returns: `fault bit-flip fired 1 of 3 times`.
  package func firings(_ count: Int, place: String = "") -> String {
    guard plan.count == PlannedFault.unlimited else {
      return "fault \(name)\(place) fired \(count) of \(plan.count) times"
    }
    return "fault \(name)\(place) fired " + (count == 1 ? "once" : "\(count) times")
  }
}
