import Glibc

/// A grid whose points have a latitude and a longitude each, as WRF writes them.
package struct CurvilinearGrid: Sendable {
  /// The rows and the columns.
  package let rows, columns: Int
  /// Degrees, row after row.
  package let latitudes, longitudes: [Double]
  private let south, north: Double

  /// Creates a grid; `nil` where the numbers do not fit, or for fewer than two rows or columns.
  package init?(rows: Int, columns: Int, latitudes: [Double], longitudes: [Double]) {
    guard rows >= 2, columns >= 2, latitudes.count == rows * columns,
      longitudes.count == latitudes.count, latitudes.allSatisfy({ abs($0) <= 90 }),
      longitudes.allSatisfy({ abs($0) <= 360 })
    else { return nil }
    (self.rows, self.columns) = (rows, columns)
    (self.latitudes, self.longitudes) = (latitudes, longitudes)
    (south, north) = (latitudes.min() ?? 0, latitudes.max() ?? 0)
  }

  /// Where a place lies; `nil` outside of the cells.
  func position(of place: Place) -> (row: Axis.Position, column: Axis.Position)? {
    guard place.latitude >= south - 1e-9, place.latitude <= north + 1e-9 else { return nil }
    let nearest = nearestPoint(to: place)
    // The place lies in one of the cells around the nearest point, but where cells are very slanted.
    for reach in [1, 3, max(rows, columns)] {
      let (row, column) = (nearest / columns, nearest % columns)
      for r in max(0, row - reach)..<min(rows - 1, row + reach) {
        for c in max(0, column - reach)..<min(columns - 1, column + reach) {
          if let shares = shares(of: place, row: r, column: c) {
            return (
              Axis.Position(index: r, share: shares.row),
              Axis.Position(index: c, share: shares.column)
            )
          }
        }
      }
      // From the edge, a place further away than a cell is long is outside.
      if reach == 3, (2..<(rows - 2)).contains(row), (2..<(columns - 2)).contains(column) {
        continue
      }
      if reach == 3 { return nil }
    }
    return nil
  }

  private func east(_ longitude: Double, of place: Place) -> Double {
    var difference = longitude - place.longitude
    while difference > 180 { difference -= 360 }
    while difference < -180 { difference += 360 }
    return difference
  }

  private func nearestPoint(to place: Place) -> Int {
    let squeeze = cos(place.latitude * .pi / 180)
    var (best, distance) = (0, Double.infinity)
    for index in latitudes.indices {
      let north = latitudes[index] - place.latitude
      let east = east(longitudes[index], of: place) * squeeze
      let square = north * north + east * east
      if square < distance { (best, distance) = (index, square) }
    }
    return best
  }

  /// How far a place lies in a cell, by Newton's method on the bilinear map; `nil` outside.
  private func shares(of place: Place, row: Int, column: Int) -> (row: Double, column: Double)? {
    let first = row * columns + column
    let corners = [first, first + 1, first + columns, first + columns + 1].map {
      (x: east(longitudes[$0], of: place), y: latitudes[$0] - place.latitude)
    }
    let (a, b, c, d) = (corners[0], corners[1], corners[2], corners[3])
    var (u, v) = (0.5, 0.5)
    for _ in 0..<20 {
      let x = a.x * (1 - u) * (1 - v) + b.x * u * (1 - v) + c.x * (1 - u) * v + d.x * u * v
      let y = a.y * (1 - u) * (1 - v) + b.y * u * (1 - v) + c.y * (1 - u) * v + d.y * u * v
      let (xu, xv) = (
        (b.x - a.x) * (1 - v) + (d.x - c.x) * v, (c.x - a.x) * (1 - u) + (d.x - b.x) * u
      )
      let (yu, yv) = (
        (b.y - a.y) * (1 - v) + (d.y - c.y) * v, (c.y - a.y) * (1 - u) + (d.y - b.y) * u
      )
      let determinant = xu * yv - xv * yu
      guard abs(determinant) > 1e-18 else { return nil }
      let (du, dv) = ((x * yv - y * xv) / determinant, (y * xu - x * yu) / determinant)
      u -= du
      v -= dv
      guard abs(u) < 10, abs(v) < 10 else { return nil }
      if abs(du) + abs(dv) < 1e-13 { break }
    }
    let slack = 1e-9
    guard (-slack...(1 + slack)).contains(u), (-slack...(1 + slack)).contains(v) else { return nil }
    return (min(max(v, 0), 1), min(max(u, 0), 1))
  }
}
