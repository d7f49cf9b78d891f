import Quantities
import Text
import Warehouse

/// What a run leaves behind, of which its expectations are judged.
struct RunRecord {
  private let rig: WarehouseRig
  private let places: [String: Int]
  /// The state that the log of alarms makes, alone.
  private(set) var book = AlarmBook(mostClosed: .max / 2)
  private(set) var heldBack = 0
  /// What the article would have told, judged by the same limits.
  private var article: AlarmKeeper
  private(set) var difference: AlarmDifference?
  /// The last humidities of tags that are asked for: right and shown.
  private(set) var shown: [(tag: Int, time: Int64, right: Double, shown: Double)] = []
  private(set) var storage: [StorageRecord?]
  private(set) var means: [StorageRecord]
  private var readings: [[TagReading]]
  private(set) var study: MappingStudy?
  private(set) var written = 0, delivered = 0, repeats = 0, lost = 0
  /// Whether each record that was written arrived, once and as it was.
  private(set) var isExact = false
  var kills = 0, refused = 0, unheard = 0
  private let asked: Set<Int>
  private let wantsStudy: Bool

  init(_ rig: WarehouseRig) {
    self.rig = rig
    places = Dictionary(
      rig.tags.enumerated().map { ($1.expected.address, $0) }, uniquingKeysWith: { one, _ in one })
    article = AlarmKeeper(rig.policy, book: AlarmBook(mostClosed: .max / 2), at: rig.start)
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
    book.apply(entry)
    if case .heldBack = entry.happening { heldBack += 1 }
  }

  mutating func advance(to time: Int64) { article.advance(to: time) }

  mutating func take(_ reading: TagReading) {
    written += 1
    guard let place = places[reading.tag] else { return }
    let seen = ArticleDecoding.reading(reading)
    if let seen { article.take(seen) }
    _ = article.takeEntries()
    if asked.contains(place), let right = reading.values.humidity, let seen = seen?.values.humidity
    {
      shown.append((place, reading.time - rig.start, right, seen))
    }
    guard reading.isGood else { return }
    if let celsius = reading.values.temperature { means[place].add(celsius, at: reading.time) }
    if let quantity = storage[place]?.rule.quantity, let value = reading.values[quantity] {
      storage[place]?.add(value, at: reading.time)
    }
    if wantsStudy { readings[place].append(reading) }
  }

  /// What was delivered, of a run's hub.
  struct Delivery {
    /// How many readings stand on the hub's disk; `nil` where all of them were taken.
    var written: Int?
    /// How many readings arrived, how often one did again, and how many were lost with a broker.
    let delivered, repeats, lost: Int
    /// Whether each reading that was written arrived, once and as it was.
    let isExact: Bool
  }

  mutating func finish(_ delivery: Delivery, end: Int64) {
    let end = rig.start + end
    for place in storage.indices {
      storage[place]?.finish(at: end)
      means[place].finish(at: end)
    }
    difference = AlarmDifference(
      of: article.book.all.filter { $0.key.cause.quantity != nil },
      to: book.all.filter { $0.key.cause.quantity != nil }, end: end)
    written = delivery.written ?? written
    (delivered, repeats) = (delivery.delivered, delivery.repeats)
    (lost, isExact) = (delivery.lost, delivery.isExact)
    if wantsStudy {
      study = MappingStudy(
        zip(rig.tags, readings).map { ($0.expected.name, $1) }, span: rig.start..<end,
        longestGap: 3 * (rig.tags.map(\.period).max() ?? 1))
    }
  }

  /// Tells what there is at the end.
  func summary(
    _ say: (WarehouseEvent.Kind, [(key: String, value: JSONValue)], String) -> Void
  ) {
    say(
      .delivery,
      [
        ("written", .integer(written)), ("delivered", .integer(delivered)),
        ("repeats_dropped", .integer(repeats)), ("lost_with_broker", .integer(lost)),
        ("not_heard", .integer(unheard)), ("kills", .integer(kills)), ("exact", .bool(isExact)),
      ],
      "\(written) readings written, \(delivered) records delivered, \(repeats) repeats dropped, "
        + "\(unheard) not heard, \("kill".counted(kills))")
    guard let difference else { return }
    say(
      .article,
      [
        ("false", .integer(difference.falseAlarms.count)),
        ("missed", .integer(difference.missed.count)), ("shared", .integer(difference.shared)),
      ],
      "had you used the article's formula: \("false alarm".counted(difference.falseAlarms.count)), "
        + "\(difference.missed.count) missed")
  }
}
