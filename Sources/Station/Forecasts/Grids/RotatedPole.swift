import Glibc

/// A rotated pole, as CF's `rotated_latitude_longitude` describes it: where the grid's north pole lies.
package struct RotatedPole: Sendable {
  private let poleLatitude, poleLongitude, gridLongitude: Double

  /// Creates a rotation.
  ///
  /// - Parameters:
  ///   - latitude: `grid_north_pole_latitude`, in degrees.
  ///   - longitude: `grid_north_pole_longitude`, in degrees.
  ///   - gridLongitude: `north_pole_grid_longitude`, in degrees.
  package init(latitude: Double, longitude: Double, gridLongitude: Double = 0) {
    (poleLatitude, poleLongitude, self.gridLongitude) = (latitude, longitude, gridLongitude)
  }

  /// A place on the grid's sphere, in degrees.
  package func rotated(_ place: Place) -> (latitude: Double, longitude: Double) {
    let degree = Double.pi / 180
    let (sinPole, cosPole) = (sin(poleLatitude * degree), cos(poleLatitude * degree))
    let (sinLat, cosLat) = (sin(place.latitude * degree), cos(place.latitude * degree))
    let along = (place.longitude - poleLongitude) * degree
    let up = sinPole * sinLat + cosPole * cosLat * cos(along)
    let east = -cosLat * sin(along)
    let north = cosPole * sinLat - sinPole * cosLat * cos(along)
    return (
      asin(min(1, max(-1, up))) / degree, wrapped(atan2(east, north) / degree + gridLongitude)
    )
  }

  /// A place of the grid's sphere on the Earth, in degrees.
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
