import CMosquitto
import Foundation
import HubQueue
import Warehouse

/// What the courier's thread does, round by round.
final class Round {
  private let connection: MQTTConnection
  private let queue: RecordQueue
  private let settings: MQTTSettings
  private let hooks: MQTTCourier.Hooks
  private let topics: MQTTTopics

  private var isConnected = false
  /// Thousands of hubs that lose one broker do not all come back at once.
  private var pause = BackOff(longest: 60_000_000_000)
  private var nextAttempt = 0.0
  private var lastTold = "", lastRefusal = ""
  /// The last record that was published on this connection.
  private var cursor: Int64 = 0
  /// Records under way by the numbers under which the broker acknowledges them.
  private var underWay: [Int32: Int64] = [:]
  /// Records that were published and that the receiver has not confirmed, and when one last was.
  private var unconfirmed = 0
  private var lastConfirmed = 0.0
  private var acknowledged: [Int64] = []
  private var announced = -1
  /// What stands retained at the broker since this connection began, by topic.
  private var retained: [String: String] = [:]

  init(
    connection: MQTTConnection, queue: RecordQueue, settings: MQTTSettings,
    hooks: MQTTCourier.Hooks, topics: MQTTTopics
  ) {
    (self.connection, self.queue, self.settings) = (connection, queue, settings)
    (self.hooks, self.topics) = (hooks, topics)
  }

  /// Goes on until the courier is stopped.
  func run(_ courier: MQTTCourier) {
    while !courier.mustStop {
      if !isConnected, !connect(courier) {
        Thread.sleep(forTimeInterval: 0.05)
        continue
      }
      take(connection.step(milliseconds: underWay.isEmpty ? 50 : 5), courier)
      guard isConnected else { continue }
      announce(courier)
      settle(courier)
      send(courier)
    }
    settle(courier)
    if isConnected {
      _ = connection.publish(topics.status, "offline", retained: true)
      // What was just published and what is acknowledged meanwhile still goes over the wire.
      for _ in 0..<10 { take(connection.step(milliseconds: 20), courier) }
      settle(courier)
      connection.disconnect()
    }
    courier.count { $0.isConnected = false }
  }

  // MARK: The connection

  private var now: Double { ProcessInfo.processInfo.systemUptime }

  /// Tries to connect when it is time; true once the broker has taken the hub in.
  private func connect(_ courier: MQTTCourier) -> Bool {
    guard now >= nextAttempt else { return false }
    do {
      try connection.connect()
      let latest = now + 10
      while now < latest, !courier.mustStop {
        let happenings = connection.step(milliseconds: 50)
        if let result = happenings.connection {
          guard result == 0 else {
            throw RefusedConnection(reason: MQTTError.refusal(result))
          }
          try begin(courier)
          take(happenings, courier)
          return isConnected
        }
        if happenings.isOver { throw RefusedConnection(reason: happenings.reason) }
      }
      throw RefusedConnection(reason: "it did not answer within 10 s")
    } catch {
      fail("\(error)", courier)
      return false
    }
  }

  private func begin(_ courier: MQTTCourier) throws {
    isConnected = true
    pause.succeed()
    announced = -1
    retained = [:]
    if settings.confirmation == .receiver { rewind() }
    _ = connection.publish(topics.status, "online", retained: true)
    try connection.subscribe(topics.command)
    if settings.confirmation == .receiver { try connection.subscribe(topics.received) }
    courier.count {
      $0.isConnected = true
      $0.connections += 1
    }
    if !lastTold.isEmpty { hooks.tell("the broker \(address) is there again") }
    lastTold = ""
  }

  private var address: String { "\(settings.host):\(settings.port)" }

  private func fail(_ reason: String, _ courier: MQTTCourier) {
    isConnected = false
    courier.count { $0.isConnected = false }
    nextAttempt = now + Double(pause.wait(chance: Double.random(in: 0..<1))) / 1e9
    if reason != lastTold {
      hooks.tell("no broker at \(address): \(reason); records are kept, and it is tried again")
    }
    lastTold = reason
  }

  /// Sends again what the receiver has not confirmed.
  private func rewind() {
    (cursor, unconfirmed, lastConfirmed) = (0, 0, now)
    underWay = [:]
  }

  // MARK: What comes

  private func take(_ happenings: MQTTConnection.Happenings, _ courier: MQTTCourier) {
    for number in happenings.acknowledged {
      guard let sequence = underWay.removeValue(forKey: number) else { continue }
      if settings.confirmation == .broker { acknowledged.append(sequence) }
    }
    for message in happenings.messages {
      if message.topic == topics.command {
        // A retained command would be obeyed at each connection: it is none.
        guard !message.isRetained else { continue }
        courier.count { $0.commands += 1 }
        _ = connection.publish(topics.reply, hooks.command(message.payload))
      } else if message.topic == topics.received {
        confirm(message.payload, courier)
      }
    }
    if happenings.isOver, isConnected { fail(happenings.reason, courier) }
  }

  /// A receiver tells how far it has come.
  private func confirm(_ payload: [UInt8], _ courier: MQTTCourier) {
    guard let word = ReceiverWord(payload), word.hub == queue.hub else { return }
    if let reason = refusal(word) {
      if reason != lastRefusal { hooks.tell(reason) }
      lastRefusal = reason
      return
    }
    do {
      let count = try queue.acknowledge(MQTTCourier.receiver, through: min(word.through, cursor))
      guard count > 0 else { return }
      unconfirmed = max(0, unconfirmed - count)
      lastConfirmed = now
      courier.count { $0.confirmed += count }
    } catch {
      hooks.tell("cannot note what has been received: \(error)")
    }
  }

  /// Why a receiver's word is not about the records of this queue; `nil` where it can be.
  private func refusal(_ word: ReceiverWord) -> String? {
    if let epoch = word.epoch, epoch != queue.epoch {
      return "a receiver confirms records of epoch \(JSONText.quoted(epoch)), "
        + "and those of this queue have \(queue.epoch); ignored"
    }
    // Nobody has what was never sent: such a receiver knows another file that had this hub's name.
    guard word.through > 0, !queue.mayHold(after: word.through - 1) else { return nil }
    return "a receiver confirms record \(word.through), which there is not yet: "
      + "it knows records of another queue of this hub; ignored"
  }

  // MARK: What goes

  private func announce(_ courier: MQTTCourier) {
    let generation = courier.announced
    guard announced != generation else { return }
    for (topic, payload) in hooks.announcements() where retained[topic] != payload {
      guard connection.publish(topic, payload, retained: true) != nil else { return }
      retained[topic] = payload
    }
    announced = generation
  }

  /// Notes on disk what the broker has acknowledged.
  private func settle(_ courier: MQTTCourier) {
    guard !acknowledged.isEmpty else { return }
    do {
      try queue.acknowledge(MQTTCourier.receiver, acknowledged)
      let count = acknowledged.count
      courier.count { $0.confirmed += count }
      acknowledged = []
    } catch {
      // They stay in the list, and are noted in a later round; at worst they are sent again.
      hooks.tell("cannot note what has been delivered: \(error)")
    }
  }

  private func send(_ courier: MQTTCourier) {
    let isByReceiver = settings.confirmation == .receiver
    if isByReceiver, unconfirmed > 0, now > lastConfirmed + Double(settings.resend) { rewind() }
    let busy = isByReceiver ? max(unconfirmed, underWay.count) : underWay.count
    guard busy < settings.inFlight, queue.mayHold(after: cursor) else { return }
    do {
      let records = try queue.waiting(
        for: MQTTCourier.receiver, after: cursor, limit: settings.inFlight - busy)
      for record in records {
        guard
          let number = connection.publish(
            topics.record(record.record), record.json(hub: queue.hub, epoch: queue.epoch))
        else { return }
        if isByReceiver, unconfirmed == 0 { lastConfirmed = now }
        underWay[number] = record.sequence
        cursor = record.sequence
        unconfirmed += isByReceiver ? 1 : 0
        courier.count { $0.published += 1 }
      }
    } catch {
      hooks.tell("cannot read what waits: \(error)")
      Thread.sleep(forTimeInterval: 0.5)
    }
  }
}

/// Why a broker is as good as none.
private struct RefusedConnection: Error, CustomStringConvertible {
  let reason: String
  var description: String { reason }
}
