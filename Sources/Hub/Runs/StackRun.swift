import Delivery
import Foundation
import HubQueue
package import WarehouseRuns

/// A run of a warehouse on the wall clock: virtual tags on the air of a Bluetooth stack, a hub of its own process that hears
/// them through a bridge of its own, a mosquitto, and a receiver behind it.
///
/// It waits for what happens, and never for a time in which it should have. It is confined to the thread that creates it.
package final class StackRun {
  private let warehouse: StackWarehouse
  private let folder: String
  private let air: TagsOnAir
  private let broker: BrokerProgram
  private let receiver: MQTTReceiver
  private var hub: ChildProgram?
  private let program: String
  /// Programs that were killed, and when they start again, in nanoseconds of the machine.
  private var starting: [(program: String, time: UInt64)] = []
  private var begun: UInt64 = 0

  /// Starts tags, broker and hub.
  ///
  /// - Parameters:
  ///   - warehouse: what it is of.
  ///   - program: the path of the hub's program.
  ///   - folder: an empty folder, for what the programs write.
  /// - Throws: `StackRunError`, or what is wrong with the broker.
  package init(_ warehouse: StackWarehouse, program: String, folder: String) throws {
    (self.warehouse, self.program, self.folder) = (warehouse, program, folder)
    broker = try BrokerProgram(in: folder)
    air = try TagsOnAir(warehouse.plan.tags, at: ["unix-server:\(folder)/air"])
    receiver = try MQTTReceiver(
      MQTTSettings(host: "127.0.0.1", port: broker.port), hub: warehouse.hub)
    let file = warehouse.hubFile(transport: "unix:\(folder)/air", broker: broker.port)
    try Data(file.utf8).write(to: URL(fileURLWithPath: folder + "/hub.yaml"))
    hub = try startHub()
  }

  private func startHub() throws(StackRunError) -> ChildProgram {
    try ChildProgram(
      [program, "serve", folder + "/hub.yaml"], log: folder + "/hub.log")
  }

  /// Runs it to its end.
  ///
  /// - Returns: whether all expectations were met.
  /// - Throws: why it cannot go on.
  package func run() throws -> Bool {
    defer { endAll() }
    try waitForTags()
    begun = Self.now()
    air.begin()
    warehouse.begin(at: Self.wallClock())
    for (time, what) in warehouse.plan.agenda {
      try goOn(until: UInt64(max(time, 0)))
      try act(what, at: time)
    }
    try goOn(until: UInt64(warehouse.plan.duration))
    while !starting.isEmpty { try step() }
    let told = air.end()
    try waitForQueue()
    return warehouse.finish(try delivery(told))
  }

  // MARK: Waiting

  /// Nanoseconds of the machine's clock.
  private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Nanoseconds since 1970, to less than a microsecond.
  private static func wallClock() -> Int64 { Int64(Date().timeIntervalSince1970 * 1e9) }

  /// Waits until each tag has been heard at the receiver.
  private func waitForTags() throws {
    let count = warehouse.plan.tags.count
    let latest = Self.now() + UInt64(120 + count) * 1_000_000_000
    while !warehouse.isComplete {
      guard Self.now() < latest else {
        let names = warehouse.unheard.prefix(5).joined(separator: ", ")
        throw StackRunError(
          "of \("tag".counted(count)) \(warehouse.unheard.count) not heard within \(120 + count) s (\(names)); "
            + hubsWords)
      }
      try step()
    }
  }

  /// Waits until all that the hub has written has been confirmed.
  private func waitForQueue() throws {
    let queue = try RecordQueue(
      path: folder + "/hub.sqlite", hub: warehouse.hub, receivers: [MQTTCourier.receiver])
    defer { try? queue.close() }
    let latest = Self.now() + 120_000_000_000
    while try queue.standings().contains(where: { $0.waiting > 0 }), Self.now() < latest {
      try step()
    }
    hub?.end(seconds: 20)
    take()
  }

  private func goOn(until time: UInt64) throws {
    while Self.now() < begun + time { try step() }
  }

  /// Takes what has come, and starts what is to start.
  private func step() throws {
    if let signal = EndSign.number {
      throw StackRunError("the run was ended by signal \(signal)", status: 128 + signal)
    }
    take()
    if let failure = air.failure { throw StackRunError(failure) }
    let isHubAway = starting.contains { $0.program == "hub" }
    if !isHubAway, hub?.isAlive != true {
      throw StackRunError("the hub has ended; " + hubsWords)
    }
    if !starting.contains(where: { $0.program == "broker" }), !broker.isAlive {
      throw StackRunError("mosquitto has ended; \(folder)/mosquitto.log says why")
    }
    for start in starting where start.time <= Self.now() {
      starting.removeAll { $0.program == start.program }
      if start.program == "hub" { hub = try startHub() } else { try broker.start() }
      tell(start.program, .there)
    }
    usleep(10_000)
  }

  private func take() {
    for record in receiver.takeRecords() { warehouse.take(record: record) }
  }

  /// The last that the hub has said.
  private var hubsWords: String {
    let text = (try? String(contentsOfFile: folder + "/hub.log", encoding: .utf8)) ?? ""
    return "its last words: \(text.split(separator: "\n").last ?? "none")"
  }

  // MARK: Acting

  private func act(_ what: StackPlan.What, at time: Int64) throws {
    switch what {
    case .command(let command): receiver.send(command: command)
    case .power(let tag, let isOn):
      if !isOn { warehouse.lost(tag: tag) }
      air.take(what)
    case .sensors, .battery: air.take(what)
    case .away(let length):
      while starting.contains(where: { $0.program == "broker" }) { try step() }
      broker.kill()
      starting.append(("broker", Self.now() + UInt64(max(length, 0))))
      tell("broker", .away)
    case .kill(let name):
      // What is dead already cannot be killed: it is waited for.
      while starting.contains(where: { $0.program == name }) { try step() }
      switch name {
      case "hub":
        hub?.kill()
        starting.append((name, Self.now() + pause(time)))
      case "broker":
        broker.kill()
        starting.append((name, Self.now() + pause(time)))
      default:
        // The hub starts its bridge itself.
        let latest = Self.now() + 60_000_000_000
        var bridge = hub?.child
        while bridge == nil, Self.now() < latest {
          try step()
          bridge = hub?.child
        }
        guard let bridge else {
          throw StackRunError("the hub has no bridge to kill; " + hubsWords)
        }
        kill(bridge, SIGKILL)
      }
      tell(name, .killed)
    }
  }

  /// For how long a killed program is away: up to two seconds, of the moment of its kill.
  private func pause(_ time: Int64) -> UInt64 {
    UInt64(time.magnitude &* 0x9E37_79B9_7F4A_7C15 >> 33) % 2_000_000_000
  }

  private func tell(_ name: String, _ state: StackWarehouse.ProgramState) {
    warehouse.program(name, is: state, at: Int64(Self.now() - begun))
  }

  private func endAll() {
    _ = air.end()
    receiver.stop()
    hub?.kill()
    broker.kill()
  }

  // MARK: The account

  /// Compares what stands on the hub's disk with what arrived, and with what the tags told.
  private func delivery(_ told: [String: [[UInt8]: Int]]) throws -> StackWarehouse.Delivery {
    let queue = try RecordQueue(
      path: folder + "/hub.sqlite", hub: warehouse.hub, receivers: [MQTTCourier.receiver])
    defer { try? queue.close() }
    let arrived = receiver.records
    var delivery = StackWarehouse.Delivery()
    (delivery.repeats, delivery.isExact) = (receiver.repeats, true)
    var told = told
    for kind in ["reading", "alarm", "event", "dropped"] {
      let records = try queue.history(kind: kind, from: .min, to: .max, limit: .max)
      for record in records {
        let json = record.json(hub: warehouse.hub, epoch: queue.epoch)
        let hasArrived = arrived[UInt64(record.sequence)] == json
        delivery.records += 1
        delivery.delivered += hasArrived ? 1 : 0
        if !hasArrived { delivery.isExact = false }
        guard kind == "reading" else { continue }
        delivery.written += 1
        if !Self.isTold(record.record, &told) { delivery.isExact = false }
      }
    }
    // What is shorter is a battery's or a key's.
    for values in told.values {
      delivery.unwritten += values.reduce(0) { $0 + ($1.key.count < 4 ? 0 : $1.value) }
    }
    if delivery.records != arrived.count { delivery.isExact = false }
    return delivery
  }

  /// Whether a tag has told the bytes of a reading; each telling stands for one reading.
  private static func isTold(_ record: NewRecord, _ told: inout [String: [[UInt8]: Int]]) -> Bool {
    struct Body: Decodable {
      let raw: String?
    }
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(record.body.utf8)) else {
      return false
    }
    let digits = Array((body.raw ?? "").utf8)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    guard let count = told[record.key]?[bytes], count > 0 else { return false }
    told[record.key]?[bytes] = count - 1
    return true
  }
}
