/// Logarithms that need no library.
package enum Logarithm {
  /// The logarithm to base 2 of a positive number.
  package static func base2(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return 0 }
    // ln((1 + y) / (1 - y)) = 2 (y + y³/3 + ...), of a significand from 1 to 2.
    let y = (value.significand - 1) / (value.significand + 1)
    var (sum, power) = (0.0, y)
    for odd in stride(from: 1, through: 29, by: 2) {
      sum += power / Double(odd)
      power *= y * y
    }
    return Double(value.exponent) + 2 * sum * 1.4426950408889634
  }
}
