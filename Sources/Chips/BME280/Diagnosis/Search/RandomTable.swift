import DriverDefects

/// What was shown of one quantity, and how random tables differ from it.
struct RandomTable {
  /// What one way of decoding gives.
  struct Reach {
    /// Its values where the smallest and the largest were shown, in digits of what was shown: values that differ by less are shown
    /// alike, and count once.
    var values: [Int]
    /// The share of random tables that it explains.
    var share: Double
  }

  private struct Row {
    let middle: Double, half: Double
    let places: [Int]
    /// From 0 at the smallest value to 1 at the largest.
    var position = 0.0
  }

  let quantity: QuantitySet
  private let rows: [Row]
  private let lowest: Row, highest: Row
  /// How far the smallest values are moved at most, and how much farther the largest.
  private let window: Double, span: Double

  /// The values of one quantity; `nil` if none of them is a number.
  init?(_ quantity: QuantitySet, shownIn alignment: Alignment) {
    let rows = alignment.pairs.compactMap { pair in
      pair.observation.band(of: quantity).map { band in
        Row(
          middle: (band.high + band.low) / 2, half: (band.high - band.low) / 2,
          places: pair.places(of: quantity))
      }
    }
    guard let lowest = rows.min(by: { $0.middle < $1.middle }),
      let highest = rows.max(by: { $0.middle < $1.middle }), lowest.half > 0
    else { return nil }
    (self.quantity, self.lowest, self.highest) = (quantity, lowest, highest)
    let span = highest.middle - lowest.middle
    self.span = span
    self.rows = rows.map { row in
      var row = row
      row.position = span > 0 ? (row.middle - lowest.middle) / span : 0
      return row
    }
    // Wide enough for a count, narrow enough to be about these values.
    window = max(200 * lowest.half, abs(lowest.middle) * 0.02)
  }

  /// The share of random tables in which the largest value is moved as far as the smallest, within the digits.
  var variation: Double { span > 0 ? min((lowest.half + highest.half) / span, 1) : 1 }

  /// What a way of decoding gives, if that is a table in reach.
  ///
  /// - Parameter value: gives the value nearest to what was shown, of the measurements that a row may come from.
  /// - Returns: its values at both ends, and the share of random tables that it explains; `nil` out of reach.
  func reach(_ value: (_ places: [Int], _ shown: Double) -> Double?) -> Reach? {
    guard let low = value(lowest.places, lowest.middle), abs(low - lowest.middle) <= window,
      let high = value(highest.places, highest.middle)
    else { return nil }
    let (first, last) = (low - lowest.middle, high - highest.middle)
    let slack = 2 * (lowest.half + highest.half)
    guard abs(last - first) <= span + slack else { return nil }
    if rows.count > 2 {
      for row in rows {
        let moved = row.middle + first + (last - first) * row.position
        guard let value = value(row.places, moved), abs(value - moved) <= row.half + slack else {
          return nil
        }
      }
    }
    // Digits of several values may have been cut instead of rounded.
    let forms = rows.count > 1 ? 2.0 : 1
    func digits(_ difference: Double, _ row: Row) -> Int {
      // Values in reach lie few digits away; digits that are finer than doubles are none.
      Int(max(min((difference / (2 * row.half)).rounded(), 1e15), -1e15))
    }
    return Reach(
      values: [digits(first, lowest), digits(last, highest)],
      share: min(forms * lowest.half / window, 1) * variation)
  }

  /// All ways in which several quantities come about together.
  static func combined(_ reaches: [[Reach]]) -> [Reach] {
    reaches.reduce([Reach(values: [], share: 1)]) { ways, next in
      ways.flatMap { way in
        next.map { Reach(values: way.values + $0.values, share: way.share * $0.share) }
      }
    }
  }
}
