import Environment

extension Saturation {
  /// Adds what a search found that did not reach the wanted value.
  static func add(
    to shortfall: inout Saturation?, _ result: CodeSearch.Result, wanted: Double, at time: UInt64
  ) {
    if shortfall != nil {
      shortfall?.count += 1
    } else {
      shortfall = Saturation(time: time, asked: wanted, nearest: result.value, count: 1)
    }
  }
}
