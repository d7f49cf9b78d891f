import Warehouse

/// A broker in virtual time, and the receiver behind it.
///
/// A broker that is killed forgets what it has acknowledged and not yet passed on, whatever the quality of service: so says a
/// trial with mosquitto 2.0.11. The receiver is another program on another machine, and keeps what it has.
struct VirtualBroker {
  /// How often it was started.
  private(set) var life = 1
  private(set) var isUp = true
  /// What it has acknowledged and not passed on.
  private(set) var held: [WrittenRecord] = []
  private(set) var receiver = DeliveryReceiver()
  /// The digest of each record that the receiver took, by its sequence.
  private(set) var received: [UInt64: Int] = [:]
  /// How many acknowledged records were lost with it.
  private(set) var lost = 0

  mutating func kill() {
    isUp = false
    lost += held.count
    held.removeAll()
  }

  /// It cannot be reached, and keeps what it has.
  mutating func goAway() { isUp = false }

  mutating func start() {
    life += 1
    isUp = true
  }

  mutating func take(_ records: some Sequence<WrittenRecord>) {
    if isUp { held += records }
  }

  /// Passes on what it holds; the receiver drops what it has already.
  mutating func passOn() {
    guard isUp else { return }
    for record in held where receiver.take(hub: record.hub, sequence: record.sequence) {
      received[record.sequence] = record.hashValue
    }
    held.removeAll()
  }
}
