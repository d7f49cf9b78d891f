import CMosquitto
import Foundation
package import HubQueue
import Synchronization

/// Brings what waits for the broker to it, in order and at least once, for as long as it runs; takes commands.
///
/// It has a thread of its own, in which the library's client lives.
package final class MQTTCourier: Sendable {
  /// The name under which records wait for it.
  package static let receiver = "mqtt"

  /// What it asks of the hub.
  package struct Hooks: Sendable {
    /// What is published retained at each connection: topics and payloads.
    package var announcements: @Sendable () -> [(topic: String, payload: String)] = { [] }
    /// Takes a command, and gives the answer that is published.
    package var command: @Sendable ([UInt8]) -> String = { _ in "" }
    /// Is told what people should know.
    package var tell: @Sendable (String) -> Void = { _ in }

    /// None of it.
    package init() {}
  }

  /// What it has done so far.
  package struct Counts: Sendable, Equatable {
    /// Whether it is connected.
    package var isConnected = false
    /// How often it has connected.
    package var connections = 0
    /// Records that were published, repeats too.
    package var published = 0
    /// Records that have been confirmed.
    package var confirmed = 0
    /// Commands that came.
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

  /// Creates it; `start` sets it going.
  package init(queue: RecordQueue, settings: MQTTSettings, hooks: Hooks) {
    (self.queue, self.settings, self.hooks) = (queue, settings, hooks)
    topics = MQTTTopics(prefix: settings.prefix, hub: queue.hub)
  }

  /// What it has done so far.
  package var counts: Counts { state.withLock { $0 } }

  /// What it announces has changed.
  package func announce() { generation.add(1, ordering: .relaxed) }

  /// Begins.
  ///
  /// - Throws: what is wrong with the settings; that there is no broker is no error, for it may come.
  package func start() throws {
    let connection = try MQTTConnection(
      settings, identifier: "\(settings.prefix)-\(queue.hub)", will: (topics.status, "offline"))
    let round = Round(
      connection: connection, queue: queue, settings: settings, hooks: hooks, topics: topics)
    // The thread alone uses them from here on.
    nonisolated(unsafe) let confined = round
    let thread = Thread { [self] in
      confined.run(self)
      ended.signal()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Ends: takes leave of the broker and waits, at most so many seconds.
  package func stop(seconds: Int = 5) {
    isStopping.store(true, ordering: .relaxed)
    _ = ended.wait(timeout: .now() + .seconds(seconds))
  }

  var mustStop: Bool { isStopping.load(ordering: .relaxed) }
  var announced: Int { generation.load(ordering: .relaxed) }
  func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0) } }
}
