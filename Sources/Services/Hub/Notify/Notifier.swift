package import Channels
package import HubCore
import HubQueue
package import ServiceMachine
import Support
import Synchronization
import Warehouse
package import WarehouseRuns

/// Sends the messages of one channel, in order and at least once.
///
/// The events wait in the hub's queue, so neither a failing server nor a killed hub loses one.
package final class Notifier: Sendable {
  /// The state of a channel.
  package struct Health: Sendable, Equatable {
    /// The reason why the last attempt failed; `nil` while the channel works.
    package var failure: String?
    /// The numbers of messages sent, and of events dropped because they could not be delivered, since the start.
    package var sent = 0, dropped = 0
  }

  /// The number of consecutive failures after which a channel counts as failing.
  static let mostFailures = 3
  /// The maximum number of events in a message.
  static let mostEvents = 200
  /// The interval in seconds between checks for new events.
  private static let glance = 0.25

  package let channel: NotificationChannel
  private let core: HubCore
  private let file: String
  private let sender: ChannelSender
  private let report: @Sendable (String) -> Void
  private let clocks: MachineClocks
  private let state = Mutex(Health())

  /// Creates the notifier of a channel.
  ///
  /// - Parameters:
  ///   - sender: The channel.
  ///   - core: The hub.
  ///   - file: The path of the hub file, which messages name.
  ///   - clocks: The clocks of the machine.
  ///   - report: The function that receives log lines.
  package init(
    _ sender: ChannelSender, core: HubCore, file: String, clocks: MachineClocks = .system,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.channel, self.sender, self.core) = (sender.channel, sender, core)
    (self.clocks, self.report, self.file) = (clocks, report, file)
  }

  /// Returns the name of a channel as a receiver of the queue.
  package static func receiver(_ channel: NotificationChannel) -> String {
    "notify:\(channel.name)"
  }

  /// The current state.
  package var health: Health { state.withLock { $0 } }

  /// Sends messages until the task is cancelled.
  package func run() async {
    channel.kind == .heartbeat ? await beat() : await deliver()
  }

  // MARK: Messages

  /// What the notifier remembers of waiting events.
  private struct Memory {
    /// The times on the boot clock at which events to send were first seen.
    var seen: [Int64: Int64] = [:]
    /// The records that no longer concern the channel, and wait for their acknowledgement to be stored.
    var done: Set<Int64> = []
    /// The events that the server refused alone, which no longer delay the others, and the time of their next attempt.
    var refused: Set<Int64> = []
    var nextRefused: Int64 = 0
    /// Whether notifications are escalations.
    var escalations: [Int64: Bool] = [:]
    /// The records that were sent before they could be stored, and the numbers that records which are not stored have here.
    var early: Set<String> = []
    var earlyNumbers: [String: Int64] = [:]
    /// The minute of the last look at events that wait for the end of the quiet period; `nil` if none wait.
    var held: Int?
    /// The sequence number of the last record read.
    var latest: Int64 = -1
    /// The maximum number of events in the next message, which a refusal halves.
    var batch = Notifier.mostEvents
  }

  private typealias Due = (sequence: Int64, event: NotificationEvent)

  private func deliver() async {
    var pause = BackOff(longest: 60_000_000_000)
    var memory = Memory()
    while !Task.isCancelled {
      var due: [Due] = []
      do {
        due = try next(&memory)
        if !due.isEmpty {
          let message = NotificationMessage(
            due.map(\.event), from: .hub(core.queue.hub), link: channel.link)
          let complaint = try await sender.send(message)
          settle(due.map(\.sequence), &memory)
          // Stored at once, so that an orderly end does not repeat the message.
          acknowledge(&memory, core.unwritten(kinds: EventWords.kinds))
          memory.batch = Self.mostEvents
          succeed(complaint)
          pause.succeed()
        }
        await rest(Self.glance)
      } catch let failure as ChannelFailure {
        let wait = Double(pause.wait(chance: Double.random(in: 0..<1))) / 1e9
        fail(failure, after: pause.failures)
        drop(&memory)
        if failure.isRejection { blame(due, &memory) }
        await rest(failure.isRejection ? Self.glance : wait)
      } catch is CancellationError {
        return
      } catch {
        report("cannot use the queue for the channel '\(channel.name)': \(error)")
        await rest(5)
      }
    }
  }

  /// After a refusal, makes the next message smaller, or sets the refused event aside for a minute so that it does not
  /// delay others.
  private func blame(_ due: [Due], _ memory: inout Memory) {
    guard let first = due.first else { return }
    guard due.count == 1 else {
      memory.batch = max(1, due.count / 2)
      return
    }
    memory.nextRefused = clocks.boot() + 60_000_000_000
    memory.refused.insert(first.sequence)
  }

  /// Returns the events to send now, and acknowledges the records that the channel does not report.
  private func next(_ memory: inout Memory) throws -> [Due] {
    // Records that are stored from now on may be missing from those read below.
    let newest = core.queue.newest
    let minute = LocalTime.minute(clocks.wall())
    let unwritten = core.unwritten(kinds: EventWords.kinds)
    guard
      !memory.seen.isEmpty || !memory.done.isEmpty || newest > memory.latest || !unwritten.isEmpty
        || memory.held.map({ $0 != minute }) ?? false
    else { return [] }
    let isQuiet = channel.quiet?.contains(minute: minute) ?? false
    memory.held = nil
    var due: [Due] = []
    let words = EventWords(core.snapshot, epoch: core.queue.epoch, file: file)
    func take(_ record: QueuedRecord) {
      guard let event = words.event(record, isEscalation: isEscalation(record, &memory)),
        channel.reports(event, record)
      else {
        memory.done.insert(record.sequence)
        return
      }
      // A failing channel is no reason to wake people.
      let isUrgent = event.level == .alarm && event.topic != .channel
      if isQuiet, !isUrgent || channel.quiet?.holdsAlarms == true {
        memory.held = minute
        return
      }
      if memory.seen[record.sequence] == nil { memory.seen[record.sequence] = clocks.boot() }
      due.append((record.sequence, event))
    }
    var after: Int64 = 0
    while due.count - memory.refused.count < Self.mostEvents {
      let records = try core.queue.waiting(
        for: Self.receiver(channel), after: after, limit: Self.page)
      for record in records where !memory.done.contains(record.sequence) {
        if memory.early.remove(Self.identity(record.record)) != nil {
          memory.done.insert(record.sequence)
        } else {
          take(record)
        }
      }
      guard records.count == Self.page, let last = records.last else { break }
      after = last.sequence
    }
    for record in unwritten where !memory.early.contains(Self.identity(record)) {
      let identity = Self.identity(record)
      let number = memory.earlyNumbers[identity] ?? -Int64(memory.earlyNumbers.count + 1)
      memory.earlyNumbers[identity] = number
      if !memory.done.contains(number) { take(QueuedRecord(sequence: number, record: record)) }
    }
    acknowledge(&memory, unwritten)
    memory.latest = newest
    return chosen(due, memory)
  }

  /// The number of records read at a time.
  private static let page = 1000

  /// Returns the events of the next message: those that the server has not refused, once they have waited for others.
  private func chosen(_ due: [Due], _ memory: Memory) -> [Due] {
    let now = clocks.boot()
    let fresh = due.filter { !memory.refused.contains($0.sequence) }
    guard !fresh.isEmpty else {
      return now >= memory.nextRefused ? Array(due.prefix(1)) : []
    }
    let oldest = fresh.compactMap { memory.seen[$0.sequence] }.min() ?? now
    guard now - oldest >= Int64(channel.gather) * 1_000_000_000 else { return [] }
    return Array(fresh.prefix(memory.batch))
  }

  /// Stores the acknowledgements; if that fails, for example because the disk is full, a later look repeats it, and until
  /// then nothing is sent again.
  private func acknowledge(_ memory: inout Memory, _ unwritten: [NewRecord]) {
    let stored = memory.done.filter { $0 > 0 }
    if (try? core.queue.acknowledge(Self.receiver(channel), Array(stored))) != nil {
      memory.done.subtract(stored)
      for sequence in stored { memory.escalations[sequence] = nil }
    }
    guard unwritten.isEmpty, !memory.earlyNumbers.isEmpty else { return }
    memory.done = memory.done.filter { $0 > 0 }
    memory.earlyNumbers = [:]
  }

  /// Identifies a record that is not stored yet.
  private static func identity(_ record: NewRecord) -> String {
    "\(record.time) \(record.kind) \(record.key) \(record.body)"
  }

  /// Returns `true` if a record is a notification that follows another one of the same breach.
  private func isEscalation(_ record: QueuedRecord, _ memory: inout Memory) -> Bool {
    if let known = memory.escalations[record.sequence] { return known }
    guard case .notified? = AlarmLog.entry(record.record)?.event, record.record.kind == "alarm"
    else {
      return false
    }
    let log = try? core.queue.history(
      kind: "alarm", key: record.record.key, from: .min, to: .max, limit: 10_000)
    // The first notification of a breach that begins, recurs or continues is the alarm itself.
    var isLater = false
    for entry in log ?? [] where record.sequence < 0 || entry.sequence < record.sequence {
      switch AlarmLog.entry(entry.record)?.event {
      case .notified?: isLater = true
      case .raised?, .again?, .expired?: isLater = false
      default: break
      }
    }
    memory.escalations[record.sequence] = isLater
    return isLater
  }

  /// Marks events as finished.
  private func settle(_ sequences: [Int64], _ memory: inout Memory) {
    memory.done.formUnion(sequences)
    memory.refused.subtract(sequences)
    for sequence in sequences { memory.seen[sequence] = nil }
    for (identity, number) in memory.earlyNumbers where sequences.contains(number) {
      memory.early.insert(identity)
    }
  }

  /// Drops the events that could not be delivered for too long.
  private func drop(_ memory: inout Memory) {
    let latest = clocks.boot() - Int64(channel.giveUp) * 1_000_000_000
    let late = memory.seen.filter { $0.value < latest }.map(\.key)
    guard !late.isEmpty else { return }
    settle(late, &memory)
    state.withLock { $0.dropped += late.count }
    report(
      "the channel '\(channel.name)' dropped \("event".counted(late.count)) that could not be delivered"
    )
  }

  // MARK: Heartbeats

  private func beat() async {
    var failures = 0
    while !Task.isCancelled {
      do {
        // A hub that cannot store records does not work.
        if core.snapshot.counts.unwritten == 0 {
          try await sender.beat()
          succeed()
        }
        failures = 0
      } catch let failure as ChannelFailure {
        failures += 1
        fail(failure, after: failures)
      } catch {
        return
      }
      await rest(Double(channel.every))
    }
  }

  // MARK: Health

  /// Registers a message that was sent, and what the server complained of nevertheless, such as one of several recipients.
  private func succeed(_ complaint: ChannelFailure? = nil) {
    let before = state.withLock { health in
      defer { (health.failure, health.sent) = (nil, health.sent + 1) }
      return health.failure
    }
    if let complaint {
      // The state before keeps the complaint from being recorded for each message.
      state.withLock { $0.failure = before }
      return fail(complaint, after: Self.mostFailures)
    }
    guard before != nil else { return }
    report("the channel '\(channel.name)' works again")
    record([("event", .string("working"))])
  }

  /// Registers a failed attempt; the first one that makes the channel count as failing is recorded, for the other
  /// channels.
  private func fail(_ failure: ChannelFailure, after failures: Int) {
    guard failures >= Self.mostFailures || failure.isRejection else { return }
    let before = state.withLock { health in
      defer { health.failure = failure.reason }
      return health.failure
    }
    if before != failure.reason {
      report("the channel '\(channel.name)' fails: \(failure.reason); retrying")
    }
    guard before == nil else { return }
    record([("event", .string("failing")), ("reason", .string(failure.reason))])
  }

  private func record(_ members: [(String, JSONValue?)]) {
    core.note(
      kind: "channel", key: channel.name,
      body: JSONValue.members([("channel", JSONValue.string(channel.name))] + members).compact)
  }

  /// Waits, or returns at once if the task is cancelled.
  private func rest(_ seconds: Double) async { try? await Task.sleep(for: .seconds(seconds)) }
}

extension NotificationChannel {
  /// Returns `true` if the channel reports an event.
  fileprivate func reports(_ event: NotificationEvent, _ record: QueuedRecord) -> Bool {
    // A channel cannot report its own failure.
    guard let topic = event.topic, topics.contains(topic),
      topic != .channel || record.record.key != name
    else {
      return false
    }
    if let zone = event.zone, !zones.isEmpty, !zones.contains(zone) { return false }
    if let person = event.person, !people.isEmpty, !people.contains(person) { return false }
    let isOfAlarm = topic == .alarm || topic == .escalation
    return !isOfAlarm || level == .warning || event.level == .alarm
  }
}

/// Watches the other hubs at a broker by their retained statuses, and records when one is lost or back.
package final class HubWatch: Sendable {
  private struct Other {
    var isOnline: Bool
    /// The time of the last change on the boot clock, in nanoseconds.
    var since: Int64
    /// `true` if the loss is recorded.
    var isLost = false
  }

  /// The time in seconds for which a hub must be offline to count as lost, so that a restart is no loss.
  private let patience: Int64
  private let core: HubCore
  private let clocks: MachineClocks
  private let state = Mutex<[String: Other]>([:])

  /// Creates a watch that knows no other hubs.
  ///
  /// - Parameters:
  ///   - core: The hub that watches.
  ///   - patience: The time in seconds for which another hub must be offline to count as lost.
  ///   - clocks: The clocks of the machine.
  package init(core: HubCore, patience: Int64 = 30, clocks: MachineClocks = .system) {
    (self.core, self.patience, self.clocks) = (core, patience, clocks)
  }

  /// Takes the status of a hub as published; an empty one means that the hub no longer exists.
  package func take(_ hub: String, _ status: String) {
    guard hub != core.queue.hub else { return }
    let now = clocks.boot()
    let isBack = state.withLock { others -> Bool in
      guard !status.isEmpty else {
        others[hub] = nil
        return false
      }
      let isOnline = status == "online"
      let before = others[hub]
      guard before?.isOnline != isOnline else { return false }
      others[hub] = Other(isOnline: isOnline, since: now)
      return isOnline && before?.isLost == true
    }
    if isBack { record(hub, "back") }
  }

  /// Records the hubs that have been offline for too long; called once per second.
  package func advance() {
    let now = clocks.boot()
    let lost = state.withLock { others in
      let lost = others.filter {
        !$0.value.isOnline && !$0.value.isLost && now - $0.value.since >= patience * 1_000_000_000
      }
      for hub in lost.keys { others[hub]?.isLost = true }
      return lost.keys.sorted()
    }
    for hub in lost { record(hub, "lost") }
  }

  private func record(_ hub: String, _ event: String) {
    core.note(
      kind: "hub", key: hub,
      body: JSONValue.members([("other", JSONValue.string(hub)), ("event", .string(event))]).compact
    )
  }
}
