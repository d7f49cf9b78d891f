package import Forecasts
import Glibc
import Synchronization

/// The zones of time that answers can be in: those of the system's time zone database.
package final class TimeZones: Sendable {
  /// The system's: what `TZDIR` names, else `/usr/share/zoneinfo`.
  package static let system = TimeZones(
    folder: getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo")

  /// The zones of the sample's places, for a system without a database.
  private static let rules = [
    "UTC": "UTC0", "GMT": "GMT0", "Europe/Lisbon": "WET0WEST,M3.5.0/1,M10.5.0",
    "Atlantic/Madeira": "WET0WEST,M3.5.0/1,M10.5.0",
    "Atlantic/Azores": "<-01>1<+00>,M3.5.0/0,M10.5.0/1",
    "Europe/Madrid": "CET-1CEST,M3.5.0,M10.5.0/3",
  ]

  private let folder: String
  private let paths: Set<String>
  private let principals: [ZonePrincipal]
  private let known = Mutex<[String: Zone]>([:])

  /// Creates the zones of a folder; where it is none, those of the sample's places.
  package init(folder: String) {
    self.folder = folder
    paths = Set(DataFolder.names(in: folder, depth: 3))
    principals = ZonePrincipal.read(DataFolder.bytes(folder + "/zone1970.tab") ?? [])
  }

  /// Whether the system has a database.
  package var isWhole: Bool { paths.contains("Europe/Lisbon") }

  /// A zone by its name; `nil` for one that is not known.
  ///
  /// Only names that stand in the folder are looked for there, so that no name leads out of it.
  package func zone(named name: String) -> Zone? {
    if let zone = known.withLock({ $0[name] }) { return zone }
    let zone: Zone?
    if paths.contains(name), let bytes = DataFolder.bytes(folder + "/" + name) {
      zone = Zone(name: name, bytes: bytes)
    } else {
      zone = Self.rules[name].flatMap { ZoneRule($0) }.map { Zone(name: name, rule: $0) }
    }
    if let zone { known.withLock { $0[name] = zone } }
    return zone
  }

  /// UTC.
  package var utc: Zone {
    guard let rule = ZoneRule("UTC0") else { preconditionFailure("UTC is a rule") }
    return Zone(name: "UTC", rule: rule)
  }

  /// The zone of a place: that of Portugal or of Spain where it lies there, else that of the nearest place in the
  /// database's `zone1970.tab`, which is right but near borders.
  package func zone(of place: Place) -> Zone {
    let name =
      Self.iberian(place)
      ?? principals.min { $0.place.distance(to: place) < $1.place.distance(to: place) }?.name
    return name.flatMap { zone(named: $0) } ?? utc
  }

  private static func iberian(_ place: Place) -> String? {
    guard (35.9...43.9).contains(place.latitude) else { return nil }
    if (-10.5 ..< -6.9).contains(place.longitude), place.latitude < 42.2 { return "Europe/Lisbon" }
    if (-6.9 ..< -6.1).contains(place.longitude), place.latitude > 41.2, place.latitude < 42 {
      return "Europe/Lisbon"
    }
    return (-9.4...3.4).contains(place.longitude) && place.latitude > 36.1 ? "Europe/Madrid" : nil
  }
}
