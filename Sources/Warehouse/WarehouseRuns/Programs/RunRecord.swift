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
  /// Readings that were written; records of all kinds that stand on the hub's disk, and that arrived there; repeats; records that a
  /// killed broker had acknowledged.
  private(set) var written = 0, records = 0, delivered = 0, repeats = 0, lost = 0
  /// Whether each record that was written arrived, once and as it was.
  private(set) var isExact = false
  /// Kills, refused commands, notifications that nobody heard, and those that were heard and not written.
  var kills = 0, refused = 0, unheard = 0, unwritten = 0
  /// What the published code would have heard and copied.
  private(set) var published = PublishedCode()
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

  /// The connection with a tag is lost, by its address.
  mutating func articleLoses(_ tag: String) { published.loses(tag) }

  /// All connections are lost.
  mutating func articleLosesAll() {
    for tag in rig.tags { published.loses(tag.expected.address) }
  }

  mutating func advance(to time: Int64) { article.advance(to: time) }

  mutating func take(_ reading: TagReading) {
    written += 1
    guard let place = places[reading.tag] else { return }
    published.take(reading, at: reading.time - rig.start)
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
    /// How many records of all kinds stand there, and how many arrived, how often one did again, and how many died with a broker.
    let records, delivered, repeats, lost: Int
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
    (records, delivered, repeats) = (delivery.records, delivery.delivered, delivery.repeats)
    (lost, isExact) = (delivery.lost, delivery.isExact)
    if wantsStudy {
      study = MappingStudy(
        zip(rig.tags, readings).map { ($0.expected.name, $1) }, span: rig.start..<end,
        longestGap: 3 * (rig.tags.map(\.period).max() ?? 1))
    }
  }

  /// How many records that stand on the hub's disk never arrived.
  var missing: Int { max(records - delivered, 0) }

  /// What is promised, and whether it was kept: records of the hub's disk against those of the receiver.
  var account: String {
    "of \("record".counted(records)) on the hub's disk \(delivered) arrived, \(missing) never did"
      + ", \("repeat".counted(repeats)) dropped"
  }

  /// What nobody promises: where notifications and records were lost that are not missing in the account.
  private var losses: [String] {
    var words: [String] = []
    if kills > 0 || unheard + unwritten > 0 {
      words.append(
        "\("notification".counted(unheard + unwritten)) never reached the disk, with "
          + "kill".counted(kills))
    }
    if lost > 0 {
      words.append(
        "\("record".counted(lost)) acknowledged by a broker died with it"
          + (rig.isConfirmedByReceiver ? " and were sent again" : ""))
    }
    return words
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
      "had you used the article's formula: \("false alarm".counted(difference.falseAlarms.count)), "
        + "\(difference.missed.count) missed; its code would have heard \(published.tags.count) of "
        + "\("tag".counted(rig.tags.count)), \(published.readings) of \("reading".counted(written)), and "
        + "copied \("byte".counted(published.beyond)) from behind them")
  }
}
