import Environment
import Text
import VirtualI2C
import Warehouse

/// A warehouse in virtual time: tags notify, a hub listens, writes, judges and delivers, programs are killed.
package final class WarehouseRun {
  /// What can be planned.
  enum Plan {
    case fault(Int, isThere: Bool)
    case tick
    case command(Int)
    case start(WarehouseRig.Program), kill(WarehouseRig.Program)
    case brokerAway, brokerBack
    case arrive([WrittenRecord], hub: Int, broker: Int)
    case accepted(UInt64, hub: Int)
    case passOn(broker: Int)
    case confirmed(UInt64, hub: Int)
  }

  static let second: Int64 = 1_000_000_000
  let rig: WarehouseRig
  var agenda = Agenda<Plan>()
  var hub: VirtualHub
  var broker = VirtualBroker()
  var chance: SeededGenerator
  var record: RunRecord
  let field: TagField
  let names: [String: String]
  private let tell: (WarehouseEvent) -> Void

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - rig: what it is of.
  ///   - tell: takes each event.
  package init(_ rig: WarehouseRig, tell: @escaping (WarehouseEvent) -> Void) {
    self.rig = rig
    self.tell = tell
    hub = VirtualHub(rig.policy, at: rig.start)
    chance = SeededGenerator(seed: rig.seed, stream: 19)
    record = RunRecord(rig)
    field = TagField(rig)
    names = Dictionary(
      rig.policy.tags.map { ($0.address, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  /// Runs to the end, and until all that was written has arrived or nothing moves any more.
  ///
  /// - Returns: whether every expectation was met.
  package func run() -> Bool {
    say(
      .rig, at: 0, [("name", .string(rig.name)), ("seed", .integer(rig.seed))],
      "\(rig.name): \("tag".counted(rig.tags.count)), seed \(rig.seed)")
    if rig.rota.rotates {
      say(
        .rig, at: 0, [("round_s", .number(Decimal.shortest(Double(rig.rota.round) / 1e9)))],
        "tags take turns: a round takes \(Decimal.shortest(Double(rig.rota.round) / 1e9)) s")
    }
    planAll()
    while let (time, plan) = agenda.next() {
      field.advance(to: min(time, rig.duration))
      take(plan, at: time)
    }
    record.unheard = field.unheard
    record.unwritten = max(field.heard - record.written, 0)
    let isExact =
      broker.received.count == hub.disk.digests.count
      && hub.disk.digests.enumerated().allSatisfy { broker.received[UInt64($0 + 1)] == $1 }
    record.finish(
      RunRecord.Delivery(
        records: hub.disk.digests.count, delivered: broker.received.count,
        repeats: broker.receiver.repeats, lost: broker.lost, isExact: isExact), end: rig.duration)
    return WarehouseJudge(rig, record).tell { say($0, at: rig.duration, $1, $2) }
  }

  func say(
    _ kind: WarehouseEvent.Kind, at time: Int64, _ fields: [(key: String, value: JSONValue)],
    _ line: String
  ) {
    tell(WarehouseEvent(kind: kind, time: time, fields: fields, line: line))
  }

  func tellEntries(_ entries: [AlarmEntry]) {
    for entry in entries {
      record.take(entry)
      if let event = WarehouseEvent(entry, hub.core.book, names: names, start: rig.start) {
        tell(event)
      }
    }
  }
}
