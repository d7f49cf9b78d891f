import Warehouse

/// A hub in virtual time: what it holds in its memory, and what stands on its disk when it is killed.
struct VirtualHub {
  /// What a transaction has written: it survives.
  struct Disk {
    var log: [AlarmEntry] = []
    /// Readings that nobody has confirmed, in order.
    var queue: [TagReading] = []
    /// Up to which sequence readings are confirmed.
    var confirmed: UInt64 = 0
    /// The last sequence that was used.
    var sequence: UInt64 = 0
    /// A digest of each reading that was ever written, to compare with what arrived.
    var digests: [Int] = []
  }

  var disk = Disk()
  /// How often it was started; what belongs to an earlier life does not reach it.
  private(set) var life = 0
  private(set) var isUp = false
  /// Up to which sequence it has sent in this connection.
  var sent: UInt64 = 0
  private(set) var keeper: AlarmKeeper
  private var rates: RateCheck
  /// What it has heard and not yet written.
  private var buffer: [TagReading] = []

  init(_ policy: WarehousePolicy, at time: Int64) {
    keeper = AlarmKeeper(policy, at: time)
    rates = RateCheck(fastest: policy.fastest)
  }

  /// Starts from what stands on the disk.
  mutating func start(at time: Int64) {
    life += 1
    isUp = true
    sent = disk.confirmed
    keeper = AlarmKeeper(keeper.policy, book: AlarmBook(replaying: disk.log), at: time)
    rates = RateCheck(fastest: keeper.policy.fastest)
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
    var readings: [TagReading] = []
    readings.reserveCapacity(buffer.count)
    for var reading in buffer {
      disk.sequence += 1
      reading.hub = keeper.policy.hub
      reading.sequence = disk.sequence
      rates.check(&reading)
      keeper.take(reading)
      disk.digests.append(reading.hashValue)
      readings.append(reading)
    }
    buffer.removeAll(keepingCapacity: true)
    keeper.advance(to: time)
    disk.queue += readings
    return (readings, takeEntries())
  }

  /// Does what a person wants, and writes what came of it.
  mutating func take(_ command: HubCommand, at time: Int64) throws(HubCommand.Refusal)
    -> [AlarmEntry]
  {
    try keeper.take(command, at: time)
    return takeEntries()
  }

  private mutating func takeEntries() -> [AlarmEntry] {
    let entries = keeper.takeEntries()
    disk.log += entries
    return entries
  }

  /// The next readings to send, as many as that at most.
  mutating func send(most: Int) -> ArraySlice<TagReading> {
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

  /// Where the reading behind a sequence stands in the queue, whose sequences have no gaps.
  private func place(behind sequence: UInt64) -> Int {
    guard let first = disk.queue.first?.sequence, sequence >= first else { return 0 }
    return Int(min(sequence - first + 1, UInt64(disk.queue.count)))
  }
}
