package import HubQueue
import Quantities
package import ServiceMachine
import Support
import Synchronization
package import Warehouse

/// A hub with its database, which processes readings, time and commands, and stores the resulting
/// records.
///
/// A `WarehouseCore` makes all decisions. A reading and its consequences are stored in one
/// transaction. If storing fails, for example because the disk is full, records are kept in memory
/// and storing is retried, while alarms are raised as usual.
///
/// All times come from the `HubClock`, which steps of the wall clock do not affect; the next call
/// after a step detects, reports and records it.
package final class HubCore: Sendable {
  private struct State {
    var core: WarehouseCore
    var clock: HubClock
    /// The stored steps of the wall clock, oldest first.
    var steps: [RecordQueue.ClockStep]
    var unwritten: [NewRecord] = []
    var lost = 0
    var generation = 0
    var approaches = ApproachWatch()
    var receiver: ReceiverLoss?
  }

  /// The reason why no readings can be received, since a time on the boot clock in nanoseconds.
  private struct ReceiverLoss {
    var reason: String
    let since: Int64
    /// `true` if the loss is recorded.
    var isRecorded = false
  }

  /// The time in nanoseconds for which the receiver must be lost before the loss is recorded, so that a restart is none.
  private static let patience: Int64 = 30_000_000_000

  /// The counters since the start of the hub.
  package struct Counts: Sendable, Equatable {
    /// The number of notifications from expected tags.
    package var notifications = 0
    /// The number of notifications from expected tags that were flagged as invalid.
    package var flagged = 0
    /// The number of notifications from unexpected tags.
    package var unexpected = 0
    /// The numbers of executed and rejected commands.
    package var executed = 0, rejected = 0
    /// The number of records dropped from memory because storing failed for too long.
    package var lost = 0
    /// The number of records in memory that wait to be stored.
    package var unwritten = 0
  }

  /// The maximum number of records kept in memory while storing fails.
  package static let mostUnwritten = 100_000

  package let queue: RecordQueue
  /// The policy that readings are evaluated against.
  package let policy: WarehousePolicy
  private let clocks: MachineClocks
  private let state: Mutex<State>
  private let report: @Sendable (String) -> Void

  /// Creates a hub that continues from the alarm log in its queue.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - queue: The record queue, which contains the alarm log.
  ///   - clocks: The clocks of the machine.
  ///   - report: The function that receives log lines.
  /// - Throws: An SQLite error.
  package init(
    policy: WarehousePolicy, queue: RecordQueue, clocks: MachineClocks = .system,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    (self.policy, self.queue, self.report) = (policy, queue, report)
    self.clocks = clocks
    let (alarmState, steps) = try AlarmLog.alarmState(of: queue)
    let lastReceived = try queue.latest(kind: "reading", steps: steps)
    // In files without a stored clock state, the time of the last record is used.
    let note =
      try queue.clockNote().flatMap { HubClock.Note($0) }
      ?? queue.lastTime().map { HubClock.Note(boot: "", offset: 0, time: $0) }
    let clock = HubClock(clocks, after: note)
    let core = WarehouseCore(
      policy, alarmState: alarmState, lastReceived: lastReceived,
      lastValues: try Self.lastValues(of: policy.tags, in: queue), at: clock.now)
    state = Mutex(State(core: core, clock: clock, steps: steps))
    state.withLock { keepTime(&$0) }
  }

  /// Returns the last valid values of tags among their last readings, by address.
  private static func lastValues(
    of tags: [WarehousePolicy.ExpectedTag], in queue: RecordQueue
  ) throws -> [String: AirReading] {
    var found: [String: AirReading] = [:]
    for tag in tags {
      var values = AirReading()
      for record in try queue.last(8, kind: "reading", key: tag.address) {
        guard let reading = TagReading(json: record.json(hub: queue.hub, epoch: queue.epoch)),
          reading.isGood
        else { continue }
        for quantity in Quantity.allCases where values[quantity] == nil {
          values[quantity] = reading.values[quantity]
        }
      }
      found[tag.address] = values
    }
    return found
  }

  /// Processes readings in order.
  ///
  /// - Returns: The readings as stored; empty if storing failed.
  @discardableResult
  package func take(_ received: [ReceivedReading]) -> [QueuedRecord] {
    state.withLock { state in
      keepTime(&state)
      let readings = received.map { one in
        var reading = one.reading
        reading.time = state.clock.time(atBoot: one.boot)
        return reading
      }
      state.core.take(readings, stamps: received.map(\.stamp))
      Self.watch(&state, received)
      return write(&state).filter { $0.record.kind == "reading" }
    }
  }

  /// Takes the values of valid readings for predictions.
  private static func watch(_ state: inout State, _ received: [ReceivedReading]) {
    let last = Dictionary(received.map { ($0.reading.tag, $0.boot) }, uniquingKeysWith: { $1 })
    for tag in state.core.tags where tag.quality.isEmpty {
      guard let boot = last[tag.tag.address] else { continue }
      state.approaches.take(tag.values, of: tag.tag.address, boot: boot)
    }
  }

  /// Detects conditions that arise as time passes: silent tags, due escalations, expired
  /// acknowledgements, expired silences, and a receiver that stays lost.
  package func advance() {
    state.withLock { state in
      keepTime(&state)
      state.core.advance(to: state.clock.now)
      write(&state)
      guard let loss = state.receiver, !loss.isRecorded,
        clocks.boot() - loss.since >= Self.patience
      else { return }
      state.receiver?.isRecorded = true
      write(&state, [Self.record(ofReceiver: loss.reason, at: state.clock.now)])
    }
  }

  /// Takes the state of what receives the tags: a radio, or a gateway.
  ///
  /// - Parameter problem: The reason why no readings can be received; `nil` if they can.
  package func takeReceiver(_ problem: String?) {
    state.withLock { state in
      keepTime(&state)
      let before = state.receiver
      state.generation += 1
      guard let problem else {
        state.receiver = nil
        if before?.isRecorded == true {
          write(&state, [Self.record(ofReceiver: nil, at: state.clock.now)])
        }
        return
      }
      state.receiver = before ?? ReceiverLoss(reason: problem, since: clocks.boot())
      state.receiver?.reason = problem
    }
  }

  /// Executes a person's command.
  ///
  /// - Returns: The result of the command as a sentence.
  package func execute(_ command: HubCommand) throws(HubCommand.Rejection) -> String {
    let (rejection, isStored): (HubCommand.Rejection?, Bool) = state.withLock { state in
      keepTime(&state)
      do throws(HubCommand.Rejection) {
        try state.core.execute(command, at: state.clock.now)
        write(&state)
        return (nil, state.unwritten.isEmpty)
      } catch {
        return (error, true)
      }
    }
    if let rejection { throw rejection }
    return isStored
      ? command.done
      : "\(command.done), but this is not stored yet and would be lost if the hub ended now: check its disk"
  }

  /// Stores a record of another kind, which is sent immediately.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - key: The subject.
  ///   - body: The JSON object of the record.
  package func note(kind: String, key: String, body: String) {
    state.withLock { state in
      keepTime(&state)
      let record = NewRecord(
        kind: kind, key: key, time: state.clock.now, body: body, isUrgent: true)
      write(&state, [record])
    }
  }

  /// Returns the records of some kinds that wait in memory because storing failed, in order.
  package func unwritten(kinds: Set<String>) -> [NewRecord] {
    state.withLock { $0.unwritten.filter { kinds.contains($0.kind) } }
  }

  /// Drops waiting records beyond the limits of the queue, and old history.
  ///
  /// - Parameter ages: `true` to apply the age limits as well as the limit on the number of
  ///   records.
  /// - Returns: The dropped records.
  /// - Throws: An SQLite error.
  package func keepLimits(ages: Bool) throws -> [RecordQueue.Loss] {
    let (now, steps, note) = state.withLock { ($0.clock.now, $0.steps, $0.clock.note.text) }
    return try queue.keepLimits(now: now, ages: ages, steps: steps, clock: note)
  }

  /// Detects and records a step of the wall clock.
  private func keepTime(_ state: inout State) {
    let before = state.clock.now
    let step = state.clock.takeStep()
    guard step != 0 else { return }
    state.core.advance(to: before)
    state.core.step(by: step)
    report(Self.words(ofStep: step))
    write(&state)
  }

  /// Returns the log line for a step of the wall clock.
  package static func words(ofStep step: Int64) -> String {
    "the wall clock was set \(step < 0 ? "back" : "forward") by \(duration(step)); "
      + "alarms are not affected"
  }

  /// Returns the length of a time in words, whatever its sign: to the millisecond below a minute, and else to the second.
  package static func duration(_ nanoseconds: Int64) -> String {
    let time = Double(nanoseconds.magnitude) / 1e9
    guard time >= 59.9995 else { return Decimal.rounded(time, 3) + " s" }
    let seconds = Int(time.rounded())
    let parts = [
      (seconds / 86400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"),
      (seconds % 60, "s"),
    ]
    return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }

  /// The current state of the hub.
  package var snapshot: HubSnapshot {
    state.withLock { state in
      let known = state.core.counts
      let counts = Counts(
        notifications: known.readings, flagged: known.flagged, unexpected: known.unexpected,
        executed: known.executed, rejected: known.rejected, lost: state.lost,
        unwritten: state.unwritten.count)
      let boot = clocks.boot()
      let approaches = policy.tags.compactMap { tag in
        state.approaches.approach(
          of: tag, to: policy.zones.first { $0.name == tag.zone }?.rules ?? [], boot: boot
        ).map { (tag.address, $0) }
      }
      return HubSnapshot(
        hub: queue.hub, policy: policy, tags: state.core.tags, alarmState: state.core.alarmState,
        closedAsLost: state.core.closedAsLost,
        approaches: Dictionary(uniqueKeysWithValues: approaches), counts: counts,
        strangers: state.core.strangers.sorted(), receiver: state.receiver?.reason,
        generation: state.generation, now: state.clock.now
      )
    }
  }

  /// Stores the new records, and others, in one transaction.
  @discardableResult
  private func write(_ state: inout State, _ others: [NewRecord] = []) -> [QueuedRecord] {
    let new = state.core.takeRecords().map { NewRecord($0) } + others
    guard !new.isEmpty || !state.unwritten.isEmpty else { return [] }
    state.generation += 1
    do {
      let written = try queue.append(state.unwritten + new, clock: state.clock.note.text)
      state.steps += written.compactMap(AlarmLog.step)
      if !state.unwritten.isEmpty {
        state.unwritten = []
        report("records are stored again")
        let working = Self.storageRecord(at: state.clock.now, [("event", .string("working"))])
        write(&state, [working])
      }
      return written
    } catch {
      let isFirst = state.unwritten.isEmpty
      state.unwritten += new
      if isFirst {
        report("cannot store records: \(error); they are kept in memory until a retry succeeds")
        state.unwritten.append(
          Self.storageRecord(
            at: state.clock.now,
            [("event", .string("failing")), ("reason", .string("\(error)"))]))
      }
      let excess = state.unwritten.count - Self.mostUnwritten
      if excess > 0 {
        state.unwritten.removeFirst(excess)
        state.lost += excess
      }
      return []
    }
  }
}

extension HubCore {
  /// Returns the record of the loss of what receives the tags, or of its return.
  private static func record(ofReceiver problem: String?, at time: Int64) -> NewRecord {
    NewRecord(
      kind: "receiver", key: "receiver", time: time,
      body: JSONValue.members([
        ("event", .string(problem == nil ? "back" : "lost")),
        ("reason", problem.map(JSONValue.string)),
      ]).compact, isUrgent: true)
  }

  /// Returns the record of a change of the storage, which people are notified of from memory.
  private static func storageRecord(at time: Int64, _ members: [(String, JSONValue?)]) -> NewRecord
  {
    NewRecord(
      kind: "storage", key: "queue", time: time, body: JSONValue.members(members).compact,
      isUrgent: true)
  }
}

/// A snapshot of a hub's state.
package struct HubSnapshot: Sendable {
  /// The name of the hub.
  package let hub: String
  package let policy: WarehousePolicy
  /// The tags, in the order of the policy.
  package let tags: [TagState]
  package let alarmState: AlarmState
  /// The addresses of the tags whose no-data alarms were closed by a person, and that have not sent
  /// a reading since.
  package let closedAsLost: Set<String>
  /// The limits that the values of tags approach, by address.
  package let approaches: [String: ApproachWatch.Approach]
  /// The counters since the start of the hub.
  package let counts: HubCore.Counts
  /// The addresses of unexpected tags, sorted.
  package let strangers: [String]
  /// The reason why no readings can be received; `nil` if they can.
  package let receiver: String?
  /// A counter that changes whenever the state changes.
  package let generation: Int
  /// The hub's time at which the snapshot was taken, in nanoseconds since 1970.
  package let now: Int64
}

/// A received reading, with its time of reception.
package struct ReceivedReading: Sendable, Equatable {
  /// The reading, whose time is set only when it is processed.
  package let reading: TagReading
  /// The time of reception in nanoseconds since boot.
  package let boot: Int64
  /// The gateway's time stamp in nanoseconds since 1970; recorded, but not used for alarms.
  package let stamp: Int64?

  package init(_ reading: TagReading, boot: Int64, stamp: Int64? = nil) {
    (self.reading, self.boot, self.stamp) = (reading, boot, stamp)
  }
}

/// A filter that decides which commands are accepted.
package struct CommandGate: Sendable, Equatable {
  /// The names of the accepted actions.
  package var actions: Set<String>
  /// The people whose commands are accepted; if empty, everyone's commands are.
  package var people: Set<String>

  package init(actions: Set<String>, people: Set<String> = []) {
    (self.actions, self.people) = (actions, people)
  }

  /// Executes a command and returns the reply.
  ///
  /// - Parameters:
  ///   - bytes: The command in the format of `Warehouse/HubCommand`.
  ///   - execute: The function that executes a command and returns the result as a sentence.
  /// - Returns: `true` if the command was executed, and the reply in JSON:
  ///   `{"ok":true,"message":"alarm 3 is acknowledged"}`.
  package func response(
    _ bytes: [UInt8], execute: (HubCommand) throws(HubCommand.Rejection) -> String
  ) -> (isDone: Bool, json: String) {
    do throws(HubCommand.Rejection) {
      let command = try HubCommand(json: bytes)
      guard actions.contains(command.action) else {
        return reply(false, "this hub does not accept the command '\(command.action)' here")
      }
      guard people.isEmpty || people.contains(command.person) else {
        throw .unknown(person: command.person, among: people.sorted())
      }
      return reply(true, try execute(command))
    } catch {
      return reply(false, error.description)
    }
  }

  private func reply(_ isDone: Bool, _ text: String) -> (isDone: Bool, json: String) {
    (
      isDone,
      JSONValue.members([("ok", .bool(isDone)), ("message", .string(text))]).compact
    )
  }
}

extension NewRecord {
  /// Creates a record for the queue from a `HubRecord`, which the hub's decision logic has produced.
  package init(_ record: HubRecord) {
    self.init(
      kind: record.kind, key: record.key, time: record.time, body: record.body,
      isUrgent: Self.isUrgent(record))
  }

  /// Returns `true` if the record is sent immediately, as are alarm events that people act on;
  /// readings and intermediate steps of alarms are not.
  private static func isUrgent(_ record: HubRecord) -> Bool {
    guard case .alarm(let entry) = record else { return false }
    return switch entry.event {
    case .breach, .breachOver, .heldBack, .worse: false
    case .raised, .again, .returned, .notified, .acknowledged, .expired, .closed, .silenced,
      .silenceOver, .clockStepped:
      true
    }
  }
}

/// Conversion of records to alarm log entries.
package enum AlarmLog {
  /// Returns the alarm log entry in a record; `nil` if the record contains none.
  package static func entry(_ record: NewRecord) -> AlarmEntry? {
    AlarmEntry(time: record.time, body: record.body)
  }

  /// The step of the wall clock that a record documents; `nil` for other records.
  static func step(_ record: QueuedRecord) -> RecordQueue.ClockStep? {
    guard record.record.kind == "alarm", record.record.key == "hub",
      case .clockStepped(let step) = entry(record.record)?.event
    else { return nil }
    return RecordQueue.ClockStep(sequence: record.sequence, by: step)
  }

  /// Returns the alarm state replayed from the log in a queue, and the steps of the wall clock in it.
  package static func alarmState(
    of queue: RecordQueue
  ) throws -> (alarmState: AlarmState, steps: [RecordQueue.ClockStep]) {
    var alarmState = AlarmState()
    var steps: [RecordQueue.ClockStep] = []
    var after: Int64 = 0
    while true {
      let records = try queue.history(
        kind: "alarm", from: .min, to: .max, after: after, limit: 10_000)
      guard let last = records.last else { return (alarmState, steps) }
      for record in records {
        if let entry = entry(record.record) { alarmState.apply(entry) }
        if let step = step(record) { steps.append(step) }
      }
      after = last.sequence
    }
  }
}

extension HubCommand {
  /// The result of the executed command as a sentence.
  var done: String {
    switch self {
    case .acknowledge(let number, _, _, _): "alarm \(number) is acknowledged"
    case .silence(let zone, _, _, _): "the zone '\(zone)' is silenced"
    case .endSilence(let zone, _): "the zone '\(zone)' is no longer silenced"
    case .close(let number, _, _): "alarm \(number) is closed"
    }
  }

  /// The name that settings use to allow the action.
  package var action: String {
    switch self {
    case .acknowledge: "acknowledge"
    case .silence: "silence"
    case .endSilence: "end-silence"
    case .close: "close"
    }
  }

  /// The person who sent the command.
  package var person: String {
    switch self {
    case .acknowledge(_, let name, _, _), .silence(_, let name, _, _), .endSilence(_, let name),
      .close(_, let name, _):
      name
    }
  }
}
