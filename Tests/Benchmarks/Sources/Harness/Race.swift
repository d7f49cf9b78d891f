/// Measures pieces of work in turn, so that a machine whose speed drifts is the same for all.
package enum Race {
  /// The median time of each piece over some rounds, in ns for each of its operations.
  package static func medians(
    rounds: Int = 15, operations: Int, _ contestants: [() -> Void]
  ) -> [Double] {
    var times: [[Double]] = contestants.map { _ in [] }
    for round in 0...rounds {
      for (index, contestant) in contestants.enumerated() {
        let start = ContinuousClock.now
        contestant()
        let elapsed = ContinuousClock.now - start
        let nanoseconds =
          Double(elapsed.components.attoseconds) / 1e9
          + Double(elapsed.components.seconds) * 1e9
        // The first round warms up.
        if round > 0 { times[index].append(nanoseconds / Double(operations)) }
      }
    }
    return times.map { $0.sorted()[rounds / 2] }
  }
}
