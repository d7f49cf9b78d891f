package import Environment

/// Hands that do what a search for a leak asks for, as soon as they are where the hatch is.
package struct SearchCrew {
  /// How long they take to reach a hatch, in nanoseconds.
  package let reach: UInt64
  /// To which hatch they are on their way, and when they are there.
  private var way: (hatch: Int, time: UInt64)?

  /// Creates a crew.
  ///
  /// - Parameter reach: how long it takes to reach a hatch, in nanoseconds.
  package init(reach: UInt64) { self.reach = reach }

  /// What is done at a time in nanoseconds.
  ///
  /// - Parameters:
  ///   - advice: what the search asks for.
  ///   - time: now.
  /// - Returns: the hatch that is moved; `nil` as long as none is.
  package mutating func act(
    on advice: LeakSearch.Advice, at time: UInt64
  ) -> CabinPlan.Action? {
    switch advice {
    case .open(let hatch, _):
      // Who has closed a hatch for an answer stands next to it.
      way = nil
      return .open(hatch)
    case .close(let hatch, _): return close(hatch, at: time)
    case .shut(_, let hatches): return hatches.first.flatMap { close($0, at: time) }
    case .measure, .wait: return nil
    case .watch, .isOver, .stay:
      way = nil
      return nil
    }
  }

  private mutating func close(_ hatch: Int, at time: UInt64) -> CabinPlan.Action? {
    guard let way, way.hatch == hatch else {
      self.way = (hatch, time + reach)
      return nil
    }
    guard time >= way.time else { return nil }
    self.way = nil
    return .close(hatch)
  }
}
