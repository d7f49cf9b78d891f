import Environment
import Text
import VirtualI2C
import Warehouse

/// A warehouse in virtual time: tags notify, a hub listens, writes, judges and delivers, programs are killed.
package final class WarehouseRun {
  /// What can be planned.
  enum Plan {
    case notify(tag: Int)
    case tick
    case command(Int)
    case start(WarehouseRig.Program), kill(WarehouseRig.Program)
    case brokerAway, brokerBack
    case arrive([TagReading], hub: Int, broker: Int)
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
  private let bytes: [String: NotifiedBytes]
  private let faults: [[WarehouseRig.TagFault]]
  /// From when on each tag is connected to the hub, in nanoseconds since the start.
  var connected: [Int64]
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
    bytes = Dictionary(
      TagCatalogue.all.map { ($0.name, NotifiedBytes($0.humidity)) },
      uniquingKeysWith: { first, _ in first })
    var faults: [[WarehouseRig.TagFault]] = rig.tags.map { _ in [] }
    for fault in rig.faults { faults[fault.tag].append(fault) }
    self.faults = faults
    connected = rig.tags.map { _ in 0 }
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
    while let (time, plan) = agenda.next() { take(plan, at: time) }
    let isExact =
      broker.received.count == hub.disk.digests.count
      && hub.disk.digests.enumerated().allSatisfy { broker.received[UInt64($0 + 1)] == $1 }
    record.finish(
      RunRecord.Delivery(
        delivered: broker.received.count, repeats: broker.receiver.repeats, lost: broker.lost,
        isExact: isExact), end: rig.duration)
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
      if let event = WarehouseEvent(entry, hub.keeper.book, names: names, start: rig.start) {
        tell(event)
      }
    }
  }

  // MARK: Tags

  /// A tag notifies: its bytes are what its kind makes of the air at its place, or what its fault makes of them.
  func notify(_ index: Int, at time: Int64) {
    let tag = rig.tags[index]
    if time + tag.period < rig.duration { agenda.plan(.notify(tag: index), at: time + tag.period) }
    let course = rig.courses[tag.zone]
    var data =
      bytes[tag.kind.name]?.bytes(
        celsius: course.temperature.value(at: time) + tag.warmer,
        percent: course.humidity.value(at: time) + tag.wetter) ?? []
    var battery = tag.battery
    for fault in faults[index] {
      // Behind the end of a death the hub connects again when its back-off says so.
      if fault.kind == .dead, time >= fault.span.upperBound,
        connected[index] < fault.span.upperBound
      {
        connected[index] = back(from: fault.span)
      }
      guard fault.span.contains(time) else { continue }
      switch fault.kind {
      case .dead: return
      case .off: data = data.map { _ in 0 }
      case .silent: data = data.map { _ in 0xFF }
      case .battery(let percent): battery = percent
      }
    }
    guard isConnected(index, at: time) else {
      record.unheard += 1
      return
    }
    guard
      var reading = tag.kind.reading(
        data, of: tag.kind.humidity.data, tag: tag.expected.address, at: rig.start + time)
    else { return }
    reading.battery = battery
    hub.hear(reading)
  }

  private func isConnected(_ index: Int, at time: Int64) -> Bool {
    guard hub.isUp, time >= connected[index] else { return false }
    return !rig.rota.rotates || rig.rota.members(ofTurn: rig.rota.turn(at: time)).contains(index)
  }

  /// When the hub reaches a tag again that was not there: it has tried with growing waits.
  private func back(from span: Range<Int64>) -> Int64 {
    var backOff = BackOff()
    var time = span.lowerBound
    while time < span.upperBound { time += backOff.wait(chance: chance.unit()) }
    return time
  }

  /// The bridge is there from a time on: it connects one tag after the other.
  func connectAll(from time: Int64) {
    for index in connected.indices {
      connected[index] =
        rig.rota.rotates ? time : time + Int64(index) * rig.rota.connecting
    }
  }
}
