import Glibc

/// One axis of a grid: numbers that rise or fall throughout.
package struct Axis: Sendable {
  /// Between which two of its values something lies.
  package struct Position: Sendable {
    /// The first of the two.
    package let index: Int
    /// How far it is from the first to the second, 0 to 1.
    package let share: Double
  }

  /// The values.
  package let values: [Double]
  private let rises: Bool

  /// Creates an axis; `nil` unless it has two values or more that rise, or fall, throughout.
  package init?(_ values: [Double]) {
    guard values.count >= 2, values.allSatisfy(\.isFinite) else { return nil }
    rises = values[1] > values[0]
    for (one, next) in zip(values, values.dropFirst()) where (next > one) != rises || next == one {
      return nil
    }
    self.values = values
  }

  /// Where a value lies; `nil` outside.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - circle: by how much a value may be moved, for angles; not at all unless given.
  /// - Returns: the place between two values.
  package func position(of value: Double, around circle: Double = 0) -> Position? {
    let low = min(values[0], values[values.count - 1])
    let high = max(values[0], values[values.count - 1])
    // A place on the last point is inside, whatever the last bit of the arithmetic says.
    let slack = (high - low) * 1e-12
    var moved = value
    if circle > 0 {
      while moved < low - slack { moved += circle }
      while moved - circle >= low - slack { moved -= circle }
    }
    guard moved >= low - slack, moved <= high + slack else { return nil }
    moved = min(max(moved, low), high)
    var (first, last) = (0, values.count - 1)
    while last - first > 1 {
      let middle = (first + last) / 2
      if (values[middle] <= moved) == rises { first = middle } else { last = middle }
    }
    return Position(
      index: first, share: (moved - values[first]) / (values[first + 1] - values[first]))
  }
}
