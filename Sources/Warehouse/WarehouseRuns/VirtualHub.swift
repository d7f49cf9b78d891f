import Warehouse

/// A record on the hub's disk, as delivered to a broker and a receiver.
struct WrittenRecord: Hashable, Sendable {
  let hub: String
  let sequence: UInt64
  let record: HubRecord
}

/// A hub in virtual time; when the hub is killed, the state in its memory is lost, but its disk
/// survives.
struct VirtualHub {
  /// The contents of the disk, which change only by transactions.
  struct Disk {
    var log: [AlarmEntry] = []
    /// The time of each tag's last reading, by address.
    var lastReceived: [String: Int64] = [:]
    /// The records that have not been confirmed, in order.
    var queue: [WrittenRecord] = []
    /// The sequence number up to which all records are confirmed.
    var confirmed: UInt64 = 0
    /// The last assigned sequence number.
    var sequence: UInt64 = 0
    /// The digest of every record ever written, for comparison with the delivered ones.
    var digests: [Int] = []
  }

  var disk = Disk()
  /// The number of times that the hub has been started.
  ///
  /// Messages from before the last start are ignored.
  private(set) var life = 0
  private(set) var isUp = false
  /// The last sequence number sent over the current connection.
  var sent: UInt64 = 0
  private(set) var core: WarehouseCore
  /// The readings that were received but not yet written.
  private var buffer: [TagReading] = []

  init(_ policy: WarehousePolicy, at time: Int64) { core = WarehouseCore(policy, at: time) }

  /// Starts the hub from the state on its disk.
  mutating func start(at time: Int64) {
    life += 1
    isUp = true
    sent = disk.confirmed
    core = WarehouseCore(
      core.policy, alarmState: AlarmState(replaying: disk.log), lastReceived: disk.lastReceived,
      at: time)
  }

  /// Kills the hub, of which only the disk survives.
  mutating func kill() {
    isUp = false
    buffer.removeAll()
  }

  mutating func hear(_ reading: TagReading) {
    if isUp { buffer.append(reading) }
  }

  /// Evaluates the received readings, and writes them and the resulting log entries in one
  /// transaction.
  ///
  /// - Returns: The written readings and entries.
  mutating func write(at time: Int64) -> (readings: [TagReading], entries: [AlarmEntry]) {
    guard isUp else { return ([], []) }
    core.take(buffer)
    buffer.removeAll(keepingCapacity: true)
    core.advance(to: time)
    return takeRecords()
  }

  /// Executes a command, and writes and returns the resulting log entries.
  mutating func take(_ command: HubCommand, at time: Int64) throws(HubCommand.Rejection)
    -> [AlarmEntry]
  {
    try core.execute(command, at: time)
    return takeRecords().entries
  }

  private mutating func takeRecords() -> (readings: [TagReading], entries: [AlarmEntry]) {
    var (readings, entries): ([TagReading], [AlarmEntry]) = ([], [])
    for record in core.takeRecords() {
      disk.sequence += 1
      let written = WrittenRecord(hub: core.policy.hub, sequence: disk.sequence, record: record)
      disk.digests.append(written.hashValue)
      disk.queue.append(written)
      switch record {
      case .reading(let reading, _, _):
        disk.lastReceived[reading.tag] = reading.time
        readings.append(reading)
      case .alarm(let entry):
        disk.log.append(entry)
        entries.append(entry)
      }
    }
    return (readings, entries)
  }

  /// Returns the next records to send, at most `most` of them.
  mutating func send(most: Int) -> ArraySlice<WrittenRecord> {
    let batch = disk.queue[index(after: sent)...].prefix(most)
    sent = batch.last?.sequence ?? sent
    return batch
  }

  /// Confirms and removes all records up to a sequence number.
  mutating func confirm(through sequence: UInt64) {
    guard sequence > disk.confirmed else { return }
    disk.confirmed = sequence
    disk.queue.removeSubrange(..<index(after: sequence))
    sent = max(sent, sequence)
  }

  /// Returns the queue index of the record after a sequence number; the sequence numbers in the
  /// queue are contiguous.
  private func index(after sequence: UInt64) -> Int {
    guard let first = disk.queue.first?.sequence, sequence >= first else { return 0 }
    return Int(min(sequence - first + 1, UInt64(disk.queue.count)))
  }
}

/// A broker in virtual time, and the receiver that subscribes to it.
///
/// A killed broker loses messages that it has acknowledged but not yet passed on, at any quality of
/// service, as a test with mosquitto 2.0.11 showed. The receiver is a program on another machine,
/// so it keeps its records.
struct VirtualBroker {
  /// The number of times that the broker has been started.
  private(set) var life = 1
  private(set) var isUp = true
  /// The records that the broker has acknowledged but not yet passed on.
  private(set) var held: [WrittenRecord] = []
  private(set) var receiver = DeliveryReceiver()
  /// The digests of the received records, by sequence number.
  private(set) var received: [UInt64: Int] = [:]
  /// The number of acknowledged records that the broker lost.
  private(set) var lost = 0

  mutating func kill() {
    isUp = false
    lost += held.count
    held.removeAll()
  }

  /// Makes the broker unreachable; until it is reachable again, it keeps its messages.
  mutating func goAway() { isUp = false }

  mutating func start() {
    life += 1
    isUp = true
  }

  mutating func take(_ records: some Sequence<WrittenRecord>) {
    if isUp { held += records }
  }

  /// Passes the broker's messages on to the receiver, which drops duplicates.
  mutating func passOn() {
    guard isUp else { return }
    for record in held where receiver.take(hub: record.hub, sequence: record.sequence) {
      received[record.sequence] = record.hashValue
    }
    held.removeAll()
  }
}
