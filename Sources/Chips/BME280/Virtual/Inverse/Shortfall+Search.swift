import Environment

extension Shortfall {
  /// Adds what a search found that did not reach the wanted value.
  static func add(
    to shortfall: inout Shortfall?, _ result: CodeSearch.Result, wanted: Double, at time: UInt64
  ) {
    if shortfall != nil {
      shortfall?.count += 1
    } else {
      shortfall = Shortfall(time: time, asked: wanted, nearest: result.value, count: 1)
    }
  }
}
