package import HubQueue
import Synchronization
package import Warehouse

/// A hub with its database: readings, time and commands go in, and the resulting records are stored.
///
/// A `WarehouseCore` makes all decisions. A reading and its consequences are stored in one transaction. If storing
/// fails, for
/// example because the disk is full, records are kept in memory and retried, while alarms are raised as usual.
///
/// Times are those of the ``HubClock``, which steps of the wall clock do not affect; the next call detects, reports and
/// records
/// a step.
package final class HubCore: Sendable {
  private struct State {
    var core: WarehouseCore
    var clock: HubClock
    /// The stored steps of the wall clock, oldest first.
    var steps: [RecordQueue.ClockStep]
    var unwritten: [NewRecord] = []
    var lost = 0
    var generation = 0
  }

  /// Counters since the start.
  package struct Counts: Sendable, Equatable {
    /// Notifications of expected tags.
    package var notifications = 0
    /// Notifications of expected tags that were flagged as invalid.
    package var flagged = 0
    /// Notifications of unexpected tags.
    package var unexpected = 0
    /// Executed and rejected commands.
    package var executed = 0, rejected = 0
    /// Records dropped because they could not be stored for too long.
    package var lost = 0
    /// Records waiting to be stored.
    package var unwritten = 0
  }

  /// The maximum number of records kept in memory while storing fails.
  package static let mostUnwritten = 100_000

  /// The record queue.
  package let queue: RecordQueue
  /// The policy that readings are evaluated against.
  package let policy: WarehousePolicy
  private let state: Mutex<State>
  private let report: @Sendable (String) -> Void

  /// Creates a hub that continues from the alarm log in its queue.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - queue: The record queue, which contains the alarm log.
  ///   - clocks: The clocks of the machine.
  ///   - report: Receives log lines.
  /// - Throws: An SQLite error.
  package init(
    policy: WarehousePolicy, queue: RecordQueue, clocks: MachineClocks = .system,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    (self.policy, self.queue, self.report) = (policy, queue, report)
    let (alarmState, steps) = try AlarmLog.alarmState(of: queue)
    let lastReceived = try queue.latest(kind: "reading", steps: steps)
    // In files without a stored clock state, the last record gives the time.
    let note =
      try queue.clockNote().flatMap { HubClock.Note($0) }
      ?? queue.lastTime().map { HubClock.Note(boot: "", offset: 0, time: $0) }
    let clock = HubClock(clocks, after: note)
    let core = WarehouseCore(
      policy, alarmState: alarmState, lastReceived: lastReceived, at: clock.now)
    state = Mutex(State(core: core, clock: clock, steps: steps))
    state.withLock { keepTime(&$0) }
  }

  /// Processes readings in order.
  ///
  /// - Returns: The readings as stored; empty while storing fails.
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
      return write(&state).filter { $0.record.kind == "reading" }
    }
  }

  /// Detects conditions that arise with time: silent tags, due escalations, expired acknowledgements and silences.
  package func advance() {
    state.withLock { state in
      keepTime(&state)
      state.core.advance(to: state.clock.now)
      write(&state)
    }
  }

  /// Executes a person's command.
  ///
  /// - Returns: The result as a sentence.
  package func execute(_ command: HubCommand) throws(HubCommand.Rejection) -> String {
    let rejection: HubCommand.Rejection? = state.withLock { state in
      keepTime(&state)
      do throws(HubCommand.Rejection) {
        try state.core.execute(command, at: state.clock.now)
        write(&state)
        return nil
      } catch {
        return error
      }
    }
    if let rejection { throw rejection }
    return command.done
  }

  /// Drops waiting records beyond the limits of the queue, and old history.
  ///
  /// - Parameter ages: Whether to apply age limits in addition to the limit of the number.
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

  /// The log line of a step of the wall clock.
  package static func words(ofStep step: Int64) -> String {
    let seconds = JSONText.number(Double(abs(step)) / 1e9, 3)
    return "the wall clock was set \(step < 0 ? "back" : "forward") by \(seconds) s; "
      + "alarms are not affected"
  }

  /// Returns a snapshot of the current state.
  package var snapshot: HubSnapshot {
    state.withLock { state in
      let known = state.core.counts
      let counts = Counts(
        notifications: known.readings, flagged: known.flagged, unexpected: known.unexpected,
        executed: known.executed, rejected: known.rejected, lost: state.lost,
        unwritten: state.unwritten.count)
      return HubSnapshot(
        hub: queue.hub, policy: policy, tags: state.core.tags, alarmState: state.core.alarmState,
        closedAsLost: state.core.closedAsLost, counts: counts, generation: state.generation,
        now: state.clock.now)
    }
  }

  /// Stores the new records in one transaction.
  @discardableResult
  private func write(_ state: inout State) -> [QueuedRecord] {
    let new = state.core.takeRecords().map { NewRecord($0) }
    guard !new.isEmpty || !state.unwritten.isEmpty else { return [] }
    state.generation += 1
    do {
      let written = try queue.append(state.unwritten + new, clock: state.clock.note.text)
      state.steps += written.compactMap(AlarmLog.step)
      if !state.unwritten.isEmpty { report("records are stored again") }
      state.unwritten = []
      return written
    } catch {
      if state.unwritten.isEmpty {
        report("cannot store records: \(error); they are kept in memory until a retry succeeds")
      }
      state.unwritten += new
      let excess = state.unwritten.count - Self.mostUnwritten
      if excess > 0 {
        state.unwritten.removeFirst(excess)
        state.lost += excess
      }
      return []
    }
  }
}

/// A snapshot of a hub's state.
package struct HubSnapshot: Sendable {
  /// The name of the hub.
  package let hub: String
  /// The policy.
  package let policy: WarehousePolicy
  /// The tags, in the order of the policy.
  package let tags: [TagState]
  /// The alarm state.
  package let alarmState: AlarmState
  /// The addresses of tags whose no-data alarm a person closed and that have not reported since.
  package let closedAsLost: Set<String>
  /// Counters since the start.
  package let counts: HubCore.Counts
  /// A counter that changes with the state.
  package let generation: Int
  /// The hub's time of the snapshot, in nanoseconds since 1970.
  package let now: Int64
}

/// A received reading with its time.
package struct ReceivedReading: Sendable, Equatable {
  /// The reading; its time is set when it is processed.
  package let reading: TagReading
  /// The time of reception in nanoseconds since boot.
  package let boot: Int64
  /// The gateway's time stamp in nanoseconds since 1970; recorded, but not used for alarms.
  package let stamp: Int64?

  /// Creates a received reading.
  package init(_ reading: TagReading, boot: Int64, stamp: Int64? = nil) {
    (self.reading, self.boot, self.stamp) = (reading, boot, stamp)
  }
}

/// An authorization filter for commands.
package struct CommandGate: Sendable, Equatable {
  /// The accepted actions.
  package var actions: Set<String>
  /// The people whose commands are accepted; empty for all.
  package var people: Set<String>

  /// Creates a filter.
  package init(actions: Set<String>, people: Set<String> = []) {
    (self.actions, self.people) = (actions, people)
  }

  /// Executes a command and returns the reply.
  ///
  /// - Parameters:
  ///   - bytes: The command in the format of ``Warehouse/HubCommand``.
  ///   - execute: Executes the command and returns the result as a sentence.
  /// - Returns: Whether it was executed, and the reply in JSON: `{"ok":true,"message":"alarm 3 is acknowledged"}`.
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
      JSONText.object([("ok", isDone ? "true" : "false"), ("message", JSONText.quoted(text))])
    )
  }
}
