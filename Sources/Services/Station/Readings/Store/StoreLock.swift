package import Forecasts
import GRDB
import Glibc

/// The write lock of a store, which one process holds until it exits.
final class StoreLock: Sendable {
  private let descriptor: Int32

  /// Acquires the lock.
  ///
  /// - Parameter path: The path of the store, which is created if missing.
  /// - Throws: `StoreError` if another process holds the lock, or the file cannot be opened.
  init(path: String) throws(StoreError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .unopened(errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let why = errno
      close(descriptor)
      throw why == EWOULDBLOCK ? .busy : .unusable(String(cString: strerror(why)))
    }
  }

  deinit { close(descriptor) }
}

/// The `-wal` and `-shm` files that SQLite creates next to a database, even for reading.
struct SidecarFiles {
  private let missing: [String]

  /// Records which of the files are missing.
  init(_ path: String) {
    missing = ["-wal", "-shm"].map { path + $0 }.filter { Self.size($0) == nil }
  }

  /// Removes the files that were missing before, if the log is empty.
  func remove() {
    guard missing.count == 2, Self.size(missing[0]) ?? 0 == 0 else { return }
    for file in missing { unlink(file) }
  }

  private static func size(_ path: String) -> Int? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return Int(lseek(file, 0, SEEK_END))
  }
}

/// The owner of a store, which is a kind of source at a location.
package struct StoreOwner: Hashable, Sendable {
  /// The kind of source, `simulated`, `replayed` or `real`; for a replay, also the data that is
  /// replayed.
  package let source: String
  package let location: GeoPoint
  /// The elevation above sea level in m.
  package let elevation: Double

  package init(source: String, site: Site) {
    (self.source, location, elevation) = (source, site.location, site.elevation)
  }

  private init(source: String, location: GeoPoint, elevation: Double) {
    (self.source, self.location, self.elevation) = (source, location, elevation)
  }

  /// Returns `true` if two owners have the same source and location.
  func isSame(as other: StoreOwner) -> Bool {
    source == other.source && location == other.location && abs(elevation - other.elevation) < 0.5
  }

  /// Returns the owner of a store; `nil` if the store has no owner yet.
  static func read(_ db: Database) throws -> StoreOwner? {
    guard let row = try Row.fetchOne(db, sql: "SELECT * FROM station"),
      let location = GeoPoint(latitude: row["latitude"], longitude: row["longitude"])
    else { return nil }
    return StoreOwner(source: row["source"], location: location, elevation: row["elevation_m"])
  }

  /// Stores the owner in a database.
  func write(_ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO station (only, source, latitude, longitude, elevation_m) VALUES (1,?,?,?,?)
          ON CONFLICT (only) DO UPDATE SET source = excluded.source, latitude = excluded.latitude,
          longitude = excluded.longitude, elevation_m = excluded.elevation_m
        """, arguments: [source, location.latitude, location.longitude, elevation])
  }
}

extension StoreOwner: CustomStringConvertible {
  package var description: String {
    "\(source) readings at \(location.latitude), \(location.longitude), \(elevation) m"
  }
}
