/// A power state of a microcontroller, with its current and the datasheet reference for the current.
package struct EnergyState: Hashable, Sendable {
  /// The name of the consumer in reports.
  package let name: String
  /// The current that the state adds, in microamperes.
  package let microamperes: Double
  /// The source of the current: document, table and condition.
  package let source: String

  package init(_ name: String, microamperes: Double, source: String) {
    self.name = name
    self.microamperes = microamperes
    self.source = source
  }
}

/// The durations of the power states of a microcontroller.
///
/// Several states can be active at once, in which case their currents add up.
package final class EnergyLedger {
  /// The states, in the order of the report.
  package let states: [EnergyState]
  @exclusivity(unchecked) private var totals: [UInt64]
  /// The charge that each state has drawn, minus the charge at its nominal current, in microcoulombs.
  @exclusivity(unchecked) private var excess: [Double]
  /// The time at which each active state started, in nanoseconds; `nil` for an inactive state.
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

  /// Adds an active duration in nanoseconds to a state.
  package func add(_ state: Int, nanoseconds: UInt64) { totals[state] &+= nanoseconds }

  /// Adds an active duration to a state whose current depends on a clock, at the given current instead of the nominal
  /// one.
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
