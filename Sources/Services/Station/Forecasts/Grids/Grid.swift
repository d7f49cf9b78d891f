import Glibc

/// The horizontal grid of a forecast file.
package enum Grid: Sendable {
  /// A regular grid with axes of latitude and longitude.
  case regular(rows: Axis, columns: Axis)
  /// A regular grid around a rotated pole.
  case rotated(rows: Axis, columns: Axis, pole: RotatedPole)
  case curvilinear(CurvilinearGrid)

  /// The numbers of rows and columns.
  package var shape: (rows: Int, columns: Int) {
    switch self {
    case .regular(let rows, let columns), .rotated(let rows, let columns, _):
      (rows.values.count, columns.values.count)
    case .curvilinear(let grid): (grid.rows, grid.columns)
    }
  }

  /// The name of the kind of grid in responses.
  package var kind: String {
    switch self {
    case .regular: "regular"
    case .rotated: "rotated pole"
    case .curvilinear: "curvilinear"
    }
  }

  /// Returns the cell around a point; `nil` if the point is outside the grid's cells.
  package func cell(around location: GeoPoint) -> GridCell? {
    switch self {
    case .regular(let rows, let columns):
      guard
        let row = rows.position(
          ofLatitude: location.latitude, reachesPoles: columns.isClosed(around: 360)),
        let column = columns.position(of: location.longitude, around: 360)
      else { return nil }
      return cell(row, column)
    case .rotated(let rows, let columns, let pole):
      let turned = pole.rotated(location)
      guard
        let row = rows.position(
          ofLatitude: turned.latitude, reachesPoles: columns.isClosed(around: 360)),
        let column = columns.position(of: turned.longitude, around: 360)
      else { return nil }
      return cell(row, column)
    case .curvilinear(let grid):
      guard let found = grid.position(of: location) else { return nil }
      return cell(found.row, found.column)
    }
  }

  /// Returns the latitude and longitude of a grid point in degrees.
  package func point(row: Int, column: Int) -> (latitude: Double, longitude: Double) {
    switch self {
    case .regular(let rows, let columns): (rows.values[row], columns.values[column])
    case .rotated(let rows, let columns, let pole):
      pole.geographic(latitude: rows.values[row], longitude: columns.values[column])
    case .curvilinear(let grid):
      (grid.latitudes[row * grid.columns + column], grid.longitudes[row * grid.columns + column])
    }
  }

  /// The latitude and longitude of the central grid point in degrees.
  package var middle: (latitude: Double, longitude: Double) {
    point(row: shape.rows / 2, column: shape.columns / 2)
  }

  private func cell(_ row: Axis.Position, _ column: Axis.Position) -> GridCell {
    let origin = point(row: row.index, column: column.index)
    let along = point(row: row.index, column: column.next)
    let across = point(row: row.next, column: column.index)
    let squeeze = cos(origin.latitude * .pi / 180)
    func offset(_ point: (latitude: Double, longitude: Double)) -> (Double, Double) {
      var east = point.longitude - origin.longitude
      while east > 180 { east -= 360 }
      while east < -180 { east += 360 }
      return (east * squeeze, point.latitude - origin.latitude)
    }
    let (east, north) = offset(along)
    let (otherEast, otherNorth) = offset(across)
    let length =
      ((east * east + north * north).squareRoot()
        + (otherEast * otherEast + otherNorth * otherNorth).squareRoot()) / 2
    return GridCell(
      row: row.index, column: column.index, nextColumn: column.next, rowShare: row.share,
      columnShare: column.share, turn: atan2(north, east), size: length * 111.195)
  }
}

/// The four grid points around a point, with their weights.
package struct GridCell: Hashable, Sendable {
  /// The row and the column of the first point; the second row is always the next one.
  package let row, column: Int
  /// The second column, which is the next one, or the first column of the grid if the grid closes
  /// around the Earth.
  package let nextColumn: Int
  /// The position between the two rows and between the two columns, from 0 to 1.
  package let rowShare, columnShare: Double
  /// The direction of the grid's rows at the point, in radians north of east.
  package let turn: Double
  /// The mean length of the cell's sides in km.
  package let size: Double

  /// Interpolates a value.
  ///
  /// - Parameter corners: The values at the two points in the first row, then at the two points in
  ///   the second row.
  /// - Returns: The bilinear interpolation of the points with a value, if they have at least half of the weight; else NaN. So
  ///   a coast has the values of its nearest land in a file without values over the sea.
  package func value(_ corners: (Double, Double, Double, Double)) -> Double {
    let weights = (
      (1 - rowShare) * (1 - columnShare), (1 - rowShare) * columnShare,
      rowShare * (1 - columnShare), rowShare * columnShare
    )
    var (sum, total) = (0.0, 0.0)
    func add(_ weight: Double, _ value: Double) {
      guard weight > 0, !value.isNaN else { return }
      sum += weight * value
      total += weight
    }
    add(weights.0, corners.0)
    add(weights.1, corners.1)
    add(weights.2, corners.2)
    add(weights.3, corners.3)
    // With all four values, the weights already have the sum 1, but for rounding.
    if total > 1 - 1e-9 { return sum }
    return total >= 0.5 - 1e-9 ? sum / total : .nan
  }
}

/// A point on the Earth, in degrees.
package struct GeoPoint: Hashable, Sendable {
  /// The latitude, positive north of the equator.
  package let latitude: Double
  /// The longitude, from -180 to 180, positive east of Greenwich.
  package let longitude: Double

  /// Creates a point, rounded to four decimals (11 m); the result is `nil` if the coordinates are
  /// invalid.
  package init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...360).contains(longitude) else { return nil }
    func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
    self.latitude = rounded(latitude)
    self.longitude = rounded(longitude > 180 ? longitude - 360 : longitude)
  }

  /// Returns the great-circle distance to another point in km, on a sphere of 6371 km.
  package func distance(to other: GeoPoint) -> Double {
    let degree = Double.pi / 180
    let a = sin((other.latitude - latitude) * degree / 2)
    let b = sin((other.longitude - longitude) * degree / 2)
    let h = a * a + cos(latitude * degree) * cos(other.latitude * degree) * b * b
    return 2 * 6371 * asin(min(1, h.squareRoot()))
  }
}

/// A grid axis, whose values increase or decrease strictly.
package struct Axis: Sendable {
  /// A position between two values of the axis.
  package struct Position: Sendable {
    /// The index of the first value.
    package let index: Int
    /// The index of the second value, which is usually the next one, or 0 on a closed circle.
    package let next: Int
    /// The position between the two values, from 0 to 1.
    package let share: Double

    /// Creates a position.
    ///
    /// Default for the second index: the next one.
    init(index: Int, next: Int? = nil, share: Double) {
      (self.index, self.next, self.share) = (index, next ?? index + 1, share)
    }
  }

  package let values: [Double]
  private let rises: Bool

  /// Creates an axis; the result is `nil` unless the values are strictly monotonic and at least
  /// two.
  package init?(_ values: [Double]) {
    guard values.count >= 2, values.allSatisfy(\.isFinite) else { return nil }
    rises = values[1] > values[0]
    for (one, next) in zip(values, values.dropFirst()) where (next > one) != rises || next == one {
      return nil
    }
    self.values = values
  }

  /// The mean distance between neighboring values.
  private var step: Double {
    abs(values[values.count - 1] - values[0]) / Double(values.count - 1)
  }

  /// Returns `true` if the angles of the axis span a full circle, so the first value follows the
  /// last.
  ///
  /// - Parameter circle: The full circle in the unit of the values.
  /// - Returns: `true` if the axis is closed; `false` if the last value repeats the first, because
  ///   there is then no gap between them.
  package func isClosed(around circle: Double) -> Bool {
    let gap = circle - abs(values[values.count - 1] - values[0])
    return gap > 0 && gap < 1.5 * step
  }

  /// Returns the position of a latitude.
  ///
  /// Beyond the last row of a global grid, the values of that row apply up to the pole.
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

  /// Returns the position of a value; `nil` if the value is outside the axis.
  ///
  /// - Parameters:
  ///   - value: The value to locate.
  ///   - circle: The period of the values if they are angles. Default: none.
  /// - Returns: The position between two values.
  package func position(of value: Double, around circle: Double = 0) -> Position? {
    let low = min(values[0], values[values.count - 1])
    let high = max(values[0], values[values.count - 1])
    // The tolerance keeps a point on the last value inside, regardless of rounding.
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
