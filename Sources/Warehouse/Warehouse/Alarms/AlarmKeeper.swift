import Quantities

/// Judges readings by a policy: raises alarms, tells people, takes commands.
///
/// Time is passed in: by readings, by commands, and by ``advance(to:)``, which notices what happens when nothing does. It
/// decides; what it decided stands in entries, and these alone make the book. After a start it goes on from a book that the
/// log made, and is told when each tag was heard last: one that was silent before goes on being so.
///
/// The time that is passed in never goes back. Whoever drives it counts by a clock that nobody sets, and reports a step of
/// the wall clock with ``step(by:)``, which changes no decision.
public struct AlarmKeeper: Sendable {
  /// What it judges by.
  public let policy: WarehousePolicy
  /// What is known of alarms.
  public private(set) var book: AlarmBook
  /// The entries since the last ``takeEntries()``.
  private var entries: [AlarmEntry] = []
  /// The moment up to which it has looked, in nanoseconds since 1970.
  public internal(set) var now: Int64

  // What follows serves decisions, and is known again after the next readings.

  /// Where each tag stands in the lists below.
  let places: [String: Int]
  /// The rules of each tag: of its zone and its battery.
  let rules: [[AlarmRule]]
  /// When each tag was heard last, or when the keeper began.
  var heard: [Int64]
  /// Before which moment no tag counts as lost: a period behind the beginning of the keeper, so that it can be heard at all.
  var began: Int64
  /// The characteristics of each tag whose last reading was not to be believed.
  var faulty: [Set<String>]
  /// The worst value of each breach on its way, and when it was.
  var worst: [AlarmKey: (value: Double, time: Int64)] = [:]
  /// The breaches of which the log says already that a silence held them back.
  var heldBack: Set<AlarmKey> = []

  /// The tags whose loss somebody closed by hand: they are not told as lost again before they are heard again.
  public internal(set) var givenUp: Set<String> = []
  /// The earliest moment at which a tag can count as lost, and at which somebody is to be told or an acknowledgement expires.
  var nextLost: Int64 = 0, nextDue: Int64 = 0

  /// The first and the last moment that it can judge: 1970 to 2199.
  static let times = Moment.all

  /// Creates a keeper.
  ///
  /// - Parameters:
  ///   - policy: what it judges by; ``WarehousePolicy/mistakes`` says whether it can be used.
  ///   - book: what is known of alarms already.
  ///   - heard: when each tag was heard last, by its address, in nanoseconds since 1970; others count as heard now.
  ///   - time: now, in nanoseconds since 1970.
  public init(
    _ policy: WarehousePolicy, book: AlarmBook = AlarmBook(), heard: [String: Int64] = [:],
    at time: Int64
  ) {
    self.policy = policy
    self.book = book
    now = min(max(time, Self.times.lowerBound), Self.times.upperBound)
    let tags = policy.tags
    places = Dictionary(
      tags.enumerated().map { ($1.address, $0) }, uniquingKeysWith: { first, _ in first })
    let ofZone = Dictionary(
      policy.zones.map { ($0.name, $0.rules) }, uniquingKeysWith: { first, _ in first })
    let battery = AlarmRule(
      .batteryLow, .warning, limit: policy.batteryLimit, hysteresis: 5)
    rules = tags.map { ofZone[$0.zone, default: []] + [battery] }
    let now = now
    began = now
    self.heard = tags.map { min(max(heard[$0.address] ?? now, Self.times.lowerBound), now) }
    givenUp = Set(
      book.givenUp.filter { tag, time in heard[tag].map { $0 <= time } ?? true }.keys)
    faulty = Array(repeating: [], count: tags.count)
  }

  /// The entries since the last call, in order: to be written before anybody acts on them.
  public mutating func takeEntries() -> [AlarmEntry] {
    defer { entries.removeAll() }
    return entries
  }

  /// Notes what happened, now.
  mutating func note(_ happening: AlarmEntry.Happening) {
    let entry = AlarmEntry(time: now, happening)
    book.apply(entry)
    entries.append(entry)
  }

  /// The tag with an address, if it is expected.
  func tag(_ address: String) -> WarehousePolicy.ExpectedTag? {
    places[address].map { policy.tags[$0] }
  }

  /// How long a tag may be silent, in nanoseconds.
  func patience(with tag: WarehousePolicy.ExpectedTag) -> Int64 {
    Int64(min(policy.missingPeriods * Double(tag.period), 1e17))
  }
}
