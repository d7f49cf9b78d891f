import Glibc

/// A curvilinear grid, in which each point has a latitude and a longitude, as in WRF files.
package struct CurvilinearGrid: Sendable {
  /// The number of rows and columns.
  package let rows, columns: Int
  /// The coordinates in degrees, row by row.
  package let latitudes, longitudes: [Double]
  private let south, north: Double

  /// Creates a grid; the result is `nil` if the counts do not match, or if there are fewer than two
  /// rows or columns.
  package init?(rows: Int, columns: Int, latitudes: [Double], longitudes: [Double]) {
    guard rows >= 2, columns >= 2, latitudes.count == rows * columns,
      longitudes.count == latitudes.count, latitudes.allSatisfy({ abs($0) <= 90 }),
      longitudes.allSatisfy({ abs($0) <= 360 })
    else { return nil }
    (self.rows, self.columns) = (rows, columns)
    (self.latitudes, self.longitudes) = (latitudes, longitudes)
    (south, north) = (latitudes.min() ?? 0, latitudes.max() ?? 0)
  }

  /// Returns the position of a point on the grid; `nil` if the point is outside the grid's cells.
  func position(of location: GeoPoint) -> (row: Axis.Position, column: Axis.Position)? {
    guard location.latitude >= south - 1e-9, location.latitude <= north + 1e-9 else { return nil }
    let nearest = nearestPoint(to: location)
    // Unless the cells are strongly skewed, the point lies in one of the cells around the nearest
    // grid point.
    for reach in [1, 3, max(rows, columns)] {
      let (row, column) = (nearest / columns, nearest % columns)
      for r in max(0, row - reach)..<min(rows - 1, row + reach) {
        for c in max(0, column - reach)..<min(columns - 1, column + reach) {
          if let shares = shares(of: location, row: r, column: c) {
            return (
              Axis.Position(index: r, share: shares.row),
              Axis.Position(index: c, share: shares.column)
            )
          }
        }
      }
      // If the nearest grid point is close to the edge, the point is outside the grid; otherwise all
      // cells are searched.
      if reach == 3, (2..<(rows - 2)).contains(row), (2..<(columns - 2)).contains(column) {
        continue
      }
      if reach == 3 { return nil }
    }
    return nil
  }

  private func east(_ longitude: Double, of location: GeoPoint) -> Double {
    var difference = longitude - location.longitude
    while difference > 180 { difference -= 360 }
    while difference < -180 { difference += 360 }
    return difference
  }

  private func nearestPoint(to location: GeoPoint) -> Int {
    let squeeze = cos(location.latitude * .pi / 180)
    var (best, distance) = (0, Double.infinity)
    for index in latitudes.indices {
      let north = latitudes[index] - location.latitude
      let east = east(longitudes[index], of: location) * squeeze
      let square = north * north + east * east
      if square < distance { (best, distance) = (index, square) }
    }
    return best
  }

  /// Returns the position within a cell, computed by Newton's method on the bilinear map; `nil` if
  /// the point is outside the cell.
  private func shares(of location: GeoPoint, row: Int, column: Int) -> (
    row: Double, column: Double
  )? {
    let first = row * columns + column
    let corners = [first, first + 1, first + columns, first + columns + 1].map {
      (x: east(longitudes[$0], of: location), y: latitudes[$0] - location.latitude)
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

/// A rotated pole, that is, the position of the grid's north pole as defined by CF's
/// `rotated_latitude_longitude`.
package struct RotatedPole: Sendable {
  private let poleLatitude, poleLongitude, gridLongitude: Double

  /// Creates a rotation.
  ///
  /// - Parameters:
  ///   - latitude: The attribute `grid_north_pole_latitude` in degrees.
  ///   - longitude: The attribute `grid_north_pole_longitude` in degrees.
  ///   - gridLongitude: The attribute `north_pole_grid_longitude` in degrees.
  package init(latitude: Double, longitude: Double, gridLongitude: Double = 0) {
    (poleLatitude, poleLongitude, self.gridLongitude) = (latitude, longitude, gridLongitude)
  }

  /// Converts a geographic point to rotated coordinates in degrees.
  package func rotated(_ location: GeoPoint) -> (latitude: Double, longitude: Double) {
    let degree = Double.pi / 180
    let (sinPole, cosPole) = (sin(poleLatitude * degree), cos(poleLatitude * degree))
    let (sinLat, cosLat) = (sin(location.latitude * degree), cos(location.latitude * degree))
    let along = (location.longitude - poleLongitude) * degree
    let up = sinPole * sinLat + cosPole * cosLat * cos(along)
    let east = -cosLat * sin(along)
    let north = cosPole * sinLat - sinPole * cosLat * cos(along)
    return (
      asin(min(1, max(-1, up))) / degree, wrapped(atan2(east, north) / degree + gridLongitude)
    )
  }

  /// Converts rotated coordinates to geographic coordinates in degrees.
  package func geographic(latitude: Double, longitude: Double) -> (
    latitude: Double, longitude: Double
  ) {
    let degree = Double.pi / 180
    let (sinPole, cosPole) = (sin(poleLatitude * degree), cos(poleLatitude * degree))
    let (sinLat, cosLat) = (sin(latitude * degree), cos(latitude * degree))
    let along = (longitude - gridLongitude) * degree
    let up = sinPole * sinLat + cosPole * cosLat * cos(along)
    let east = -cosLat * sin(along)
    let north = cosPole * sinLat - sinPole * cosLat * cos(along)
    return (
      asin(min(1, max(-1, up))) / degree, wrapped(atan2(east, north) / degree + poleLongitude)
    )
  }

  private func wrapped(_ degrees: Double) -> Double {
    let rest = fmod(degrees + 180, 360)
    return (rest < 0 ? rest + 360 : rest) - 180
  }
}
