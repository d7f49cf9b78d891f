package import HubQueue
import Quantities
import Support
package import Warehouse

/// A mapping study of the readings that a hub recorded over a period.
package struct WarehouseStudy: Sendable {
  /// A tag in a zone, its location, and the evaluation of the zone's storage rule.
  package struct Spot: Sendable {
    package let tag: WarehousePolicy.ExpectedTag
    /// `true` if the tag is no longer in this zone, or no longer in the hub file.
    package let isFormer: Bool
    /// The position in meters; `nil` if the hub file does not set one.
    package let location: (x: Double, y: Double)?
    /// The statistics of the tag's readings.
    package let found: MappingStudy.Location
    /// The evaluation of the zone's storage rule; `nil` if the zone has no storage rule.
    package let storage: StorageRecord?
  }

  /// The name of the hub.
  package let hub: String
  /// The period, in nanoseconds since 1970.
  package let span: Range<Int64>
  /// The locations, in the order of the hub file, and then those of former tags and of former zones of tags.
  package let spots: [Spot]
  /// The recommended monitor locations of each zone with several locations.
  package let monitors: [(zone: String, monitors: [MappingStudy.Monitor])]
  /// The number of readings that were evaluated.
  package let count: Int
  /// The SHA-256 digest of the readings as a table, the bytes that `export` receives, in hexadecimal digits.
  package let digest: String

  /// A tag in a zone, as recorded with a reading.
  private struct Place: Hashable {
    let tag, zone: String
  }

  /// Evaluates the readings of a period, each for the zone in which it was measured.
  ///
  /// - Parameters:
  ///   - queue: The hub's queue.
  ///   - policy: The policy with the hub's tags and zones.
  ///   - locations: The positions of tags in meters, by address.
  ///   - span: The period in nanoseconds since 1970.
  ///   - export: Receives the readings as parts of a table (CSV). Default: nothing is done with them.
  /// - Throws: An SQLite error, or one of `export`.
  package init(
    of queue: RecordQueue, policy: WarehousePolicy, locations: [String: (x: Double, y: Double)],
    span: Range<Int64>, export: (String) throws -> Void = { _ in }
  ) throws {
    (hub, self.span) = (policy.hub, span)
    let present = Dictionary(
      policy.tags.map { ($0.address, $0) }, uniquingKeysWith: { one, _ in one })
    var readings: [Place: [TagReading]] = [:]
    var names: [String: String] = [:]
    var after: Int64 = 0
    var count = 0
    var sum = SHA256()
    func add(_ part: String) throws {
      sum.add(part.utf8)
      try export(part)
    }
    try add(ReadingTable.titles)
    while true {
      let records = try queue.history(
        kind: "reading", from: span.lowerBound, to: span.upperBound, after: after, limit: 10_000)
      guard let last = records.last else { break }
      try add(ReadingTable.rows(records, queue))
      for record in records {
        // Stored records have the same members as delivered records, which `TagReading` can parse.
        let json = record.json(hub: queue.hub, epoch: queue.epoch)
        guard let value = JSONValue(reading: Array(json.utf8)), let reading = TagReading(value)
        else { continue }
        let zone = value["zone"]?.text ?? present[reading.tag]?.zone ?? ""
        readings[Place(tag: reading.tag, zone: zone), default: []].append(reading)
        names[reading.tag] = value["name"]?.text
        count += 1
      }
      after = last.sequence
    }
    (self.count, digest) = (count, sum.digits)
    // A queue is in the order of storing, which may differ slightly from chronological order.
    let expected = Set(policy.tags.map { Place(tag: $0.address, zone: $0.zone) })
    let longest = policy.tags.map(\.period).max() ?? 1
    let former = Self.former(
      readings.keys.filter { !expected.contains($0) }, names, present, period: longest)
    let sorted = (policy.tags + former).map { tag in
      let own = readings[Place(tag: tag.address, zone: tag.zone), default: []]
      return (tag, own.sorted { $0.time < $1.time })
    }
    let gap = 3 * longest
    let study = MappingStudy(
      sorted.map { (name: $0.0.name, readings: $0.1) }, span: span, longestGap: gap)
    let spots = zip(sorted, study.locations).map { sorted, found in
      let (tag, readings) = sorted
      let rule = policy.zones.first { $0.name == tag.zone }?.storage
      let isFormer = !expected.contains(Place(tag: tag.address, zone: tag.zone))
      return Spot(
        tag: tag, isFormer: isFormer, location: isFormer ? nil : locations[tag.address],
        found: found, storage: rule.map { Self.storage($0, readings, span, 3 * tag.period) })
    }
    self.spots = spots
    monitors = Self.monitors(of: policy.zones, spots)
  }

  /// Returns the recommended monitor locations of each zone with several locations.
  private static func monitors(of zones: [WarehousePolicy.Zone], _ spots: [Spot])
    -> [(zone: String, monitors: [MappingStudy.Monitor])]
  {
    zones.compactMap { zone in
      let here = spots.filter { $0.tag.zone == zone.name && !$0.isFormer }.map(\.found)
      return here.count > 1 ? (zone.name, MappingStudy.monitors(among: here)) : nil
    }
  }

  /// Returns the tags of places that the hub file does not have, with names that tell them from the present ones.
  private static func former(
    _ places: [Place], _ names: [String: String],
    _ present: [String: WarehousePolicy.ExpectedTag], period: Int64
  ) -> [WarehousePolicy.ExpectedTag] {
    places.map { place in
      let (name, tag) = (names[place.tag] ?? place.tag, present[place.tag])
      return WarehousePolicy.ExpectedTag(
        place.tag, name: tag.map { "\($0.name) (before)" } ?? "\(name) (\(place.tag))",
        zone: place.zone, period: tag?.period ?? period)
    }.sorted { ($0.name, $0.zone) < ($1.name, $1.zone) }
  }

  private static func storage(
    _ rule: StorageRule, _ readings: [TagReading], _ span: Range<Int64>, _ gap: Int64
  ) -> StorageRecord {
    var record = StorageRecord(rule, longestGap: gap)
    for reading in readings where reading.isGood {
      if let value = reading.values[rule.quantity] { record.add(value, at: reading.time) }
    }
    record.finish(at: span.upperBound)
    return record
  }
}

extension WarehouseStudy {
  /// The column titles of the table.
  static let columns = [
    "location", "zone", "mean °C", "lowest", "highest", "MKT °C", "mean %", "highest %", "covered",
    "storage",
  ]

  /// Returns a row of the table.
  func row(_ spot: Spot) -> [String] {
    func number(_ value: Double?, _ decimals: Int = 1) -> String {
      value.map { Decimal.rounded($0, decimals) } ?? "–"
    }
    let found = spot.found
    return [
      found.name, spot.tag.zone, number(found.mean.temperature), number(found.lowest.temperature),
      number(found.highest.temperature), number(found.kineticMean), number(found.mean.humidity),
      number(found.highest.humidity), Self.share(found.coverage), Self.words(spot),
    ]
  }

  /// Returns a share in whole percent; small values other than zero become `<1 %`.
  private static func share(_ share: Double) -> String {
    share > 0 && share < 0.005 ? "<1 %" : Decimal.rounded(share * 100, 0) + " %"
  }

  /// Returns the compliance with the storage rule as text.
  static func words(_ spot: Spot) -> String {
    guard let storage = spot.storage else { return "" }
    guard let isKept = storage.isKept else { return "\(storage.rule.name): no measurement" }
    // A forbidden excursion is established by the data at hand; compliance and a mean require data
    // for the whole period.
    guard spot.found.isEnough || !storage.excursions.allSatisfy(storage.isAllowed) else {
      return "\(storage.rule.name): too few data"
    }
    let count = storage.excursions.count
    return "\(storage.rule.name): " + (isKept ? "compliant" : "not compliant")
      + (count == 0 ? "" : ", \("excursion".counted(count))")
  }

  /// Returns the reason for a monitor location as text.
  static func words(_ reason: MappingStudy.Reason) -> String {
    switch reason {
    case .hottest: "the highest temperature"
    case .coldest: "the lowest temperature"
    case .wettest: "the highest humidity"
    case .widest: "the largest temperature range"
    case .typical: "closest to the overall mean"
    }
  }

  /// The reason why the study is not conclusive yet; `nil` if all locations have enough data.
  var doubt: String? {
    let few = spots.filter { !$0.found.isEnough }
    guard let most = few.map(\.found.covered).max() else { return nil }
    let seconds = most / 1_000_000_000
    let longest =
      seconds < 7200
      ? "\(seconds / 60) min" : Decimal.rounded(Double(seconds) / 3600, 1) + " h"
    let share = Decimal.rounded(MappingStudy.leastCoverage * 100, 0)
    return
      "Too few data for an evaluation: \(few.count) of \("location".counted(spots.count)) \(few.count == 1 ? "has" : "have") values for less than a day or less "
      + "than \(share) % of the period (at most \(seconds < 120 ? "\(seconds) s" : longest)). Cold rooms are mapped for 24 to "
      + "72 hours, warehouses for a week (WHO Technical Report Series 961, annex 9, supplement 8)."
  }

  /// The recommended monitor locations with their zones and reasons, or the reason why there are none.
  var monitorLines: [(location: String, reasons: String)] {
    let lines = monitors.flatMap { zone, monitors in
      monitors.map { monitor in
        ("\(zone), \(monitor.location)", monitor.reasons.map(Self.words).joined(separator: ", "))
      }
    }
    return lines.isEmpty ? [("none", "no zone has several locations with values")] : lines
  }

  /// The storage rules that were applied, in words.
  var rules: [(name: String, words: String)] {
    var found: [StorageRule] = []
    for rule in spots.compactMap(\.storage?.rule) where !found.contains(rule) { found.append(rule) }
    return found.map { ($0.name, Self.words($0)) }
  }

  private static func words(_ rule: StorageRule) -> String {
    let unit = rule.quantity == .humidity ? "%" : "°C"
    func number(_ value: Double) -> String { Decimal.rounded(value, 3) }
    let (low, high) = (rule.range.lowerBound, rule.range.upperBound)
    // A bound that no air reaches is none.
    let isOpen = rule.quantity == .humidity ? low <= 0 : low <= -100
    var words =
      isOpen ? "at most \(number(high)) \(unit)" : "\(number(low)) to \(number(high)) \(unit)"
    if let allowed = rule.excursions {
      words +=
        "; excursions from \(number(allowed.lowerBound)) to \(number(allowed.upperBound)) \(unit)"
      if let spike = rule.spike {
        words +=
          ", and to \(number(spike.highest)) \(unit) for at most \(spike.longest / 3_600_000_000_000) h,"
      }
      words += " are allowed"
      if let mean = rule.highestMean {
        words += " if the mean kinetic temperature is at most \(number(mean)) °C"
      }
    }
    return "\(words) (\(rule.source))"
  }

  /// The title of the list of monitor locations.
  var monitorsTitle: String {
    doubt == nil ? "Recommended monitor locations" : "Preliminary monitor locations"
  }

  /// The titles of the columns of excursions.
  static let excursionColumns = [
    "location", "rule", "from", "until", "min", "farthest", "allowed",
  ]

  /// The excursions of all locations from the ranges of their storage rules, as rows of a table.
  var excursions: [[String]] {
    spots.flatMap { spot -> [[String]] in
      guard let storage = spot.storage else { return [] }
      return storage.excursions.map { excursion in
        [
          spot.found.name, storage.rule.name, UTCTime.stamp(excursion.from),
          UTCTime.stamp(excursion.until),
          Decimal.rounded(Double(excursion.until - excursion.from) / 60e9, 1),
          Decimal.rounded(excursion.worst, 2) + (storage.rule.quantity == .humidity ? " %" : " °C"),
          storage.isAllowed(excursion) ? "yes" : "no",
        ]
      }
    }
  }

  /// What the digest is of.
  var seal: String {
    "SHA-256 of the \("reading".counted(count)) as a table, which --readings writes: \(digest)"
  }

  /// The locations as comma-separated values (RFC 4180).
  package var table: String {
    ([Self.columns] + spots.map(row)).map { cells in
      cells.map(AlarmTable.field).joined(separator: ",") + "\r\n"
    }.joined()
  }

  /// The study as text.
  package var text: String {
    var lines = [
      "Warehouse \(hub), \(UTCTime.stamp(span.lowerBound, decimals: 3)) to \(UTCTime.stamp(span.upperBound, decimals: 3)), "
        + "reading".counted(count), "",
    ]
    lines += Self.aligned([Self.columns] + spots.map(row))
    let excursions = excursions
    if !excursions.isEmpty {
      lines += ["", "Excursions:"] + Self.aligned([Self.excursionColumns] + excursions)
    }
    if let doubt { lines += ["", doubt] }
    lines += ["", monitorsTitle + ":"]
    lines += monitorLines.map { "  \($0.location): \($0.reasons)" }
    if !rules.isEmpty {
      lines += ["", "Storage rules:"] + rules.map { "  \($0.name): \($0.words)" }
    }
    lines += ["", seal]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the lines of a table with aligned columns.
  private static func aligned(_ rows: [[String]]) -> [String] {
    let columns = rows.first?.indices ?? 0..<0
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
