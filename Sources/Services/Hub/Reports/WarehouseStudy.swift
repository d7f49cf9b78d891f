package import HubQueue
import Quantities
import Support
package import Warehouse

/// A mapping study of the readings that a hub recorded over a period.
package struct WarehouseStudy: Sendable {
  /// A tag, its location, and the evaluation of its zone's storage rule.
  package struct Spot: Sendable {
    package let tag: WarehousePolicy.ExpectedTag
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
  /// The locations, in the order of the hub file.
  package let spots: [Spot]
  /// The recommended monitor locations.
  package let monitors: [MappingStudy.Monitor]
  /// The number of readings that were evaluated.
  package let count: Int
  /// The SHA-256 digest of the readings as a table, the bytes that `export` receives, in hexadecimal digits.
  package let digest: String

  /// Evaluates the readings of a period.
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
    var readings: [String: [TagReading]] = [:]
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
        guard let reading = TagReading(json: record.json(hub: queue.hub, epoch: queue.epoch)) else {
          continue
        }
        readings[reading.tag, default: []].append(reading)
        count += 1
      }
      after = last.sequence
    }
    (self.count, digest) = (count, sum.digits)
    // A queue is in the order in which records were stored, which may differ slightly from
    // chronological order.
    let sorted = policy.tags.map { tag in
      (tag, readings[tag.address, default: []].sorted { $0.time < $1.time })
    }
    let gap = sorted.map { $0.0.period }.max().map { 3 * $0 } ?? 1
    let study = MappingStudy(
      sorted.map { (name: $0.0.name, readings: $0.1) }, span: span, longestGap: gap)
    monitors = study.monitors
    spots = zip(sorted, study.locations).map { sorted, found in
      let (tag, readings) = sorted
      let rule = policy.zones.first { $0.name == tag.zone }?.storage
      return Spot(
        tag: tag, location: locations[tag.address], found: found,
        storage: rule.map { Self.storage($0, readings, span, 3 * tag.period) })
    }
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
    lines += monitors.map { monitor in
      "  \(monitor.location): \(monitor.reasons.map(Self.words).joined(separator: ", "))"
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
