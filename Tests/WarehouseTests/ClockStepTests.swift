import Quantities
import TestSupport
import Testing
import Warehouse

/// Steps of the wall clock, which are reported and do not affect alarms.
struct ClockStepTests {
  private static let minute: Int64 = 60_000_000_000
  private static let year: Int64 = 365 * 86_400_000_000_000
  static let steps: [Int64] = [
    1_000_000_000, -1_000_000_000, 60 * minute, -60 * minute, 10 * year, -10 * year,
  ]

  /// A store whose wall clock is stepped; times are given on a monotonic clock.
  private struct Wall {
    var core: WarehouseCore
    var offset: Int64 = 0
    var entries: [(elapsed: Int64, entry: AlarmEntry)] = []

    init(tags: Int = 1) { core = WarehouseCore(Store.policy(tags: tags), at: Store.start) }

    mutating func step(by step: Int64) {
      core.step(by: step)
      offset += step
      note()
    }

    mutating func hear(_ humidity: Double, at time: Int64, tag: Int = 1) {
      core.take([
        TagReading(
          hub: "", sequence: 0, time: time + offset, tag: "A4:DA:32:00:00:0\(tag)",
          values: AirReading(humidity: humidity), characteristic: "AA21")
      ])
      note()
    }

    mutating func advance(to time: Int64) {
      core.advance(to: time + offset)
      note()
    }

    mutating func execute(_ command: HubCommand, at time: Int64) -> Bool {
      defer { note() }
      return (try? core.execute(command, at: time + offset)) != nil
    }

    private mutating func note() {
      for case .alarm(let entry) in core.takeRecords() {
        entries.append((entry.time - offset, entry))
      }
    }

    /// The decisions, with their times on the monotonic clock.
    var decisions: [String] {
      entries.compactMap { elapsed, entry in
        if case .clockStepped = entry.event { return nil }
        let event = entry.json.split(separator: "\"event\":")[1].prefix { $0 != "," && $0 != "}" }
        return "\(elapsed) \(event) \(entry.number ?? 0)"
      }
    }
  }

  private static func at(_ minutes: Int64) -> Int64 { Store.start + minutes * minute }

  @Test(
    "an alarm is raised after its delay, regardless of steps of the wall clock",
    arguments: steps)
  func raised(step: Int64) throws {
    var wall = Wall()
    wall.step(by: step)
    wall.hear(66, at: Self.at(0))
    wall.step(by: step)
    wall.hear(66, at: Self.at(9))
    #expect(wall.core.alarmState.all.isEmpty)
    wall.hear(66, at: Self.at(10))
    let alarm = try #require(wall.core.alarmState.all.first)
    #expect(alarm.raised - alarm.began == 10 * Self.minute)
    #expect(alarm.raised == Self.at(10) + 2 * step)
  }

  @Test(
    "an alarm that is open at a clock step ends as usual, with the actual duration",
    arguments: steps)
  func returned(step: Int64) throws {
    var wall = Wall()
    wall.hear(66, at: Self.at(0))
    wall.hear(66, at: Self.at(10))
    wall.step(by: step)
    wall.hear(50, at: Self.at(12))
    let alarm = try #require(wall.core.alarmState.all.first)
    #expect(alarm.phase == .returned && alarm.duration == 12 * Self.minute)
    #expect(alarm.began == Self.at(0) + step && alarm.returned == Self.at(12) + step)
  }

  @Test(
    "a silent tag raises a no-data alarm after three periods, regardless of steps",
    arguments: steps)
  func lost(step: Int64) {
    var wall = Wall()
    wall.hear(50, at: Self.at(0))
    wall.step(by: step)
    wall.advance(to: Self.at(30) - 1)
    #expect(wall.core.alarmState.all.isEmpty)
    wall.advance(to: Self.at(30))
    #expect(wall.core.alarmState.all.map(\.key.cause) == [.missing])
    #expect(wall.core.tags[0].lastReceived == Self.at(0) + step)
  }

  @Test(
    "an alarm escalates after the escalation time, regardless of steps",
    arguments: steps)
  func escalation(step: Int64) {
    var wall = Wall()
    wall.hear(66, at: Self.at(0))
    wall.hear(66, at: Self.at(10))
    wall.step(by: step)
    for minute in Int64(11)...24 { wall.hear(66, at: Self.at(minute)) }
    #expect(wall.core.alarmState.all.first?.notifications.map(\.name) == ["Ana"])
    wall.hear(66, at: Self.at(25))
    #expect(wall.core.alarmState.all.first?.notifications.map(\.name) == ["Ana", "Rui"])
  }

  @Test(
    "a silence and an acknowledgement keep their duration, regardless of steps",
    arguments: steps)
  func expiries(step: Int64) throws {
    var wall = Wall()
    wall.hear(66, at: Self.at(0))
    wall.hear(66, at: Self.at(10))
    let isDone = [
      wall.execute(
        .acknowledge(1, name: "Ana", note: "", duration: 8 * Self.minute), at: Self.at(11)),
      wall.execute(
        .silence(zone: "shelf", name: "Ana", note: "", duration: 8 * Self.minute), at: Self.at(11)),
    ]
    #expect(isDone == [true, true])
    wall.step(by: step)
    wall.advance(to: Self.at(19) - 1)
    #expect(
      wall.core.alarmState.all.first?.phase == .acknowledged
        && !wall.core.alarmState.silences.isEmpty)
    wall.advance(to: Self.at(19))
    #expect(
      wall.core.alarmState.all.first?.phase == .active && wall.core.alarmState.silences.isEmpty)
  }

  @Test(
    "a clock step is logged, and replaying a log with steps gives the same state",
    arguments: steps)
  func replay(step: Int64) throws {
    var wall = Wall()
    wall.hear(66, at: Self.at(0))
    wall.hear(66, at: Self.at(10))
    wall.step(by: step)
    wall.hear(67, at: Self.at(11))
    let read = wall.entries.map { AlarmEntry(json: $0.entry.json) }
    #expect(read == wall.entries.map(\.entry))
    #expect(AlarmState(replaying: read.compactMap { $0 }) == wall.core.alarmState)
    #expect(wall.core.alarmState.lastStep?.by == step && wall.core.alarmState.steps == 1)
  }

  @Test("100 random runs make the same decisions with and without steps")
  func stories() {
    var chance = Seeded("steps of the wall clock")
    for _ in 0..<100 {
      var (plain, stepped) = (Wall(tags: 3), Wall(tags: 3))
      var time = Store.start
      for _ in 0..<200 {
        time += Int64.random(in: 0...900, using: &chance) * 1_000_000_000
        if Int.random(in: 0..<10, using: &chance) == 0 {
          let step = Self.steps.randomElement(using: &chance) ?? 0
          if abs(stepped.offset + step) <= 20 * Self.year { stepped.step(by: step) }
        }
        let number = UInt64.random(in: 1...max(1, plain.core.alarmState.lastNumber), using: &chance)
        let (tag, value) = (
          Int.random(in: 1...3, using: &chance), Double.random(in: 60...68, using: &chance)
        )
        let command: HubCommand? =
          switch Int.random(in: 0..<20, using: &chance) {
          case 0: .acknowledge(number, name: "Ana", note: "", duration: 20 * Self.minute)
          case 1: .acknowledge(number, name: "Ana", note: "", duration: nil)
          case 2: .silence(zone: "shelf", name: "Rui", note: "", duration: 20 * Self.minute)
          case 3: .close(number, name: "Eva", note: "")
          default: nil
          }
        if let command {
          let (one, other) = (plain.execute(command, at: time), stepped.execute(command, at: time))
          #expect(one == other, "seed \(chance.seed)")
        } else {
          plain.hear(value, at: time, tag: tag)
          stepped.hear(value, at: time, tag: tag)
        }
      }
      #expect(plain.decisions == stepped.decisions, "seed \(chance.seed)")
    }
  }

  @Test(
    "the log entry for a clock step has the new time, and a step out of range is ignored"
  )
  func bounds() {
    var engine = AlarmEngine(Store.policy(), at: Store.start)
    engine.step(by: -100 * Self.year)
    engine.step(by: .max)
    engine.step(by: 0)
    #expect(engine.takeEntries().isEmpty && engine.now == Store.start)
    engine.step(by: -60 * Self.minute)
    #expect(
      engine.takeEntries() == [AlarmEntry(time: Self.at(-60), .clockStepped(by: -60 * Self.minute))]
    )
  }
}
