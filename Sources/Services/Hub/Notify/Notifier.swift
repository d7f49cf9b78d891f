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
  private let sender: ChannelSender
  private let report: @Sendable (String) -> Void
  private let clocks: MachineClocks
  private let state = Mutex(Health())

  /// Creates the notifier of a channel.
  ///
  /// - Parameters:
  ///   - sender: The channel.
  ///   - core: The hub.
  ///   - clocks: The clocks of the machine.
  ///   - report: The function that receives log lines.
  package init(
    _ sender: ChannelSender, core: HubCore, clocks: MachineClocks = .system,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.channel, self.sender, self.core) = (sender.channel, sender, core)
    (self.clocks, self.report) = (clocks, report)
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
    /// `true` if events wait for the end of the quiet period.
    var isHolding = false
    /// The sequence number of the last record read.
    var latest: Int64 = -1
  }

  private func deliver() async {
    var pause = BackOff(longest: 60_000_000_000)
    var memory = Memory()
    while !Task.isCancelled {
      do {
        let due = try next(&memory)
        if !due.isEmpty {
          try await sender.send(
            NotificationMessage(due.map(\.event), hub: core.queue.hub, link: channel.link))
          settle(due.map(\.sequence), &memory)
          succeed()
          pause.succeed()
        }
        await rest(Self.glance)
      } catch let failure as ChannelFailure {
        let wait = Double(pause.wait(chance: Double.random(in: 0..<1))) / 1e9
        fail(failure, after: pause.failures)
        drop(&memory)
        await rest(wait)
      } catch is CancellationError {
        return
      } catch {
        report("cannot use the queue for the channel '\(channel.name)': \(error)")
        await rest(5)
      }
    }
  }

  /// Returns the events to send now, and acknowledges the records that the channel does not report.
  private func next(_ memory: inout Memory) throws -> [(sequence: Int64, event: NotificationEvent)]
  {
    // Records that are stored from now on may be missing from those read below.
    let newest = core.queue.newest
    guard !memory.seen.isEmpty || !memory.done.isEmpty || memory.isHolding || newest > memory.latest
    else { return [] }
    let receiver = Self.receiver(channel)
    let records = try core.queue.waiting(for: receiver, limit: 1000)
    let words = EventWords(core.snapshot, epoch: core.queue.epoch)
    let now = clocks.boot()
    let isQuiet = channel.quiet?.contains(minute: LocalTime.minute(clocks.wall())) ?? false
    var due: [(sequence: Int64, event: NotificationEvent)] = []
    memory.isHolding = false
    for record in records where !memory.done.contains(record.sequence) {
      guard let event = words.event(record), channel.reports(event, record) else {
        memory.done.insert(record.sequence)
        continue
      }
      if isQuiet, event.level < .alarm || channel.quiet?.holdsAlarms == true {
        memory.isHolding = true
        continue
      }
      if memory.seen[record.sequence] == nil { memory.seen[record.sequence] = now }
      due.append((record.sequence, event))
    }
    try core.queue.acknowledge(receiver, Array(memory.done))
    memory.done = []
    memory.latest = newest
    let oldest = due.compactMap { memory.seen[$0.sequence] }.min() ?? now
    guard now - oldest >= Int64(channel.gather) * 1_000_000_000 else { return [] }
    return Array(due.prefix(Self.mostEvents))
  }

  /// Marks events as finished; the next look at the queue stores this, and until then they are not sent again.
  private func settle(_ sequences: [Int64], _ memory: inout Memory) {
    memory.done.formUnion(sequences)
    for sequence in sequences { memory.seen[sequence] = nil }
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

  private func succeed() {
    let before = state.withLock { health in
      defer { (health.failure, health.sent) = (nil, health.sent + 1) }
      return health.failure
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
    guard topics.contains(event.topic), event.topic != .channel || record.record.key != name else {
      return false
    }
    if let zone = event.zone, !zones.isEmpty, !zones.contains(zone) { return false }
    if let person = event.person, !people.isEmpty, !people.contains(person) { return false }
    let isOfAlarm = event.topic == .alarm || event.topic == .escalation
    return !isOfAlarm || level == .warning || event.level == .alarm
  }
}
