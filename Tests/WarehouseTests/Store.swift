import Quantities
import Warehouse

/// A warehouse with one tag on a shelf, a limit of 65 % with a delay of 10 minutes, and three
/// people on call; times are in minutes.
struct Store {
  static let start: Int64 = 1_767_225_600_000_000_000
  var engine: AlarmEngine
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
      onCall: OnCallRoster([.init("Ana"), .init("Rui"), .init("Eva")], escalateAfter: 15 * minute))
  }

  /// Creates a warehouse; if it is humid, it has an alarm after ten minutes.
  init(humid: Bool = false) {
    engine = AlarmEngine(Self.policy(), at: Self.start)
    guard humid else { return }
    humidity(66, at: 0)
    humidity(66, at: 10)
  }

  func minutes(_ minutes: Double) -> Int64 { Int64(minutes * 60e9) }

  func time(_ minutes: Double) -> Int64 { Self.start + self.minutes(minutes) }

  /// The first open alarm; `nil` if there is none.
  var alarm: ZoneAlarm? { engine.alarmState.all.first { $0.isOpen } }

  mutating func humidity(
    _ value: Double, at minutes: Double, quality: TagQuality = [], battery: Int? = nil
  ) {
    sequence += 1
    engine.take(
      TagReading(
        hub: "hub", sequence: sequence, time: time(minutes), tag: AlarmLifeTests.tag,
        values: AirReading(humidity: value), battery: battery, quality: quality))
    log += engine.takeEntries()
  }

  /// Takes a reading that contains none of the quantities, such as that of an accelerometer.
  mutating func other(at minutes: Double, quality: TagQuality = []) {
    sequence += 1
    engine.take(
      TagReading(
        hub: "hub", sequence: sequence, time: time(minutes), tag: AlarmLifeTests.tag, battery: 90,
        quality: quality, characteristic: "AA71"))
    log += engine.takeEntries()
  }

  mutating func advance(to minutes: Double) {
    engine.advance(to: time(minutes))
    log += engine.takeEntries()
  }

  mutating func acknowledge(_ number: UInt64, at time: Double, minutes: Double? = nil) throws {
    try engine.take(
      .acknowledge(number, name: "Ana", note: "", duration: minutes.map(self.minutes)),
      at: self.time(time))
    log += engine.takeEntries()
  }
}
