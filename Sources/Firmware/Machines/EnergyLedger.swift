/// The current consumption of a microcontroller in a state, with its data sheet reference.
package struct EnergyState: Hashable, Sendable {
  /// The name of the consumer in reports.
  package let name: String
  /// The additional current in microamperes.
  package let microamperes: Double
  /// The source: document, table and condition.
  package let source: String

  /// Creates a state.
  package init(_ name: String, microamperes: Double, source: String) {
    self.name = name
    self.microamperes = microamperes
    self.source = source
  }
}

/// The durations of the power states of a microcontroller.
///
/// Several can be active at once; their currents add up.
package final class EnergyLedger {
  /// The states, in the order of the report.
  package let states: [EnergyState]
  @exclusivity(unchecked) private var totals: [UInt64]
  /// Charge of a state in excess of its own current, in microcoulombs.
  @exclusivity(unchecked) private var excess: [Double]
  /// The start of an active state, in nanoseconds; `nil` while it is inactive.
  @exclusivity(unchecked) private var since: [UInt64?]

  /// Creates a ledger with all states inactive.
  package init(_ states: [EnergyState]) {
    self.states = states
    totals = Array(repeating: 0, count: states.count)
    excess = Array(repeating: 0, count: states.count)
    since = Array(repeating: nil, count: states.count)
  }

  /// Starts or ends a state at a time in nanoseconds.
  package func set(_ state: Int, _ isOn: Bool, at time: UInt64) {
    if isOn {
      if since[state] == nil { since[state] = time }
    } else if let start = since[state] {
      totals[state] &+= time > start ? time - start : 0
      since[state] = nil
    }
  }

  /// Adds a duration to a state, in nanoseconds.
  package func add(_ state: Int, nanoseconds: UInt64) { totals[state] &+= nanoseconds }

  /// Adds a duration to a state at a different current, for a consumer whose current depends on the clock.
  package func add(_ state: Int, nanoseconds: UInt64, microamperes: Double) {
    totals[state] &+= nanoseconds
    excess[state] += Double(nanoseconds) / 1e9 * (microamperes - states[state].microamperes)
  }

  /// Returns how long a state was active until a time, in nanoseconds.
  package func nanoseconds(of state: Int, at time: UInt64) -> UInt64 {
    guard let start = since[state] else { return totals[state] }
    return totals[state] &+ (time > start ? time - start : 0)
  }

  /// Returns the charge of a state until a time, in microcoulombs.
  package func charge(of state: Int, at time: UInt64) -> Double {
    Double(nanoseconds(of: state, at: time)) / 1e9 * states[state].microamperes + excess[state]
  }
}
