import CMosquitto
import Foundation
import Synchronization
import Warehouse

/// A receiver of a hub's records, which subscribes at the broker, drops duplicates, restores the
/// order, and confirms.
///
/// The receiver runs on a separate thread, and reconnects if the broker becomes unavailable.
package final class MQTTReceiver: Sendable {
  private struct State {
    var receiver = DeliveryReceiver()
    /// The received records by sequence number.
    var records: [UInt64: String] = [:]
    var next: UInt64 = 1
    /// The epoch of the received records, which identifies the hub's queue file; `nil` before the
    /// first record.
    var epoch: String?
    var commands: [String] = []
  }

  private struct Head: Decodable {
    let hub: String
    let sequence: UInt64
    let epoch: String?
  }

  private let settings: MQTTSettings
  private let hub: String
  private let topics: MQTTTopics
  private let state = Mutex(State())
  private let isStopping = Atomic<Bool>(false)
  private let ended = DispatchSemaphore(value: 0)

  /// Creates and starts a receiver.
  ///
  /// - Parameters:
  ///   - settings: The settings of the broker.
  ///   - hub: The name of the hub.
  /// - Throws: An error if the settings are invalid.
  package init(_ settings: MQTTSettings, hub: String) throws {
    (self.settings, self.hub) = (settings, hub)
    topics = MQTTTopics(prefix: settings.prefix, hub: hub)
    // From here on, only the thread accesses the connection.
    nonisolated(unsafe) let confined = try MQTTConnection(
      settings, identifier: "\(settings.prefix)-\(hub)-receiver")
    let thread = Thread { [self] in
      run(confined)
      ended.signal()
    }
    thread.start()
  }

  /// Returns the contiguous records received since the last call, in order and without duplicates.
  package func takeRecords() -> [String] {
    state.withLock { state in
      var found: [String] = []
      while let record = state.records[state.next] {
        found.append(record)
        state.next += 1
      }
      return found
    }
  }

  /// All received records, by sequence number.
  package var records: [UInt64: String] { state.withLock { $0.records } }

  /// The number of dropped duplicates.
  package var repeats: Int { state.withLock { $0.receiver.repeats } }

  /// Sends a command to the hub.
  package func send(command: String) { state.withLock { $0.commands.append(command) } }

  /// Stops the receiver.
  package func stop() {
    isStopping.store(true, ordering: .relaxed)
    ended.wait()
    ended.signal()
  }

  private var mustStop: Bool { isStopping.load(ordering: .relaxed) }

  private func run(_ connection: MQTTConnection) {
    while !mustStop {
      do {
        try connection.connect()
        try serve(connection)
      } catch {
        // The broker is not available yet, or is no longer available.
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
    connection.disconnect()
  }

  private func serve(_ connection: MQTTConnection) throws {
    var isConnected = false
    while !mustStop {
      let events = connection.step(milliseconds: 20)
      if let result = events.connection {
        guard result == 0 else { return }
        try connection.subscribe(topics.root + "/#")
        isConnected = true
      }
      guard !events.isOver else { return }
      guard isConnected else { continue }
      let hasTaken = events.messages.reduce(false) { take($1) || $0 }
      if hasTaken { confirm(connection) }
      let commands = state.withLock { state in
        defer { state.commands = [] }
        return state.commands
      }
      for command in commands { _ = connection.publish(topics.command, command) }
    }
  }

  private func take(_ message: (topic: String, payload: [UInt8], isRetained: Bool)) -> Bool {
    let kinds = ["reading", "alarm", "event", "dropped"]
    guard !message.isRetained,
      kinds.contains(where: { message.topic.hasPrefix("\(topics.root)/\($0)/") }),
      let head = try? JSONDecoder().decode(Head.self, from: Data(message.payload)), head.hub == hub
    else { return false }
    state.withLock { state in
      if head.epoch != state.epoch {
        // The hub has a new queue, in which sequence numbers restart at 1.
        state.epoch = head.epoch
        (state.records, state.next) = ([:], 1)
      }
      if state.receiver.take(hub: head.hub, epoch: head.epoch ?? "", sequence: head.sequence) {
        state.records[head.sequence] = String(decoding: message.payload, as: UTF8.self)
      }
    }
    return true
  }

  private func confirm(_ connection: MQTTConnection) {
    let (through, epoch) = state.withLock { state in
      (state.receiver.through(hub, epoch: state.epoch ?? ""), state.epoch)
    }
    let said = ReceiverConfirmation(hub: hub, through: Int64(through), epoch: epoch)
    guard let word = try? JSONEncoder().encode(said) else { return }
    _ = connection.publish(topics.received, String(decoding: word, as: UTF8.self))
  }
}

/// A receiver's confirmation of a hub's records: `{"hub":"...","epoch":"...","through":17}`.
package struct ReceiverConfirmation: Sendable, Equatable, Codable {
  /// The name of the hub.
  package let hub: String
  /// The sequence number up to which the receiver has all records.
  package let through: Int64
  /// The epoch of the records, which identifies the hub's queue file; `nil` if the receiver does
  /// not report it.
  package let epoch: String?

  package init(hub: String, through: Int64, epoch: String? = nil) {
    (self.hub, self.through, self.epoch) = (hub, through, epoch)
  }

  /// Parses a confirmation; the result is `nil` if the bytes are not valid.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= 1024,
      let word = try? JSONDecoder().decode(ReceiverConfirmation.self, from: Data(bytes)),
      word.through >= 0
    else { return nil }
    self = word
  }
}
