package import HubQueue
import Quantities
package import Warehouse

/// What a hub has recorded of its places over a period.
package struct WarehouseStudy: Sendable {
  /// A tag's place, and what its zone is judged by.
  package struct Spot: Sendable {
    /// The tag.
    package let tag: WarehousePolicy.ExpectedTag
    /// Where it lies, in metres.
    package let place: (x: Double, y: Double)?
    /// What its readings say.
    package let found: MappingStudy.Place
    /// The rule of storage of its zone, and whether it was kept; `nil` where the zone has none.
    package let storage: StorageRecord?
  }

  /// The hub.
  package let hub: String
  /// The period, in nanoseconds since 1970.
  package let span: Range<Int64>
  /// The places, in the order of the hub's file.
  package let spots: [Spot]
  /// Where monitors belong.
  package let monitors: [MappingStudy.Monitor]
  /// How many readings it rests on.
  package let count: Int

  /// Reads the readings of a period.
  ///
  /// - Parameters:
  ///   - queue: the hub's queue.
  ///   - policy: the hub's tags and zones.
  ///   - places: where tags lie, in metres, by address.
  ///   - span: the period, in nanoseconds since 1970.
  /// - Throws: an error of SQLite.
  package init(
    of queue: RecordQueue, policy: WarehousePolicy, places: [String: (x: Double, y: Double)],
    span: Range<Int64>
  ) throws {
    (hub, self.span) = (policy.hub, span)
    var readings: [String: [TagReading]] = [:]
    var after: Int64 = 0
    var count = 0
    while true {
      let records = try queue.history(
        kind: "reading", from: span.lowerBound, to: span.upperBound, after: after, limit: 10_000)
      guard let last = records.last else { break }
      for record in records {
        // The record on disk is the reading as it is sent, whose names `TagReading` reads.
        guard let reading = TagReading(json: record.json(hub: queue.hub, epoch: queue.epoch)) else {
          continue
        }
        readings[reading.tag, default: []].append(reading)
        count += 1
      }
      after = last.sequence
    }
    self.count = count
    // Readings of a queue stand in the order in which they were written, which time may have left by a little.
    let sorted = policy.tags.map { tag in
      (tag, readings[tag.address, default: []].sorted { $0.time < $1.time })
    }
    let gap = sorted.map { $0.0.period }.max().map { 3 * $0 } ?? 1
    let study = MappingStudy(
      sorted.map { (name: $0.0.name, readings: $0.1) }, span: span, longestGap: gap)
    monitors = study.monitors
    spots = zip(sorted, study.places).map { sorted, found in
      let (tag, readings) = sorted
      let rule = policy.zones.first { $0.name == tag.zone }?.storage
      return Spot(
        tag: tag, place: places[tag.address], found: found,
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
