import Glibc

/// Where the points of a file lie.
package enum Grid: Sendable {
  /// Axes of latitude and longitude.
  case regular(rows: Axis, columns: Axis)
  /// Axes around a pole of its own.
  case rotated(rows: Axis, columns: Axis, pole: RotatedPole)
  /// Every point by itself.
  case curvilinear(CurvilinearGrid)

  /// The rows and columns.
  package var shape: (rows: Int, columns: Int) {
    switch self {
    case .regular(let rows, let columns), .rotated(let rows, let columns, _):
      (rows.values.count, columns.values.count)
    case .curvilinear(let grid): (grid.rows, grid.columns)
    }
  }

  /// What it is called in answers.
  package var kind: String {
    switch self {
    case .regular: "regular"
    case .rotated: "rotated pole"
    case .curvilinear: "curvilinear"
    }
  }

  /// The cell around a place; `nil` outside of the grid's cells.
  package func cell(around place: Place) -> GridCell? {
    switch self {
    case .regular(let rows, let columns):
      guard
        let row = rows.position(
          ofLatitude: place.latitude, reachesPoles: columns.isClosed(around: 360)),
        let column = columns.position(of: place.longitude, around: 360)
      else { return nil }
      return cell(row, column)
    case .rotated(let rows, let columns, let pole):
      let turned = pole.rotated(place)
      guard
        let row = rows.position(
          ofLatitude: turned.latitude, reachesPoles: columns.isClosed(around: 360)),
        let column = columns.position(of: turned.longitude, around: 360)
      else { return nil }
      return cell(row, column)
    case .curvilinear(let grid):
      guard let found = grid.position(of: place) else { return nil }
      return cell(found.row, found.column)
    }
  }

  /// The latitude and longitude of a point in degrees.
  package func point(row: Int, column: Int) -> (latitude: Double, longitude: Double) {
    switch self {
    case .regular(let rows, let columns): (rows.values[row], columns.values[column])
    case .rotated(let rows, let columns, let pole):
      pole.geographic(latitude: rows.values[row], longitude: columns.values[column])
    case .curvilinear(let grid):
      (grid.latitudes[row * grid.columns + column], grid.longitudes[row * grid.columns + column])
    }
  }

  /// The latitude and longitude of the point in the middle, in degrees.
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
