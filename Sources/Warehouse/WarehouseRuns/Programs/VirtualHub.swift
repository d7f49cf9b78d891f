import Warehouse

/// A record as it was written: what a broker and a receiver are given.
struct WrittenRecord: Hashable, Sendable {
  let hub: String
  let sequence: UInt64
  let record: HubRecord
}

/// A hub in virtual time: the core in its memory, and what stands on its disk when it is killed.
struct VirtualHub {
  /// What a transaction has written: it survives.
  struct Disk {
    var log: [AlarmEntry] = []
    /// When each tag was heard last.
    var heard: [String: Int64] = [:]
    /// Records that nobody has confirmed, in order.
    var queue: [WrittenRecord] = []
    /// Up to which sequence records are confirmed.
    var confirmed: UInt64 = 0
    /// The last sequence that was used.
    var sequence: UInt64 = 0
    /// A digest of each record that was ever written, to compare with what arrived.
    var digests: [Int] = []
  }

  var disk = Disk()
  /// How often it was started; what belongs to an earlier life does not reach it.
  private(set) var life = 0
  private(set) var isUp = false
  /// Up to which sequence it has sent in this connection.
  var sent: UInt64 = 0
  private(set) var core: WarehouseCore
  /// What it has heard and not yet written.
  private var buffer: [TagReading] = []

  init(_ policy: WarehousePolicy, at time: Int64) { core = WarehouseCore(policy, at: time) }

  /// Starts from what stands on the disk.
  mutating func start(at time: Int64) {
    life += 1
    isUp = true
    sent = disk.confirmed
    core = WarehouseCore(
      core.policy, book: AlarmBook(replaying: disk.log), heard: disk.heard, at: time)
  }

  /// It is killed: what is not on the disk is gone.
  mutating func kill() {
    isUp = false
    buffer.removeAll()
  }

  mutating func hear(_ reading: TagReading) {
    if isUp { buffer.append(reading) }
  }

  /// Judges what it has heard, and writes readings and entries in one transaction.
  ///
  /// - Returns: what was written.
  mutating func write(at time: Int64) -> (readings: [TagReading], entries: [AlarmEntry]) {
    guard isUp else { return ([], []) }
    core.take(buffer)
    buffer.removeAll(keepingCapacity: true)
    core.advance(to: time)
    return takeRecords()
  }

  /// Does what a person wants, and writes what came of it.
  mutating func take(_ command: HubCommand, at time: Int64) throws(HubCommand.Refusal)
    -> [AlarmEntry]
  {
    try core.obey(command, at: time)
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
        disk.heard[reading.tag] = reading.time
        readings.append(reading)
      case .alarm(let entry):
        disk.log.append(entry)
        entries.append(entry)
      }
    }
    return (readings, entries)
  }

  /// The next records to send, as many as that at most.
  mutating func send(most: Int) -> ArraySlice<WrittenRecord> {
    let batch = disk.queue[place(behind: sent)...].prefix(most)
    sent = batch.last?.sequence ?? sent
    return batch
  }

  /// All up to a sequence has arrived: it need not be kept.
  mutating func confirm(through sequence: UInt64) {
    guard sequence > disk.confirmed else { return }
    disk.confirmed = sequence
    disk.queue.removeSubrange(..<place(behind: sequence))
    sent = max(sent, sequence)
  }

  /// Where the record behind a sequence stands in the queue, whose sequences have no gaps.
  private func place(behind sequence: UInt64) -> Int {
    guard let first = disk.queue.first?.sequence, sequence >= first else { return 0 }
    return Int(min(sequence - first + 1, UInt64(disk.queue.count)))
  }
}
