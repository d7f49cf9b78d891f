import CSample
package import Forecasts
import Glibc
import Synchronization

/// The time zones of responses, from the system's time zone database.
package final class TimeZones: Sendable {
  /// The system's time zones, read from the folder named by `TZDIR`, or from `/usr/share/zoneinfo`.
  package static let system = TimeZones(
    folder: getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo")

  /// The time zones of the locations in the embedded sample forecast, for systems without a time
  /// zone database.
  private static let rules = [
    "UTC": "UTC0", "GMT": "GMT0", "Europe/Lisbon": "WET0WEST,M3.5.0/1,M10.5.0",
    "Atlantic/Madeira": "WET0WEST,M3.5.0/1,M10.5.0",
    "Atlantic/Azores": "<-01>1<+00>,M3.5.0/0,M10.5.0/1",
    "Europe/Madrid": "CET-1CEST,M3.5.0,M10.5.0/3",
  ]

  private let folder: String
  private let paths: Set<String>
  private let places: ZonePlaces
  private let known = Mutex<[String: Zone]>([:])

  /// Creates the time zones in a folder; if the folder does not exist, creates those of the
  /// locations in the embedded sample forecast.
  package init(folder: String) {
    self.folder = folder
    let paths = Set(DataFolder.names(in: folder, depth: 3))
    self.paths = paths
    // An old database lacks zones that were renamed or added since.
    places = ZonePlaces(
      UnsafeRawBufferPointer(start: station_zone_places(), count: station_zone_places_size)
    ) { paths.isEmpty || paths.contains($0) }
  }

  /// `true` if the system has a time zone database.
  package var isWhole: Bool { paths.contains("Europe/Lisbon") }

  /// Returns a time zone by its name; `nil` if it is unknown.
  ///
  /// Only files listed in the folder are opened, so no name can refer to a file outside it.
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

  package var utc: Zone {
    guard let rule = ZoneRule("UTC0") else { preconditionFailure("UTC is a rule") }
    return Zone(name: "UTC", rule: rule)
  }

  /// Returns the time zone of a location: that of the nearest place known to the station, which is
  /// correct except within some kilometers of a border and in empty country.
  package func zone(of location: GeoPoint) -> Zone {
    places.nearest(to: location).flatMap { zone(named: $0) } ?? utc
  }
}

/// The places whose nearest one decides the time zone of a location.
struct ZonePlaces: Sendable {
  /// A place as a point of the unit sphere.
  private struct Place: Sendable {
    /// The latitude in radians.
    let latitude: Double
    let x, y, z: Double
    /// The index of its time zone's name.
    let zone: Int

    init(latitude: Double, longitude: Double, zone: Int) {
      let (latitude, longitude) = (latitude * .pi / 180, longitude * .pi / 180)
      self.latitude = latitude
      x = cos(latitude) * cos(longitude)
      y = cos(latitude) * sin(longitude)
      z = sin(latitude)
      self.zone = zone
    }

    /// Returns the square of the distance through the sphere, in radii.
    func distance(to other: Place) -> Double {
      let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
      return dx * dx + dy * dy + dz * dz
    }
  }

  private let names: [String]
  /// The places from south to north.
  private let places: [Place]

  /// Parses lines of a zone's name and its places, each as latitude and longitude in degrees with a
  /// comma between them.
  ///
  /// - Parameters:
  ///   - lines: The text.
  ///   - isWanted: Returns `true` for a zone whose places are used.
  init(_ lines: UnsafeRawBufferPointer, isWanted: (String) -> Bool) {
    var (names, places): ([String], [Place]) = ([], [])
    for line in lines.split(separator: 10) {
      let cells = line.split(separator: 32)
      guard let cell = cells.first else { continue }
      let name = String(decoding: cell, as: UTF8.self)
      guard isWanted(name) else { continue }
      for cell in cells.dropFirst() {
        let numbers = cell.split(separator: UInt8(ascii: ","))
          .compactMap { Double(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 2 else { continue }
        places.append(Place(latitude: numbers[0], longitude: numbers[1], zone: names.count))
      }
      names.append(name)
    }
    self.names = names
    self.places = places.sorted { $0.latitude < $1.latitude }
  }

  /// Returns the time zone of the place nearest to a location; `nil` if there are no places.
  func nearest(to location: GeoPoint) -> String? {
    let here = Place(latitude: location.latitude, longitude: location.longitude, zone: 0)
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].latitude < here.latitude { low = middle + 1 } else { high = middle }
    }
    var best: (distance: Double, zone: Int)?
    // Returns `false` once no further place in this direction can be nearer.
    func compare(_ place: Place) -> Bool {
      let least = 2 * sin((place.latitude - here.latitude) / 2)
      if let best, least * least > best.distance { return false }
      let distance = place.distance(to: here)
      if distance < best?.distance ?? .infinity { best = (distance, place.zone) }
      return true
    }
    var (south, north) = (low - 1, low)
    while south >= 0 || north < places.count {
      if south >= 0 { south = compare(places[south]) ? south - 1 : -1 }
      if north < places.count { north = compare(places[north]) ? north + 1 : places.count }
    }
    return best.map { names[$0.zone] }
  }
}

/// The system's data files.
enum DataFolder {
  /// Returns the paths of the files in a folder, relative to it.
  ///
  /// The local time zone is omitted, and so are the folders `posix` and `right`, which duplicate
  /// the other files.
  static func names(in folder: String, depth: Int, prefix: String = "") -> [String] {
    guard depth > 0, let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var found: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix("."),
        !(prefix.isEmpty && ["posix", "right", "localtime", "posixrules"].contains(name))
      else { continue }
      var status = stat()
      guard stat(folder + "/" + name, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        found += names(in: folder + "/" + name, depth: depth - 1, prefix: prefix + name + "/")
      } else {
        found.append(prefix + name)
      }
    }
    return found
  }

  /// Returns the contents of a file, up to a million bytes; `nil` if the file cannot be read.
  static func bytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1_000_000)
    let count = fread(&bytes, 1, bytes.count, file)
    return ferror(file) == 0 ? Array(bytes.prefix(count)) : nil
  }
}

/// A time zone, with its offsets to UTC over time.
///
/// It is parsed from a file of the system's time zone database (TZif, RFC 8536), version 2 or
/// later, which has 64-bit times.
package struct Zone: Sendable {
  /// The name of the time zone, such as `Europe/Lisbon`.
  package let name: String
  /// The times at which the offset changes, ascending, each with the offset to UTC in seconds that
  /// applies from then on.
  private let changes: [(moment: Int, offset: Int)]
  /// The offset to UTC before the first change, in seconds.
  private let first: Int
  /// The rule that applies after the last change; `nil` if the file contains none.
  private let rule: ZoneRule?

  /// Creates a time zone in which one rule applies at all times.
  init(name: String, rule: ZoneRule) {
    (self.name, self.rule, changes, first) = (name, rule, [], rule.standard)
  }

  /// Parses a time zone file; the result is `nil` if the file is invalid.
  package init?(name: String, bytes: [UInt8]) {
    var reader = ZoneBytes(bytes)
    guard let old = reader.header(), old.version >= 2 else { return nil }
    // The first part of the file, with 32-bit times, is for old programs and is skipped.
    guard reader.skip(old.length(timeSize: 4)), let counts = reader.header() else { return nil }
    guard let moments = reader.numbers(counts.times, size: 8),
      let kinds = reader.numbers(counts.times, size: 1),
      let types = reader.types(counts.types), !types.isEmpty,
      kinds.allSatisfy({ types.indices.contains($0 & 255) })
    else { return nil }
    guard reader.skip(counts.letters + counts.leaps * 12 + counts.standards + counts.universals)
    else { return nil }
    self.name = name
    changes = zip(moments, kinds).map { ($0, types[$1 & 255]) }
    first = types[0]
    rule = ZoneRule(reader.footer())
    guard zip(changes, changes.dropFirst()).allSatisfy({ $0.moment < $1.moment }) else {
      return nil
    }
  }

  /// Returns the offset to UTC in seconds at a time in seconds since 1970.
  package func offset(at moment: Int) -> Int {
    guard let last = changes.last else { return rule?.offset(at: moment) ?? first }
    if moment >= last.moment { return rule?.offset(at: moment) ?? last.offset }
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].moment <= moment { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : changes[low - 1].offset
  }
}

/// A sequential reader of a time zone file.
struct ZoneBytes {
  /// The counts in a header.
  struct Counts {
    let version: Int
    let universals, standards, leaps, times, types, letters: Int

    /// Returns the number of bytes after the header that the counts describe.
    func length(timeSize: Int) -> Int {
      times * (timeSize + 1) + types * 6 + letters + leaps * (timeSize + 4) + standards
        + universals
    }
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Reads a header; returns `nil` if there is none at the current position.
  mutating func header() -> Counts? {
    guard rest.starts(with: Array("TZif".utf8)), rest.count >= 44 else { return nil }
    let version = Int(rest[rest.startIndex + 4]) - 48
    rest = rest.dropFirst(20)
    guard let counts = numbers(6, size: 4), counts.allSatisfy({ (0...100_000).contains($0) }) else {
      return nil
    }
    return Counts(
      version: version, universals: counts[0], standards: counts[1], leaps: counts[2],
      times: counts[3], types: counts[4], letters: counts[5])
  }

  /// Skips a number of bytes.
  ///
  /// - Returns: `true` if there were enough bytes.
  mutating func skip(_ count: Int) -> Bool {
    guard rest.count >= count else { return false }
    rest = rest.dropFirst(count)
    return true
  }

  /// Reads signed big-endian numbers with a given size in bytes.
  mutating func numbers(_ count: Int, size: Int) -> [Int]? {
    guard rest.count >= count * size else { return nil }
    defer { rest = rest.dropFirst(count * size) }
    return (0..<count).map { index in
      let begin = rest.startIndex + index * size
      let bits = rest[begin..<begin + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let empty = 64 - 8 * size
      return Int(Int64(bitPattern: bits << UInt64(empty)) >> Int64(empty))
    }
  }

  /// Reads the offsets to UTC of the local time types, in seconds.
  mutating func types(_ count: Int) -> [Int]? {
    var offsets: [Int] = []
    for _ in 0..<count {
      guard let offset = numbers(1, size: 4), skip(2) else { return nil }
      offsets += offset
    }
    return offsets
  }

  /// Reads the text between two line feeds.
  func footer() -> String {
    guard rest.first == 10 else { return "" }
    return String(decoding: rest.dropFirst().prefix { $0 != 10 }, as: UTF8.self)
  }
}
