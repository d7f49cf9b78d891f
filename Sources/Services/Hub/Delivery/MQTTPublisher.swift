import CMosquitto
import Foundation
package import HubQueue
import Support
import Synchronization
import Warehouse

/// Publishes waiting records to the broker, in order and at least once, and receives commands.
///
/// The publisher runs on a separate thread, which is the only user of the library's client.
package final class MQTTPublisher: Sendable {
  /// The name of the receiver in the record queue.
  package static let receiver = "mqtt"

  /// The functions of the hub that the publisher calls.
  package struct Hooks: Sendable {
    /// Returns the retained messages to publish after connecting, as topics and payloads.
    package var announcements: @Sendable () -> [(topic: String, payload: String)] = { [] }
    /// Executes a command and returns the reply to publish.
    package var command: @Sendable ([UInt8]) -> String = { _ in "" }
    /// Receives the names of other hubs with the same prefix, and their statuses.
    ///
    /// Default: none, and the statuses are not requested.
    package var status: (@Sendable (String, String) -> Void)?
    /// The function that receives log lines.
    package var report: @Sendable (String) -> Void = { _ in }

    /// Creates hooks that do nothing.
    package init() {}
  }

  /// The counters and the connection state.
  package struct Counts: Sendable, Equatable {
    /// `true` while the client is connected.
    package var isConnected = false
    /// The number of connections since the start.
    package var connections = 0
    /// The number of published records, counting repeated publications.
    package var published = 0
    /// The number of confirmed records.
    package var confirmed = 0
    /// The number of received commands.
    package var commands = 0
  }

  private let queue: RecordQueue
  private let settings: MQTTSettings
  private let hooks: Hooks
  private let topics: MQTTTopics
  private let isStopping = Atomic<Bool>(false)
  private let generation = Atomic<Int>(0)
  private let state = Mutex(Counts())
  private let ended = DispatchSemaphore(value: 0)

  /// Creates a publisher, which `start` starts.
  package init(queue: RecordQueue, settings: MQTTSettings, hooks: Hooks) {
    (self.queue, self.settings, self.hooks) = (queue, settings, hooks)
    topics = MQTTTopics(prefix: settings.prefix, hub: queue.hub)
  }

  /// The counters and the connection state.
  package var counts: Counts { state.withLock { $0 } }

  /// Requests that retained messages whose content has changed are published again.
  package func announce() { generation.add(1, ordering: .relaxed) }

  /// Starts the publisher's thread.
  ///
  /// - Throws: An error if the settings are invalid. An unreachable broker is not an error, because
  ///   it may become available later.
  package func start() throws {
    let connection = try MQTTConnection(
      settings, identifier: "\(settings.prefix)-\(queue.hub)", will: (topics.status, "offline"))
    let round = PublishLoop(
      connection: connection, queue: queue, settings: settings, hooks: hooks, topics: topics)
    // From here on, only the thread accesses the loop.
    nonisolated(unsafe) let confined = round
    let thread = Thread { [self] in
      confined.run(self)
      ended.signal()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Disconnects and stops the publisher, waiting at most for a number of seconds.
  package func stop(seconds: Int = 5) {
    isStopping.store(true, ordering: .relaxed)
    _ = ended.wait(timeout: .now() + .seconds(seconds))
  }

  var mustStop: Bool { isStopping.load(ordering: .relaxed) }
  var announced: Int { generation.load(ordering: .relaxed) }
  func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0) } }
}

/// The loop of the publisher's thread.
final class PublishLoop {
  private let connection: MQTTConnection
  private let queue: RecordQueue
  private let settings: MQTTSettings
  private let hooks: MQTTPublisher.Hooks
  private let topics: MQTTTopics

  private var isConnected = false
  // Prevents thousands of hubs that lose the same broker from all reconnecting at the same time.
  private var pause = BackOff(longest: 60_000_000_000)
  private var nextAttempt = 0.0
  private var lastReported = "", lastWarning = ""
  /// The sequence number of the last record published over this connection.
  private var cursor: Int64 = 0
  /// The sequence numbers of the unacknowledged records, by message number.
  private var underWay: [Int32: Int64] = [:]
  /// The number of published records that the receiver has not confirmed.
  private var unconfirmed = 0
  /// The time of the receiver's last confirmation.
  private var lastConfirmed = 0.0
  private var acknowledged: [Int64] = []
  private var announced = -1
  /// The retained messages published over this connection, by topic.
  private var retained: [String: String] = [:]

  init(
    connection: MQTTConnection, queue: RecordQueue, settings: MQTTSettings,
    hooks: MQTTPublisher.Hooks, topics: MQTTTopics
  ) {
    (self.connection, self.queue, self.settings) = (connection, queue, settings)
    (self.hooks, self.topics) = (hooks, topics)
  }

  /// Runs the loop until the publisher is stopped.
  func run(_ publisher: MQTTPublisher) {
    while !publisher.mustStop {
      if !isConnected, !connect(publisher) {
        Thread.sleep(forTimeInterval: 0.05)
        continue
      }
      take(connection.step(milliseconds: underWay.isEmpty ? 50 : 5), publisher)
      guard isConnected else { continue }
      announce(publisher)
      settle(publisher)
      send(publisher)
    }
    settle(publisher)
    if isConnected {
      _ = connection.publish(topics.status, "offline", retained: true)
      // Finishes the pending publications and acknowledgements.
      for _ in 0..<10 { take(connection.step(milliseconds: 20), publisher) }
      settle(publisher)
      connection.disconnect()
    }
    publisher.count { $0.isConnected = false }
  }

  // MARK: Connecting

  private var now: Double { ProcessInfo.processInfo.systemUptime }

  /// Tries to connect if the retry delay has elapsed.
  ///
  /// - Returns: `true` once the broker has accepted the connection.
  private func connect(_ publisher: MQTTPublisher) -> Bool {
    guard now >= nextAttempt else { return false }
    do {
      try connection.connect()
      let latest = now + 10
      while now < latest, !publisher.mustStop {
        let events = connection.step(milliseconds: 50)
        if let result = events.connection {
          guard result == 0 else {
            throw RejectedConnection(reason: MQTTError.rejection(result))
          }
          try begin(publisher)
          take(events, publisher)
          return isConnected
        }
        if events.isOver { throw RejectedConnection(reason: events.reason) }
      }
      throw RejectedConnection(reason: "no response within 10 s")
    } catch {
      fail("\(error)", publisher)
      return false
    }
  }

  private func begin(_ publisher: MQTTPublisher) throws {
    isConnected = true
    pause.succeed()
    announced = -1
    retained = [:]
    if settings.confirmation == .receiver { rewind() }
    _ = connection.publish(topics.status, "online", retained: true)
    try connection.subscribe(topics.command)
    if settings.confirmation == .receiver { try connection.subscribe(topics.received) }
    if hooks.status != nil { try connection.subscribe(topics.statuses) }
    publisher.count {
      $0.isConnected = true
      $0.connections += 1
    }
    if !lastReported.isEmpty { hooks.report("the broker \(address) is available again") }
    lastReported = ""
  }

  private var address: String { "\(settings.host):\(settings.port)" }

  private func fail(_ reason: String, _ publisher: MQTTPublisher) {
    isConnected = false
    publisher.count { $0.isConnected = false }
    nextAttempt = now + Double(pause.wait(chance: Double.random(in: 0..<1))) / 1e9
    if reason != lastReported {
      hooks.report(
        "cannot connect to the broker \(address): \(reason); records are kept until a retry succeeds"
      )
    }
    lastReported = reason
  }

  /// Arranges for all records that the receiver has not confirmed to be published again.
  private func rewind() {
    (cursor, unconfirmed, lastConfirmed) = (0, 0, now)
    underWay = [:]
  }

  // MARK: Receiving

  private func take(_ events: MQTTConnection.Events, _ publisher: MQTTPublisher) {
    for number in events.acknowledged {
      guard let sequence = underWay.removeValue(forKey: number) else { continue }
      if settings.confirmation == .broker { acknowledged.append(sequence) }
    }
    for message in events.messages {
      if message.topic == topics.command {
        // A retained command is ignored, because it would be executed again at each connection.
        guard !message.isRetained else { continue }
        publisher.count { $0.commands += 1 }
        _ = connection.publish(topics.reply, hooks.command(message.payload))
      } else if message.topic == topics.received {
        confirm(message.payload, publisher)
      } else if let hub = topics.hub(ofStatus: message.topic) {
        hooks.status?(hub, String(decoding: message.payload.prefix(20), as: UTF8.self))
      }
    }
    if events.isOver, isConnected { fail(events.reason, publisher) }
  }

  /// Handles a confirmation from a receiver.
  private func confirm(_ payload: [UInt8], _ publisher: MQTTPublisher) {
    guard let word = ReceiverConfirmation(payload), word.hub == queue.hub else { return }
    if let reason = rejection(word) {
      if reason != lastWarning { hooks.report(reason) }
      lastWarning = reason
      return
    }
    do {
      let count = try queue.acknowledge(MQTTPublisher.receiver, through: min(word.through, cursor))
      guard count > 0 else { return }
      unconfirmed = max(0, unconfirmed - count)
      lastConfirmed = now
      publisher.count { $0.confirmed += count }
    } catch {
      hooks.report("cannot store the receiver's confirmation: \(error)")
    }
  }

  /// Returns the reason why a confirmation does not match this queue; `nil` if it matches.
  private func rejection(_ word: ReceiverConfirmation) -> String? {
    if let epoch = word.epoch, epoch != queue.epoch {
      return "ignored a confirmation of epoch \(JSONValue.string(epoch).compact); "
        + "the epoch of this queue is \(queue.epoch)"
    }
    // A receiver cannot have records that were never sent, so the confirmation refers to a
    // different queue of a hub with this name.
    guard word.through > 0, !queue.mayHold(after: word.through - 1) else { return nil }
    return "ignored a confirmation of record \(word.through), which does not exist; "
      + "it belongs to another queue of this hub"
  }

  // MARK: Publishing

  private func announce(_ publisher: MQTTPublisher) {
    let generation = publisher.announced
    guard announced != generation else { return }
    for (topic, payload) in hooks.announcements() where retained[topic] != payload {
      guard connection.publish(topic, payload, retained: true) != nil else { return }
      retained[topic] = payload
    }
    announced = generation
  }

  /// Stores the acknowledgements received from the broker.
  private func settle(_ publisher: MQTTPublisher) {
    guard !acknowledged.isEmpty else { return }
    do {
      try queue.acknowledge(MQTTPublisher.receiver, acknowledged)
      let count = acknowledged.count
      publisher.count { $0.confirmed += count }
      acknowledged = []
    } catch {
      // The acknowledgements stay in the list and are stored in a later cycle; at worst, their
      // records are sent again.
      hooks.report("cannot store the broker's acknowledgements: \(error)")
    }
  }

  private func send(_ publisher: MQTTPublisher) {
    let isByReceiver = settings.confirmation == .receiver
    if isByReceiver, unconfirmed > 0, now > lastConfirmed + Double(settings.resend) { rewind() }
    let busy = isByReceiver ? max(unconfirmed, underWay.count) : underWay.count
    guard busy < settings.inFlight, queue.mayHold(after: cursor) else { return }
    do {
      let records = try queue.waiting(
        for: MQTTPublisher.receiver, after: cursor, limit: settings.inFlight - busy)
      for record in records {
        guard
          let number = connection.publish(
            topics.record(record.record), record.json(hub: queue.hub, epoch: queue.epoch))
        else { return }
        if isByReceiver, unconfirmed == 0 { lastConfirmed = now }
        underWay[number] = record.sequence
        cursor = record.sequence
        unconfirmed += isByReceiver ? 1 : 0
        publisher.count { $0.published += 1 }
      }
    } catch {
      hooks.report("cannot read waiting records: \(error)")
      Thread.sleep(forTimeInterval: 0.5)
    }
  }
}

/// The reason why a connection cannot be used.
private struct RejectedConnection: Error, CustomStringConvertible {
  let reason: String
  var description: String { reason }
}
