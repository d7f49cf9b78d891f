import CMosquitto
import Foundation
import Synchronization
import Warehouse

/// A receiver of a hub's records: takes them from a broker, drops repeats, puts them in order, and says how far it has come.
///
/// It has a thread of its own; a broker that is gone is looked for until it is there again.
package final class MQTTReceiver: Sendable {
  private struct State {
    var receiver = DeliveryReceiver()
    /// What has arrived, by its number.
    var records: [UInt64: String] = [:]
    var next: UInt64 = 1
    /// Of which queue the records are.
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

  /// Creates it, and sets it going.
  ///
  /// - Parameters:
  ///   - settings: the broker.
  ///   - hub: whose records it takes.
  /// - Throws: what is wrong with the settings.
  package init(_ settings: MQTTSettings, hub: String) throws {
    (self.settings, self.hub) = (settings, hub)
    topics = MQTTTopics(prefix: settings.prefix, hub: hub)
    // The thread alone uses it from here on.
    nonisolated(unsafe) let confined = try MQTTConnection(
      settings, identifier: "\(settings.prefix)-\(hub)-receiver")
    let thread = Thread { [self] in
      run(confined)
      ended.signal()
    }
    thread.start()
  }

  /// Records in the order of their numbers, each once: those that have come since it was last asked and before which none is
  /// missing.
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

  /// All records that have come, by their numbers.
  package var records: [UInt64: String] { state.withLock { $0.records } }

  /// How many records came again.
  package var repeats: Int { state.withLock { $0.receiver.repeats } }

  /// Sends a command to the hub.
  package func send(command: String) { state.withLock { $0.commands.append(command) } }

  /// Ends it.
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
        // The broker is not there yet, or no longer.
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
    connection.disconnect()
  }

  private func serve(_ connection: MQTTConnection) throws {
    var isConnected = false
    while !mustStop {
      let happenings = connection.step(milliseconds: 20)
      if let result = happenings.connection {
        guard result == 0 else { return }
        try connection.subscribe(topics.root + "/#")
        isConnected = true
      }
      guard !happenings.isOver else { return }
      guard isConnected else { continue }
      let hasTaken = happenings.messages.reduce(false) { take($1) || $0 }
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
        // The hub has another queue, whose numbers begin anew.
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
    let said = ReceiverWord(hub: hub, through: Int64(through), epoch: epoch)
    guard let word = try? JSONEncoder().encode(said) else { return }
    _ = connection.publish(topics.received, String(decoding: word, as: UTF8.self))
  }
}
