/// The runs that are known at one moment; a new set takes the place of the old one whole.
package struct ForecastSet: Sendable {
  /// All runs, the newest first.
  package let files: [ModelFile]

  /// Creates a set.
  package init(_ files: [ModelFile]) {
    self.files = files.sorted { $0.reference > $1.reference }
  }

  /// Whether all of it is invented.
  package var isSynthetic: Bool { !files.isEmpty && files.allSatisfy(\.isSynthetic) }
}

/// What all runs together foretell for a place: at each moment the finest domain speaks, of its runs the newest.
package struct PointForecast: Sendable {
  /// The place.
  package let place: Place
  /// The columns, the best first.
  package let columns: [Column]

  /// Creates it from the columns of a place.
  package init(place: Place, columns: [Column]) {
    self.place = place
    // Cells of one domain differ a little in size: what is within a fifth is one domain's.
    self.columns = columns.sorted { one, other in
      if one.size < 0.8 * other.size { return true }
      if other.size < 0.8 * one.size { return false }
      return one.reference > other.reference
    }
  }

  /// A quantity at a moment in seconds since 1970; `nil` where no run tells.
  package func value(_ quantity: Column.Quantity, at moment: Int) -> Double? {
    for column in columns {
      if let value = column.value(quantity, at: moment) { return value }
    }
    return nil
  }

  /// The rain between two moments in mm; `nil` unless a single run holds both.
  package func rain(from start: Int, to end: Int) -> Double? {
    for column in columns {
      if let sum = column.rain(from: start, to: end) { return sum }
    }
    return nil
  }

  /// The column that speaks at a moment.
  package func column(at moment: Int) -> Column? {
    columns.first { column in
      guard let first = column.times.first, let last = column.times.last else { return false }
      return moment >= first && moment <= last
    }
  }

  /// Only what was known at a moment: runs that had begun by then.
  package func known(at moment: Int) -> PointForecast {
    PointForecast(place: place, columns: columns.filter { $0.reference <= moment })
  }

  /// The last moment of any run.
  package var end: Int? { columns.compactMap(\.times.last).max() }

  /// When the last run ended; `nil` as long as one tells of a moment or a later one.
  package func ended(by moment: Int) -> Int? { end.flatMap { $0 < moment ? $0 : nil } }

  /// The run that tells of the latest moment.
  package var lastColumn: Column? {
    columns.max { ($0.times.last ?? 0, $0.reference) < ($1.times.last ?? 0, $1.reference) }
  }

  /// The last moment of any run that has ended by a moment, else the first of those that come.
  package func nearest(to moment: Int) -> Int? {
    columns.compactMap(\.times.last).filter { $0 <= moment }.max()
      ?? columns.compactMap(\.times.first).filter { $0 > moment }.min()
  }
}
