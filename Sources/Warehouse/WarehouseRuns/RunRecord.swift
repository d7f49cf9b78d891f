import Quantities
import Support
import Warehouse

/// The results of a run, against which its expectations are evaluated.
struct RunRecord {
  private let rig: WarehouseRig
  private let tagIndices: [String: Int]
  /// The alarm state, replayed from the log alone.
  private(set) var alarmState = AlarmState(mostClosed: .max / 2)
  private(set) var heldBack = 0
  /// The engine that raises the alarms of the faulty code in a published article: it applies the
  /// same limits to the wrong humidities that this code displays.
  private var article: AlarmEngine
  private(set) var difference: AlarmDifference?
  /// The humidities of the tags that expectations refer to: the correct value, and the value that
  /// the published article's faulty code displays.
  private(set) var shown: [(tag: Int, time: Int64, right: Double, shown: Double)] = []
  private(set) var storage: [StorageRecord?]
  private(set) var means: [StorageRecord]
  private var readings: [[TagReading]]
  private(set) var study: MappingStudy?
  /// Counters, in this order: readings written to the hub's disk; records on the hub's disk;
  /// records delivered; duplicates; records lost because the broker was killed after it had
  /// acknowledged them.
  private(set) var written = 0, records = 0, delivered = 0, repeats = 0, lost = 0
  /// `true` if every written record arrived unchanged and exactly once.
  private(set) var isExact = false
  /// Counters, in this order: kills of programs; rejected commands; notifications that the hub did
  /// not receive; notifications that it received but did not write to its disk.
  var kills = 0, rejected = 0, unheard = 0, unwritten = 0
  /// The readings that the published article's faulty code would have received, and the bytes that
  /// it would have copied.
  private(set) var published = PublishedCode()
  private let asked: Set<Int>
  private let wantsStudy: Bool

  init(_ rig: WarehouseRig) {
    self.rig = rig
    tagIndices = Dictionary(
      rig.tags.enumerated().map { ($1.expected.address, $0) }, uniquingKeysWith: { one, _ in one })
    article = AlarmEngine(rig.policy, alarmState: AlarmState(mostClosed: .max / 2), at: rig.start)
    storage = rig.tags.map { tag in
      rig.policy.zones[tag.zone].storage.map { StorageRecord($0, longestGap: 3 * tag.period) }
    }
    means = rig.tags.map { StorageRecord(.coldChain, longestGap: 3 * $0.period) }
    readings = rig.tags.map { _ in [] }
    asked = Set(
      rig.expectations.compactMap {
        switch $0 {
        case .shown(let tag, _, _, _), .trips(let tag, _, _, _): tag
        default: nil
        }
      })
    wantsStudy = rig.expectations.contains { if case .monitor = $0 { true } else { false } }
  }

  mutating func take(_ entry: AlarmEntry) {
    alarmState.apply(entry)
    if case .heldBack = entry.event { heldBack += 1 }
  }

  /// Notes the loss of the connection with a tag, from which the published article's code would
  /// then receive nothing more.
  mutating func articleLoses(_ tag: String) { published.loses(tag) }

  /// Notes the loss of the connections with all tags, after which the published article's code
  /// would receive nothing more.
  mutating func articleLosesAll() {
    for tag in rig.tags { published.loses(tag.expected.address) }
  }

  mutating func advance(to time: Int64) { article.advance(to: time) }

  mutating func take(_ reading: TagReading) {
    written += 1
    guard let tagIndex = tagIndices[reading.tag] else { return }
    published.take(reading, at: reading.time - rig.start)
    let seen = ArticleDecoding.reading(reading)
    if let seen { article.take(seen) }
    _ = article.takeEntries()
    if asked.contains(tagIndex), let right = reading.values.humidity,
      let seen = seen?.values.humidity
    {
      shown.append((tagIndex, reading.time - rig.start, right, seen))
    }
    guard reading.isGood else { return }
    if let celsius = reading.values.temperature { means[tagIndex].add(celsius, at: reading.time) }
    if let quantity = storage[tagIndex]?.rule.quantity, let value = reading.values[quantity] {
      storage[tagIndex]?.add(value, at: reading.time)
    }
    if wantsStudy { readings[tagIndex].append(reading) }
  }

  /// The delivery results of a run.
  struct Delivery {
    /// The number of readings on the hub's disk; `nil` if all processed readings are there.
    var written: Int?
    /// The numbers of records on the hub's disk, delivered records, duplicates, and records lost
    /// with a broker.
    let records, delivered, repeats, lost: Int
    /// `true` if every written reading arrived unchanged and exactly once.
    let isExact: Bool
  }

  mutating func finish(_ delivery: Delivery, end: Int64) {
    let end = rig.start + end
    for tagIndex in storage.indices {
      storage[tagIndex]?.finish(at: end)
      means[tagIndex].finish(at: end)
    }
    difference = AlarmDifference(
      of: article.alarmState.all.filter { $0.key.cause.quantity != nil },
      to: alarmState.all.filter { $0.key.cause.quantity != nil }, end: end)
    written = delivery.written ?? written
    (records, delivered, repeats) = (delivery.records, delivery.delivered, delivery.repeats)
    (lost, isExact) = (delivery.lost, delivery.isExact)
    if wantsStudy {
      study = MappingStudy(
        zip(rig.tags, readings).map { ($0.expected.name, $1) }, span: rig.start..<end,
        longestGap: 3 * (rig.tags.map(\.period).max() ?? 1))
    }
  }

  /// The number of records on the hub's disk that never arrived.
  var missing: Int { max(records - delivered, 0) }

  /// The delivery summary, which compares the records on the hub's disk with those that the
  /// receiver got.
  var account: String {
    "\(delivered) of \("record".counted(records)) on the hub's disk arrived, \(missing) missing"
      + ", \("duplicate".counted(repeats)) dropped"
  }

  /// The losses that the delivery guarantee does not cover.
  private var losses: [String] {
    var words: [String] = []
    if kills > 0 || unheard + unwritten > 0 {
      words.append(
        "\("notification".counted(unheard + unwritten)) never reached the disk, with "
          + "kill".counted(kills))
    }
    if lost > 0 {
      words.append(
        "\("record".counted(lost)) acknowledged by a broker lost with it"
          + (rig.isConfirmedByReceiver ? " and sent again" : ""))
    }
    return words
  }

  /// Reports the results at the end of the run.
  func summary(
    _ say: (WarehouseEvent.Kind, [(key: String, value: JSONValue)], String) -> Void
  ) {
    say(
      .delivery,
      [
        ("written", .integer(written)), ("delivered", .integer(delivered)),
        ("repeats_dropped", .integer(repeats)), ("lost_with_broker", .integer(lost)),
        ("not_heard", .integer(unheard)), ("kills", .integer(kills)), ("exact", .bool(isExact)),
        ("records", .integer(records)), ("missing", .integer(missing)),
        ("not_written", .integer(unwritten)),
      ],
      "\("reading".counted(written)) written; \(account)" + losses.map { "; \($0)" }.joined())
    guard let difference else { return }
    say(
      .article,
      [
        ("false", .integer(difference.falseAlarms.count)),
        ("missed", .integer(difference.missed.count)), ("shared", .integer(difference.shared)),
        ("tags_heard", .integer(published.tags.count)), ("tags", .integer(rig.tags.count)),
        ("readings_heard", .integer(published.readings)),
        ("bytes_copied_beyond", .integer(published.beyond)),
      ],
      "with the article's formula: \("false alarm".counted(difference.falseAlarms.count)), "
        + "\(difference.missed.count) missed; its code would have received \(published.tags.count) of "
        + "\("tag".counted(rig.tags.count)), \(published.readings) of \("reading".counted(written)), and "
        + "copied \("byte".counted(published.beyond)) past the end of values")
  }
}
