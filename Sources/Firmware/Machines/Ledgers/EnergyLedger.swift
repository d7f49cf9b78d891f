/// What a microcontroller takes in a state, and the line of the data sheet that says so.
package struct EnergyState: Hashable, Sendable {
  /// What is on, in the words of a report.
  package let name: String
  /// The current that it adds, in microamperes.
  package let microamperes: Double
  /// Where that stands: document, table, condition.
  package let source: String

  /// Creates a state.
  package init(_ name: String, microamperes: Double, source: String) {
    self.name = name
    self.microamperes = microamperes
    self.source = source
  }
}

/// For how long a microcontroller has been in which states; several hold at once, and their currents add up.
package final class EnergyLedger {
  /// The states, in the order of the report.
  package let states: [EnergyState]
  @exclusivity(unchecked) private var totals: [UInt64]
  /// What a state took beyond its own current, in microampere seconds.
  @exclusivity(unchecked) private var more: [Double]
  /// Since when a state holds, in nanoseconds; `nil` while it does not.
  @exclusivity(unchecked) private var since: [UInt64?]

  /// Creates a ledger of states of which none holds.
  package init(_ states: [EnergyState]) {
    self.states = states
    totals = Array(repeating: 0, count: states.count)
    more = Array(repeating: 0, count: states.count)
    since = Array(repeating: nil, count: states.count)
  }

  /// Lets a state begin or end at a time in nanoseconds.
  package func set(_ state: Int, _ isOn: Bool, at time: UInt64) {
    if isOn {
      if since[state] == nil { since[state] = time }
    } else if let start = since[state] {
      totals[state] &+= time > start ? time - start : 0
      since[state] = nil
    }
  }

  /// Counts a stretch of a state, in nanoseconds.
  package func add(_ state: Int, nanoseconds: UInt64) { totals[state] &+= nanoseconds }

  /// Counts a stretch of a state in which it took another current than its own: one that depends on the clock.
  package func add(_ state: Int, nanoseconds: UInt64, microamperes: Double) {
    totals[state] &+= nanoseconds
    more[state] += Double(nanoseconds) / 1e9 * (microamperes - states[state].microamperes)
  }

  /// For how long a state has held until a time, in nanoseconds.
  package func nanoseconds(of state: Int, at time: UInt64) -> UInt64 {
    guard let start = since[state] else { return totals[state] }
    return totals[state] &+ (time > start ? time - start : 0)
  }

  /// What a state has taken until a time, in microampere seconds.
  package func charge(of state: Int, at time: UInt64) -> Double {
    Double(nanoseconds(of: state, at: time)) / 1e9 * states[state].microamperes + more[state]
  }
}
