package import Forecasts
import GRDB

/// Whose readings a store holds: a source of a kind, at a place.
package struct StoreOwner: Hashable, Sendable {
  /// `simulated`, `replayed` or `real`, with what is replayed.
  package let source: String
  /// Where.
  package let place: Place
  /// The height above the sea in m.
  package let elevation: Double

  /// Creates an owner.
  package init(source: String, site: Site) {
    (self.source, place, elevation) = (source, site.place, site.elevation)
  }

  private init(source: String, place: Place, elevation: Double) {
    (self.source, self.place, self.elevation) = (source, place, elevation)
  }

  /// Whether it stands where another does and reads what it reads.
  func isSame(as other: StoreOwner) -> Bool {
    source == other.source && place == other.place && abs(elevation - other.elevation) < 0.5
  }

  /// Who has a store; `nil` for one that nobody has yet.
  static func read(_ db: Database) throws -> StoreOwner? {
    guard let row = try Row.fetchOne(db, sql: "SELECT * FROM station"),
      let place = Place(latitude: row["latitude"], longitude: row["longitude"])
    else { return nil }
    return StoreOwner(source: row["source"], place: place, elevation: row["elevation_m"])
  }

  /// Writes who has a store.
  func write(_ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO station (only, source, latitude, longitude, elevation_m) VALUES (1,?,?,?,?)
          ON CONFLICT (only) DO UPDATE SET source = excluded.source, latitude = excluded.latitude,
          longitude = excluded.longitude, elevation_m = excluded.elevation_m
        """, arguments: [source, place.latitude, place.longitude, elevation])
  }
}

extension StoreOwner: CustomStringConvertible {
  package var description: String {
    "\(source) readings at \(place.latitude), \(place.longitude), \(elevation) m"
  }
}
