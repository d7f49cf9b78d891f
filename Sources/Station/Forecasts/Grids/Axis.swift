import Glibc

/// One axis of a grid: numbers that rise or fall throughout.
package struct Axis: Sendable {
  /// Between which two of its values something lies.
  package struct Position: Sendable {
    /// The first of the two.
    package let index: Int
    /// The second: mostly the next, on a closed circle also the first after the last.
    package let next: Int
    /// How far it is from the first to the second, 0 to 1.
    package let share: Double

    /// Creates a position; the second value is the next unless given.
    init(index: Int, next: Int? = nil, share: Double) {
      (self.index, self.next, self.share) = (index, next ?? index + 1, share)
    }
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

  /// How far its values are apart, on average.
  private var step: Double {
    abs(values[values.count - 1] - values[0]) / Double(values.count - 1)
  }

  /// Whether its angles go once around a circle, so that the last value is followed by the first.
  ///
  /// - Parameter circle: the whole circle, in the unit of the values.
  /// - Returns: whether it is closed; not where a value comes twice, since then nothing is left between.
  package func isClosed(around circle: Double) -> Bool {
    let gap = circle - abs(values[values.count - 1] - values[0])
    return gap > 0 && gap < 1.5 * step
  }

  /// Where a latitude lies; beyond the last row of a grid that goes around the Earth the row speaks up to its pole.
  package func position(ofLatitude latitude: Double, reachesPoles: Bool) -> Position? {
    if let found = position(of: latitude) { return found }
    let (low, high) = (
      min(values[0], values[values.count - 1]), max(values[0], values[values.count - 1])
    )
    let isBeyond = latitude > high ? high + 1.01 * step >= 90 : low - 1.01 * step <= -90
    guard reachesPoles, isBeyond else { return nil }
    let isLast = (latitude > high) == rises
    return isLast
      ? Position(index: values.count - 2, share: 1) : Position(index: 0, share: 0)
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
    if moved > high + slack, isClosed(around: circle) {
      let share = (moved - high) / (low + circle - high)
      return rises
        ? Position(index: values.count - 1, next: 0, share: share)
        : Position(index: 0, next: values.count - 1, share: share)
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
