import Delivery
import Foundation
import Glibc
import HubQueue
import ServiceMachine
import Synchronization
package import WarehouseRuns

/// A warehouse run in real time, with virtual tags over a Bluetooth stack, a hub process with its
/// own bridge, mosquitto, and a receiver.
///
/// The run waits for events rather than for fixed times. It is confined to the thread that creates
/// it.
package final class StackRun {
  private let warehouse: StackWarehouse
  private let folder: String
  private let air: VirtualTags
  private let broker: BrokerProgram
  private let receiver: MQTTReceiver
  private var hub: ChildProgram?
  private let program: String
  /// The killed programs and the times at which they restart, on the machine's monotonic clock in
  /// nanoseconds.
  private var starting: [(program: String, time: UInt64)] = []
  private var begun: UInt64 = 0

  /// Starts the tags, the broker and the hub.
  ///
  /// - Parameters:
  ///   - warehouse: The warehouse to run.
  ///   - program: The path of the hub program.
  ///   - folder: An empty folder for the programs' files.
  /// - Throws: `StackRunError`, or the error of the broker.
  package init(_ warehouse: StackWarehouse, program: String, folder: String) throws {
    (self.warehouse, self.program, self.folder) = (warehouse, program, folder)
    broker = try BrokerProgram(in: folder)
    air = try VirtualTags(warehouse.plan.tags, at: ["unix-server:\(folder)/air"])
    receiver = try MQTTReceiver(
      MQTTSettings(host: "127.0.0.1", port: broker.port), hub: warehouse.hub)
    let file = warehouse.hubFile(transport: "unix:\(folder)/air", broker: broker.port)
    try Data(file.utf8).write(to: URL(fileURLWithPath: folder + "/hub.yaml"))
    hub = try startHub()
  }

  private func startHub() throws(StackRunError) -> ChildProgram {
    try Self.launch([program, "serve", folder + "/hub.yaml"], log: folder + "/hub.log")
  }

  /// Starts a program of the run, whose output is appended to a file.
  static func launch(_ arguments: [String], log: String) throws(StackRunError) -> ChildProgram {
    do throws(ChildProgram.StartError) {
      return try ChildProgram(arguments, output: .file(log), isGuarded: true)
    } catch {
      throw StackRunError("\(error)")
    }
  }

  /// Runs the warehouse to the end.
  ///
  /// - Returns: `true` if all expectations were met.
  /// - Throws: An error if the run cannot continue.
  package func run() throws -> Bool {
    defer { endAll() }
    try waitForTags()
    begun = Self.now()
    air.begin()
    warehouse.begin(at: Self.wallClock())
    for (time, what) in warehouse.plan.schedule {
      try goOn(until: UInt64(max(time, 0)))
      try act(what, at: time)
    }
    try goOn(until: UInt64(warehouse.plan.duration))
    while !starting.isEmpty { try step() }
    let notified = air.end()
    try waitForQueue()
    return warehouse.finish(try delivery(notified))
  }

  // MARK: Waiting

  /// The machine's monotonic clock in nanoseconds.
  private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// The time in nanoseconds since 1970, accurate to less than a microsecond.
  private static func wallClock() -> Int64 { Int64(Date().timeIntervalSince1970 * 1e9) }

  /// Waits until the receiver has at least one reading of each tag.
  private func waitForTags() throws {
    let count = warehouse.plan.tags.count
    let latest = Self.now() + UInt64(120 + count) * 1_000_000_000
    while !warehouse.isComplete {
      guard Self.now() < latest else {
        let names = warehouse.unheard.prefix(5).joined(separator: ", ")
        throw StackRunError(
          "no reading of \(warehouse.unheard.count) of \("tag".counted(count)) within \(120 + count) s (\(names)); "
            + hubsWords)
      }
      try step()
    }
  }

  /// Waits until all stored records have been confirmed.
  private func waitForQueue() throws {
    let queue = try RecordQueue(
      path: folder + "/hub.sqlite", hub: warehouse.hub, receivers: [MQTTPublisher.receiver])
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

  /// Processes received records, and restarts the programs whose downtime has ended.
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
      throw StackRunError("mosquitto has ended; see \(folder)/mosquitto.log")
    }
    for start in starting where start.time <= Self.now() {
      starting.removeAll { $0.program == start.program }
      if start.program == "hub" { hub = try startHub() } else { try broker.start() }
      report(start.program, .there)
    }
    usleep(10_000)
  }

  private func take() {
    for record in receiver.takeRecords() { warehouse.take(record: record) }
  }

  /// The last line in the hub's log.
  private var hubsWords: String {
    let text = (try? String(contentsOfFile: folder + "/hub.log", encoding: .utf8)) ?? ""
    return "its last log line: \(text.split(separator: "\n").last ?? "none")"
  }

  // MARK: Actions

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
      report("broker", .away)
    case .kill(let name):
      // A program that is not running cannot be killed, so the run first waits for its restart.
      while starting.contains(where: { $0.program == name }) { try step() }
      switch name {
      case "hub":
        hub?.kill()
        starting.append((name, Self.now() + pause(time)))
      case "broker":
        broker.kill()
        starting.append((name, Self.now() + pause(time)))
      default:
        // The hub itself restarts its bridge.
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
      report(name, .killed)
    }
  }

  /// Returns the downtime of a killed program: up to two seconds, derived from the time of the
  /// kill.
  private func pause(_ time: Int64) -> UInt64 {
    UInt64(time.magnitude &* 0x9E37_79B9_7F4A_7C15 >> 33) % 2_000_000_000
  }

  private func report(_ name: String, _ state: StackWarehouse.ProgramState) {
    warehouse.program(name, is: state, at: Int64(Self.now() - begun))
  }

  private func endAll() {
    _ = air.end()
    receiver.stop()
    hub?.kill()
    broker.kill()
  }

  // MARK: Delivery results

  /// Compares the records on the hub's disk with the delivered records and with the tags'
  /// notifications.
  private func delivery(_ notified: [String: [[UInt8]: Int]]) throws -> StackWarehouse.Delivery {
    let queue = try RecordQueue(
      path: folder + "/hub.sqlite", hub: warehouse.hub, receivers: [MQTTPublisher.receiver])
    defer { try? queue.close() }
    let arrived = receiver.records
    var delivery = StackWarehouse.Delivery()
    (delivery.repeats, delivery.isExact) = (receiver.repeats, true)
    var notified = notified
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
        if !Self.wasNotified(record.record, &notified) { delivery.isExact = false }
      }
    }
    // Shorter values are notifications of the battery or the keys.
    for values in notified.values {
      delivery.unwritten += values.reduce(0) { $0 + ($1.key.count < 4 ? 0 : $1.value) }
    }
    if delivery.records != arrived.count { delivery.isExact = false }
    return delivery
  }

  /// Returns `true` if a tag notified the bytes of a reading; each notification accounts for only
  /// one reading.
  private static func wasNotified(_ record: NewRecord, _ notified: inout [String: [[UInt8]: Int]])
    -> Bool
  {
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
    guard let count = notified[record.key]?[bytes], count > 0 else { return false }
    notified[record.key]?[bytes] = count - 1
    return true
  }
}

/// The folder that contains the files of a run's programs.
///
/// The folder is removed at the end of the run, or by a later run if this one was killed.
package final class RunFolder {
  private static let name = "aneroid-warehouse-"
  /// The file that is locked for the duration of the run.
  private static let mark = "running"

  package let path: String
  private let lock: Int32

  /// Creates a folder, and removes the folders of runs that ended without removing them.
  ///
  /// - Parameter parent: The folder for temporary files.
  /// - Throws: An error if the folder cannot be created.
  package init(in parent: String) throws(StackRunError) {
    // The path of a socket can have at most 107 bytes.
    let directory = parent.utf8.count > 80 ? "/tmp" : parent
    Self.sweep(directory)
    var pattern = Array("\(directory)/\(Self.name)XXXXXX".utf8CString)
    guard mkdtemp(&pattern) != nil else {
      throw StackRunError(
        "cannot make a folder for the run in \(directory): \(String(cString: strerror(errno)))",
        status: 74)
    }
    path = String(decoding: pattern.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The file is locked before it gets its final name, so no other run can find it unlocked during
    // the run.
    lock = open("\(path)/new", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0,
      rename("\(path)/new", "\(path)/\(Self.mark)") == 0
    else {
      let why = String(cString: strerror(errno))
      Self.remove(path)
      throw StackRunError("cannot write in \(path): \(why)", status: 74)
    }
  }

  deinit { close(lock) }

  /// Removes the folder.
  package func remove() { Self.remove(path) }

  /// Keeps the folder for inspection, so no later run removes it.
  package func keep() { unlink("\(path)/\(Self.mark)") }

  /// Removes the folders of this user's runs that ended without removing their folders.
  private static func sweep(_ directory: String) {
    for entry in names(in: directory) where entry.hasPrefix(name) {
      let folder = "\(directory)/\(entry)"
      // Symbolic links are not followed.
      let found = try? FileManager.default.attributesOfItem(atPath: folder)
      guard found?[.type] as? FileAttributeType == .typeDirectory,
        (found?[.ownerAccountID] as? NSNumber)?.uint32Value == getuid()
      else { continue }
      let mark = open("\(folder)/\(mark)", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard mark >= 0 else { continue }
      if flock(mark, LOCK_EX | LOCK_NB) == 0 { remove(folder) }
      close(mark)
    }
  }

  /// Removes a folder and its files; runs create no subfolders.
  private static func remove(_ folder: String) {
    for entry in names(in: folder) { unlink("\(folder)/\(entry)") }
    rmdir(folder)
  }

  private static func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }
}

/// The signal that asks a run to end.
package enum EndSign {
  private static let caught = Atomic<Int32>(0)

  /// Starts handling SIGINT, SIGTERM and SIGHUP.
  package static func listen() {
    // The value is initialized before a signal handler can use it.
    caught.store(0, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { EndSign.caught.store($0, ordering: .relaxed) }
    }
  }

  /// The number of the received signal; `nil` if none was received.
  package static var number: Int32? {
    let number = caught.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }
}

/// The reason why a run over a Bluetooth stack is not possible, given as a sentence.
package struct StackRunError: Error, CustomStringConvertible {
  package let description: String
  /// The exit status that reports the error.
  package let status: Int32

  init(_ description: String, status: Int32 = 69) {
    (self.description, self.status) = (description, status)
  }
}

/// A mosquitto process on this machine, which serves as the MQTT broker of a warehouse run.
///
/// The broker stores nothing on disk, which is mosquitto's default.
final class BrokerProgram {
  /// The port on which the broker listens.
  private(set) var port = 0
  private var program: ChildProgram?
  private let path: String
  private let folder: String
  private var file: String { folder + "/mosquitto.conf" }

  /// Finds and starts mosquitto.
  ///
  /// - Parameter folder: The folder for mosquitto's configuration and log.
  /// - Throws: An error if mosquitto is not available.
  init(in folder: String) throws(StackRunError) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map(String.init)
    let paths = (folders + ["/usr/sbin", "/usr/local/sbin"]).map { $0 + "/mosquitto" }
    guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
      throw StackRunError(
        "mosquitto, the broker of this run, is not installed; try: apt-get install mosquitto")
    }
    (self.path, self.folder) = (path, folder)
    // Another process may take the free port before mosquitto uses it.
    for attempt in 1...5 {
      port = Self.freePort()
      do throws(StackRunError) {
        try start()
        return
      } catch {
        if attempt == 5 { throw error }
      }
    }
  }

  /// Starts mosquitto and waits until it listens.
  func start() throws(StackRunError) {
    let user = getuid() == 0 ? ["user root"] : []
    let lines =
      ["listener \(port) 127.0.0.1", "allow_anonymous true", "max_queued_messages 0"] + user + [""]
    guard
      (try? Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))) != nil
    else { throw StackRunError("cannot write \(file): \(String(cString: strerror(errno)))") }
    let program = try StackRun.launch([path, "-c", file], log: folder + "/mosquitto.log")
    self.program = program
    let latest = DispatchTime.now() + .seconds(30)
    while DispatchTime.now() < latest, program.isAlive {
      if Self.listens(port) { return }
      usleep(10_000)
    }
    throw StackRunError(
      "mosquitto does not listen on 127.0.0.1:\(port); see \(folder)/mosquitto.log")
  }

  /// `true` while the process is running.
  var isAlive: Bool { program?.isAlive ?? false }

  /// Kills the process with SIGKILL.
  func kill() { program?.kill() }

  private static func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }

  /// Calls a socket function with a new socket and a loopback address.
  private static func atPort(
    _ port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int
  ) -> Int {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(handle) }
    var address = address(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func listens(_ port: Int) -> Bool {
    atPort(port) { Int(connect($0, $1, $2)) } == 0
  }

  /// Returns a free loopback port.
  private static func freePort() -> Int {
    atPort(0) { handle, address, length in
      guard bind(handle, address, length) == 0 else { return 1883 }
      var found = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      _ = withUnsafeMutablePointer(to: &found) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(handle, $0, &length) }
      }
      return Int(in_port_t(bigEndian: found.sin_port))
    }
  }
}
