import Glibc

/// A place on the Earth, in degrees.
package struct Place: Hashable, Sendable {
  /// North of the equator.
  package let latitude: Double
  /// East of Greenwich, -180 to 180.
  package let longitude: Double

  /// Creates a place, to four decimals (11 m); `nil` for one that is not on the Earth.
  package init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...360).contains(longitude) else { return nil }
    func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
    self.latitude = rounded(latitude)
    self.longitude = rounded(longitude > 180 ? longitude - 360 : longitude)
  }

  /// The distance to another place in km, on a sphere of 6371 km.
  package func distance(to other: Place) -> Double {
    let degree = Double.pi / 180
    let a = sin((other.latitude - latitude) * degree / 2)
    let b = sin((other.longitude - longitude) * degree / 2)
    let h = a * a + cos(latitude * degree) * cos(other.latitude * degree) * b * b
    return 2 * 6371 * asin(min(1, h.squareRoot()))
  }
}
