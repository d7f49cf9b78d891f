import Environment
import Support
import VirtualI2C
import Warehouse

/// A warehouse run in virtual time, in which tags notify, a hub stores, evaluates and delivers
/// readings, and programs are killed.
package final class WarehouseRun {
  /// The kinds of timed actions.
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
  var timers = TimerQueue<Plan>()
  var hub: VirtualHub
  var broker = VirtualBroker()
  var chance: SeededGenerator
  var record: RunRecord
  let field: TagField
  let names: [String: String]
  private let report: (WarehouseEvent) -> Void

  /// Creates a run of a rig.
  ///
  /// - Parameters:
  ///   - rig: The rig to run.
  ///   - report: The function that receives each event.
  package init(_ rig: WarehouseRig, report: @escaping (WarehouseEvent) -> Void) {
    self.rig = rig
    self.report = report
    hub = VirtualHub(rig.policy, at: rig.start)
    chance = SeededGenerator(seed: rig.seed, stream: 19)
    record = RunRecord(rig)
    field = TagField(rig)
    names = Dictionary(
      rig.policy.tags.map { ($0.address, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  /// Runs for the duration that the rig specifies, and then until all written records have arrived
  /// or delivery stalls.
  ///
  /// - Returns: `true` if all expectations were met.
  package func run() -> Bool {
    say(
      .rig, at: 0, [("name", .string(rig.name)), ("seed", .integer(rig.seed))],
      "\(rig.name): \("tag".counted(rig.tags.count)), seed \(rig.seed)")
    if rig.roundRobin.sharesConnections {
      say(
        .rig, at: 0, [("round_s", .number(Decimal.shortest(Double(rig.roundRobin.round) / 1e9)))],
        "tags share connections in turn; a round takes \(Decimal.shortest(Double(rig.roundRobin.round) / 1e9)) s"
      )
    }
    planAll()
    while let (time, plan) = timers.next() {
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
    return WarehouseJudge(rig, record).report { say($0, at: rig.duration, $1, $2) }
  }

  func say(
    _ kind: WarehouseEvent.Kind, at time: Int64, _ fields: [(key: String, value: JSONValue)],
    _ line: String
  ) {
    report(WarehouseEvent(kind: kind, time: time, fields: fields, line: line))
  }

  func tellEntries(_ entries: [AlarmEntry]) {
    for entry in entries {
      record.take(entry)
      if let event = WarehouseEvent(entry, hub.core.alarmState, names: names, start: rig.start) {
        report(event)
      }
    }
  }
}

/// The programs in the run, namely the hub, its radio bridge, and the broker.
extension WarehouseRun {
  /// The maximum number of records in a message to the broker.
  private static let batch = 1000
  /// The delay of a message to or from the broker, in nanoseconds.
  private static let latency: Int64 = 50_000_000
  /// The maximum time for which delivery continues after the duration that the rig specifies, in
  /// nanoseconds.
  private static let deliveryGrace: Int64 = 1800 * second

  func planAll() {
    for (index, fault) in rig.faults.enumerated() {
      timers.schedule(.fault(index, isThere: true), at: fault.span.lowerBound)
      if fault.span.upperBound < rig.duration {
        timers.schedule(.fault(index, isThere: false), at: fault.span.upperBound)
      }
    }
    timers.schedule(.start(.hub), at: 0)
    timers.schedule(.tick, at: Self.second)
    for (index, command) in rig.commands.enumerated() {
      timers.schedule(.command(index), at: command.time)
    }
    for span in rig.away {
      timers.schedule(.brokerAway, at: span.lowerBound)
      timers.schedule(.brokerBack, at: span.upperBound)
    }
    for _ in 0..<rig.kills.count {
      let program = rig.kills.of[Int(chance.unit() * Double(rig.kills.of.count))]
      timers.schedule(.kill(program), at: Int64(chance.unit() * Double(rig.duration)))
    }
  }

  func take(_ plan: Plan, at time: Int64) {
    switch plan {
    case .fault(let index, let isThere): field.set(rig.faults[index], isThere: isThere)
    case .tick: tick(at: time)
    case .command(let index): command(index, at: time)
    case .kill(let program): kill(program, at: time)
    case .start(let program): start(program, at: time)
    case .brokerAway:
      broker.goAway()
      say(
        .program, at: time, [("program", .string("broker")), ("is", .string("away"))],
        "the broker is unreachable")
    case .brokerBack: start(.broker, at: time)
    case .arrive(let records, let hub, let broker):
      guard self.broker.isUp, self.broker.life == broker, let last = records.last else { return }
      self.broker.take(records)
      timers.schedule(.accepted(last.sequence, hub: hub), at: time + Self.latency)
      let rest = Int64(chance.unit() * 2 * Double(Self.second))
      timers.schedule(.passOn(broker: broker), at: time + rest)
    case .accepted(let sequence, let hub):
      guard !rig.isConfirmedByReceiver else { return }
      confirm(sequence, hub)
    case .passOn(let broker):
      guard self.broker.isUp, self.broker.life == broker else { return }
      self.broker.passOn()
      let through = self.broker.receiver.through(rig.policy.hub)
      timers.schedule(.confirmed(through, hub: hub.life), at: time + Self.latency)
    case .confirmed(let sequence, let hub):
      guard rig.isConfirmedByReceiver, self.broker.isUp else { return }
      confirm(sequence, hub)
    }
  }

  private func confirm(_ sequence: UInt64, _ life: Int) {
    guard hub.isUp, hub.life == life else { return }
    hub.confirm(through: sequence)
  }

  /// Performs the hub's work of one second: writes received readings, checks timeouts, and sends
  /// waiting records.
  private func tick(at time: Int64) {
    if time <= rig.duration {
      let written = hub.write(at: rig.start + time)
      for reading in written.readings { record.take(reading) }
      record.advance(to: rig.start + time)
      tellEntries(written.entries)
    }
    if hub.isUp, broker.isUp {
      let batch = Array(hub.send(most: Self.batch))
      if !batch.isEmpty {
        timers.schedule(
          .arrive(batch, hub: hub.life, broker: broker.life), at: time + Self.latency)
      }
    }
    let isWaiting = !hub.disk.queue.isEmpty || !hub.isUp || !broker.isUp
    if time < rig.duration || isWaiting && time < rig.duration + Self.deliveryGrace {
      timers.schedule(.tick, at: time + Self.second)
    }
  }

  private func command(_ index: Int, at time: Int64) {
    let command = rig.commands[index].command
    guard hub.isUp else { return refuse("the hub is not running", at: time) }
    do throws(HubCommand.Rejection) {
      tellEntries(try hub.take(command, at: rig.start + time))
    } catch {
      refuse(error.description, at: time)
    }
  }

  private func refuse(_ why: String, at time: Int64) {
    record.rejected += 1
    say(.command, at: time, [("refused", .string(why))], "command rejected: \(why)")
  }

  private func kill(_ program: WarehouseRig.Program, at time: Int64) {
    // If the program is not running, the kill is postponed until it is.
    guard program == .broker ? broker.isUp : hub.isUp else {
      if time + Self.second < rig.duration {
        timers.schedule(.kill(program), at: time + Self.second)
      }
      return
    }
    let restart = time + Self.second + Int64(chance.unit() * 30 * Double(Self.second))
    switch program {
    case .hub:
      hub.kill()
      // The bridge stops together with its hub.
      field.stop()
      record.articleLosesAll()
      timers.schedule(.start(.hub), at: restart)
    case .bridge:
      field.stop()
      record.articleLosesAll()
      timers.schedule(.start(.bridge), at: restart)
    case .broker:
      broker.kill()
      timers.schedule(.start(.broker), at: restart)
    }
    record.kills += 1
    say(
      .program, at: time,
      [("program", .string(program.rawValue)), ("is", .string("killed"))],
      "killed: the \(program.rawValue)")
  }

  private func start(_ program: WarehouseRig.Program, at time: Int64) {
    switch program {
    case .hub:
      hub.start(at: rig.start + time)
      listen()
    case .bridge:
      guard hub.isUp else { return }
      listen()
    case .broker:
      guard !broker.isUp else { return }
      broker.start()
      // After a reconnection, all unconfirmed records are sent again.
      hub.sent = hub.disk.confirmed
    }
    say(
      .program, at: time, [("program", .string(program.rawValue)), ("is", .string("there"))],
      "the \(program.rawValue) is available")
  }

  private func listen() {
    field.listen(
      seed: chance.next(), lost: { [unowned self] in record.articleLoses($0) },
      take: { [unowned self] in hub.hear($0) })
  }
}

/// The functions that run and check warehouse rigs for a command line.
public enum WarehouseProgram {
  /// Runs a warehouse rig in virtual time.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - seed: The seed; `nil` to use the seed in the file.
  ///   - format: The output format.
  ///   - write: The function that receives the standard output, including line ends.
  ///   - complain: The function that receives messages, one line each.
  /// - Returns: The exit status: 0 if all expectations were met, 1 if not, 78 for an error in the
  ///   file, 65 for an invalid table, and 66 for a missing file or table.
  public static func run(
    path: String, seed: UInt64? = nil, format: WarehouseFormat = .text,
    write: @escaping (String) -> Void, complain: (String) -> Void
  ) -> Int32 {
    do throws(Failure) {
      var rig = try WarehouseRig(path: path)
      if let seed { rig.seed = seed }
      return AirWarehouse(rig: rig, lines: EventLines(format, write)).run()
    } catch {
      for message in error.messages { complain(message) }
      return error.exitStatus
    }
  }

  /// Checks a warehouse rig, and the tables that it names, without running the rig.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - write: The function that receives the summary line, including its line end.
  ///   - complain: The function that receives messages, one line each.
  /// - Returns: The exit status: 0 without errors, 78 for an error in the file, 65 for an invalid
  ///   table, and 66 for a missing file or table.
  public static func check(
    path: String, write: (String) -> Void, complain: (String) -> Void
  ) -> Int32 {
    do throws(Failure) {
      let rig = try WarehouseRig(path: path)
      let count = rig.tags.count
      write("\(path.visible): \(count) \(count == 1 ? "tag" : "tags"), no errors\n")
      return 0
    } catch {
      for message in error.messages { complain(message) }
      return error.exitStatus
    }
  }

  /// The JSON Schema of warehouse rigs, for editors.
  public static var schema: String { WarehouseKeys.schema }
}

/// The readings that a published article's faulty code would have received in a run, and the bytes
/// that it would have copied.
///
/// This code receives a single tag, until the first loss of the connection with it, and copies one
/// 16-bit word for each byte of a value, so it reads past the end.
struct PublishedCode {
  private var listening = ArticleListening()
  /// The address of the only tag from which the published article's code would have received
  /// readings; empty if there is none.
  private(set) var tags: Set<String> = []
  /// The number of readings that the published article's code would have received.
  private(set) var readings = 0
  /// The time of the last reading that the published article's code would have received, in
  /// nanoseconds since the start of the run.
  private(set) var last: Int64?
  /// The length in bytes of the longest value that the published article's code would have copied,
  /// and the number of bytes that it would have copied for this value.
  private(set) var value = 0, copied = 0
  /// The total number of bytes that the published article's code would have read past the ends of
  /// values.
  private(set) var beyond = 0

  mutating func take(_ reading: TagReading, at time: Int64) {
    // The published code subscribes only to humidity.
    guard ArticleDecoding.reading(reading) != nil, listening.hears(reading.tag) else { return }
    tags.insert(reading.tag)
    readings += 1
    last = time
    let taken = 2 * ArticleDecoding.words(reading.raw, behind: []).count
    beyond += taken - reading.raw.count
    if reading.raw.count > value { (value, copied) = (reading.raw.count, taken) }
  }

  mutating func loses(_ tag: String) { listening.loses(tag) }
}
