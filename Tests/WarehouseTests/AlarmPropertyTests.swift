import Foundation
import Quantities
import TestSupport
import Testing
import Warehouse

/// Invariants of alarms, tested with random air, commands and times; failures print the seed.
struct AlarmPropertyTests {
  /// A sequence of random readings and commands, with its log and the times at which values were
  /// beyond the limit.
  private struct Story {
    var engine = AlarmEngine(Store.policy(tags: 3), at: Store.start)
    var log: [AlarmEntry] = []
    var values: [String: [(time: Int64, value: Double?)]] = [:]
    private var time = Store.start
    private var wanted = 0

    /// Performs one step, and returns the alarms that were latched before and that the step must
    /// not close.
    mutating func step(_ chance: inout Seeded) {
      time += Int64.random(in: 0...900, using: &chance) * 1_000_000_000
      let tag = "A4:DA:32:00:00:0\(Int.random(in: 1...3, using: &chance))"
      switch Int.random(in: 0..<20, using: &chance) {
      case 0: engine.advance(to: time)
      case 1:
        try? engine.take(
          .acknowledge(
            .random(in: 1...max(1, engine.alarmState.lastNumber), using: &chance), name: "Ana",
            note: "",
            duration: Bool.random(using: &chance) ? 3_600_000_000_000 : nil), at: time)
      case 2 where Int.random(in: 0..<10, using: &chance) == 0:
        try? engine.take(
          .silence(zone: "shelf", name: "Rui", note: "", duration: 1_800_000_000_000), at: time)
      case 3:
        try? engine.take(
          .close(
            .random(in: 1...max(1, engine.alarmState.lastNumber), using: &chance), name: "Eva",
            note: ""),
          at: time)
      default:
        let isFlagged = Int.random(in: 0..<25, using: &chance) == 0
        let value = Double.random(in: 60...68, using: &chance)
        values[tag, default: []].append((time, isFlagged ? nil : value))
        engine.take(
          TagReading(
            hub: "hub", sequence: 1, time: time, tag: tag, values: AirReading(humidity: value),
            quality: isFlagged ? .rate : []))
      }
      log += engine.takeEntries()
    }
  }

  private static func story(_ purpose: String, steps: Int) -> (Story, UInt64) {
    var chance = Seeded(purpose)
    var story = Story()
    for _ in 0..<steps { story.step(&chance) }
    return (story, chance.seed)
  }

  @Test("an alarm is raised only if readings are beyond its limit for the whole delay")
  func delays() {
    let (story, seed) = Self.story("delays of alarms", steps: 20_000)
    let alarms = story.engine.alarmState.all.filter { $0.key.cause == .humidityHigh }
    #expect(alarms.count > 10, "seed \(seed)")
    for alarm in alarms {
      #expect(alarm.raised - alarm.began >= alarm.rule.onDelay)
      let values = story.values[alarm.key.tag, default: []]
        .filter { (alarm.began...alarm.raised).contains($0.time) }
      #expect(values.count >= 2)
      func isBeyond(_ value: Double?) -> Bool { (value ?? .infinity) > alarm.rule.limit }
      // Readings that precede the first one, or follow the last one, may have the same time as it.
      let between = values.filter { $0.time > alarm.began && $0.time < alarm.raised }
      #expect(between.allSatisfy { isBeyond($0.value) }, "alarm \(alarm.number), seed \(seed)")
      for end in [alarm.began, alarm.raised] {
        #expect(
          values.contains { $0.time == end && isBeyond($0.value) },
          "alarm \(alarm.number), seed \(seed)")
      }
      let gaps = zip(values, values.dropFirst()).map { $1.time - $0.time }
      #expect(gaps.allSatisfy { $0 < 1_800_000_000_000 }, "a lost tag ends its breach")
    }
  }

  @Test("a latched alarm is never removed without a log entry")
  func latched() {
    let (story, seed) = Self.story("latched alarms", steps: 20_000)
    var raised: Set<UInt64> = []
    var acknowledged: Set<UInt64> = []
    for entry in story.log {
      switch entry.event {
      case .raised(let raising): #expect(raised.insert(raising.number).inserted)
      case .acknowledged(let number, _): acknowledged.insert(number)
      case .closed(let number, let acknowledgement):
        #expect(raised.contains(number))
        #expect(acknowledgement != nil || acknowledged.contains(number), "\(number), seed \(seed)")
      default: break
      }
    }
    #expect(Set(story.engine.alarmState.all.map(\.number)) == raised)
    #expect(raised.count > 10)
    let notifications = story.engine.alarmState.all.filter { $0.notifications.isEmpty }
    #expect(notifications.isEmpty, "every alarm notifies a person")
  }

  @Test("replaying a log gives the same state, wherever the log is truncated")
  func replay() throws {
    let (story, seed) = Self.story("replayed logs", steps: 3000)
    let lines = story.log.map(\.json)
    let read = lines.map { AlarmEntry(json: $0) }
    #expect(read == story.log, "seed \(seed)")
    #expect(
      AlarmState(replaying: read.compactMap { $0 }) == story.engine.alarmState, "seed \(seed)")
    var alarmState = AlarmState()
    for (index, entry) in story.log.enumerated() {
      alarmState.apply(entry)
      if index.isMultiple(of: 500) {
        #expect(AlarmState(replaying: story.log[...index]) == alarmState)
      }
    }
  }

  @Test("100,000 invalid commands and readings cause no failure")
  func fuzz() {
    var chance = Seeded("nonsense for a hub")
    var engine = AlarmEngine(Store.policy(tags: 3), at: Store.start)
    let good = Array(
      #"{"command":"acknowledge","alarm":3,"name":"Ana","note":"x","for_s":7200}"#.utf8)
    var taken = 0
    for _ in 0..<100_000 {
      let time = Int64.random(in: .min ... .max, using: &chance)
      let json = Mutator.mutated(good, using: &chance)
      if let command = try? HubCommand(json: json), (try? engine.take(command, at: time)) != nil {
        taken += 1
      }
      engine.take(Self.nonsense(&chance))
      _ = TagKind.cc2650.humidity.decode(json)
      _ = AlarmEntry(json: String(decoding: json, as: UTF8.self))
      engine.advance(to: Int64.random(in: .min ... .max, using: &chance))
    }
    let entries = engine.takeEntries()
    #expect(
      entries.count > 0 && AlarmState(replaying: entries) == engine.alarmState, "\(chance.seed)")
  }

  private static func nonsense(_ chance: inout Seeded) -> TagReading {
    let numbers = [Double.nan, .infinity, -.infinity, 0, -1e308, 66, 1e308, .leastNonzeroMagnitude]
    return TagReading(
      hub: "", sequence: .random(in: 0...(.max), using: &chance),
      time: .random(in: -9...7_256_999_999_999_999_999, using: &chance),
      tag: "A4:DA:32:00:00:0\(Int.random(in: 0...5, using: &chance))",
      values: AirReading(humidity: numbers.randomElement(using: &chance)),
      battery: .random(in: .min ... .max, using: &chance),
      quality: TagQuality(rawValue: .random(in: 0...255, using: &chance)),
      characteristic: "\(UInt8.random(in: 0...255, using: &chance))")
  }
}
