import Quantities
import Warehouse

/// A store with one tag on a shelf, a limit of 65 % after 10 minutes and three people on duty; times in minutes.
struct Store {
  static let start: Int64 = 1_767_225_600_000_000_000
  var keeper: AlarmKeeper
  var log: [AlarmEntry] = []
  private var sequence: UInt64 = 0

  static func policy(tags: Int = 1) -> WarehousePolicy {
    let minute: Int64 = 60_000_000_000
    return WarehousePolicy(
      hub: "hub",
      zones: [
        .init(
          "shelf",
          rules: [
            AlarmRule(
              .humidityHigh, .alarm, limit: 65, onDelay: 10 * minute, hysteresis: 2)
          ])
      ],
      tags: (1...tags).map {
        .init("A4:DA:32:00:00:0\($0)", name: "tag \($0)", zone: "shelf", period: 10 * minute)
      },
      duty: DutyList([.init("Ana"), .init("Rui"), .init("Eva")], escalateAfter: 15 * minute))
  }

  /// Creates a store; a humid one has an alarm at its tenth minute.
  init(humid: Bool = false) {
    keeper = AlarmKeeper(Self.policy(), at: Self.start)
    guard humid else { return }
    humidity(66, at: 0)
    humidity(66, at: 10)
  }

  func minutes(_ minutes: Double) -> Int64 { Int64(minutes * 60e9) }

  func time(_ minutes: Double) -> Int64 { Self.start + self.minutes(minutes) }

  /// The first alarm that is open.
  var alarm: ZoneAlarm? { keeper.book.all.first { $0.isOpen } }

  mutating func humidity(
    _ value: Double, at minutes: Double, quality: TagQuality = [], battery: Int? = nil
  ) {
    sequence += 1
    keeper.take(
      TagReading(
        hub: "hub", sequence: sequence, time: time(minutes), tag: AlarmLifeTests.tag,
        values: AirReading(humidity: value), battery: battery, quality: quality))
    log += keeper.takeEntries()
  }

  mutating func advance(to minutes: Double) {
    keeper.advance(to: time(minutes))
    log += keeper.takeEntries()
  }

  mutating func acknowledge(_ number: UInt64, at time: Double, minutes: Double? = nil) throws {
    try keeper.take(
      .acknowledge(number, name: "Ana", note: "", duration: minutes.map(self.minutes)),
      at: self.time(time))
    log += keeper.takeEntries()
  }
}
