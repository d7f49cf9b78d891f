public import BluetoothLE
public import Warehouse

/// Listens to tags through one radio: looks for them, connects to as many as it holds, asks each what it is, switches its
/// sensors on, and decodes what they tell with the formula of their part.
///
/// Where there are more tags than connections they take turns (`ConnectionRota`), and ``round`` states how long a round takes.
/// What fails is tried again with growing waits (`BackOff`), for ever. It is driven by the radio's events and time alone, so that
/// it runs the same over the air in virtual time and over a Bluetooth stack; it is confined to one thread, as its radio is.
public final class TagListener {
  /// What it has counted.
  public struct Counts: Hashable, Sendable {
    /// Connections that were made.
    public var connections = 0
    /// Connections that failed or were lost, and tags that were looked for in vain.
    public var failures = 0
    /// Readings that were given on.
    public var readings = 0
  }

  let radio: any BLERadio
  let plan: ListeningPlan
  let epoch: Int64
  let tell: (ListeningNews) -> Void
  private let output: (TagReading) -> Void
  /// What it has counted.
  public internal(set) var counts = Counts()
  /// Why the radio is gone, once it is: nothing more happens then.
  public internal(set) var isGone: String?
  /// The turns of the tags.
  public internal(set) var rota: ConnectionRota

  var tags: [HeardTag]
  let places: [UInt64: Int]
  var byConnection: [BLEConnection: Int] = [:]
  var commands: [Int: (place: Int, step: HeardTag.Step)] = [:]
  var agenda = Agenda<Int>()
  /// The tags that are looked for, and those that are connected next.
  var seeking: Set<Int> = []
  var ready: [Int] = []
  var firstReady = 0
  /// The tag that is being connected.
  var connecting: Int?
  /// The end of the present look for tags; `nil` while there is none.
  var scanEnds: UInt64?
  var turn = 0
  var turnEnds = UInt64.max
  private var chance: UInt64
  private var hasStarted = false
  /// When the air wakes it, where it runs in one.
  private var planned: UInt64?

  /// Creates a listener that has done nothing yet.
  ///
  /// - Parameters:
  ///   - tags: whom it listens to; an address that is none is never heard.
  ///   - radio: the dongle.
  ///   - plan: how it listens.
  ///   - epoch: nanoseconds since 1970 at the radio's time 0.
  ///   - seed: what the waits before another try come of.
  ///   - tell: is told what people may want to know.
  ///   - take: is given each reading, not yet numbered.
  public init(
    _ tags: [ListenedTag], on radio: any BLERadio, plan: ListeningPlan = ListeningPlan(),
    epoch: Int64, seed: UInt64, tell: @escaping (ListeningNews) -> Void = { _ in },
    take: @escaping (TagReading) -> Void
  ) {
    (self.radio, self.plan, self.epoch, self.tell, output) = (radio, plan, epoch, tell, take)
    chance = seed
    self.tags = tags.map { HeardTag($0, plan) }
    var places: [UInt64: Int] = [:]
    for (place, tag) in tags.enumerated() {
      if let address = BLEAddress(tag.address) { places[address.value] = place }
    }
    self.places = places
    rota = ConnectionRota(
      tags: tags.count, connections: plan.connections, stay: plan.stay,
      connecting: plan.connecting)
  }

  /// The time from one turn of a tag to its next in nanoseconds; 0 where all are connected at once.
  public var round: Int64 { rota.round }

  /// How it stands with each tag, in their order.
  public var contacts: [TagContact] { tags.map(\.contact) }

  // MARK: Time and events

  /// Begins; more calls do nothing.
  public func start() {
    guard !hasStarted else { return }
    hasStarted = true
    if rota.rotates {
      tell(.round(tags: rota.tags, connections: rota.connections, time: rota.round))
    }
    beginTurn(at: radio.nanoseconds)
    decide()
  }

  /// When it does something next by itself, in nanoseconds of its radio; `nil` where it waits for events.
  public var nextChange: UInt64? {
    guard isGone == nil else { return nil }
    var next = min(turnEnds, scanEnds ?? .max)
    if let wake = agenda.nextTime { next = min(next, UInt64(max(wake, 0))) }
    return next == .max ? nil : next
  }

  /// Does what is due by a time of the radio.
  public func advance(to time: UInt64) {
    guard isGone == nil else { return }
    start()
    while let next = agenda.nextTime, UInt64(max(next, 0)) <= time, let (_, place) = agenda.next() {
      guard tags[place].wake == UInt64(max(next, 0)) else { continue }
      tags[place].wake = .max
      lookAfter(place)
    }
    if let end = scanEnds, end <= time { endScan() }
    if turnEnds <= time { nextTurn(at: time) }
    decide()
  }

  /// Takes an event of the radio.
  public func take(_ event: BLEEvent) {
    guard isGone == nil else { return }
    start()
    switch event.kind {
    case .advertisement(let heard): hear(heard, at: event.time)
    case .notified(let bytes, let connection, let handle, _):
      notified(bytes, connection, handle, at: event.time)
    case .disconnected(let connection, let reason): disconnected(connection, reason)
    case .done(let command, let result): done(command, result)
    case .failed(let command, let error): failed(command, error)
    case .gone(let reason):
      isGone = reason
      tell(.gone(reason))
    default: return
    }
    decide()
  }

  /// Goes on until a time of the radio, whose events it takes.
  public func run(until end: UInt64) {
    advance(to: radio.nanoseconds)
    while isGone == nil, radio.nanoseconds < end {
      if let event = radio.next(by: min(end, nextChange ?? end)) { take(event) }
      advance(to: radio.nanoseconds)
    }
  }

  /// Lets it act by itself in the air of its radio, whose events it takes; keep it, and ``leave()`` ends it.
  public func run(in air: BLEAir) {
    radio.handler = { [weak self, unowned air] event in
      self?.take(event)
      self?.wake(in: air)
    }
    advance(to: radio.nanoseconds)
    wake(in: air)
  }

  private func wake(in air: BLEAir) {
    guard let next = nextChange, planned.map({ $0 > next }) ?? true else { return }
    planned = next
    air.schedule(at: next) { [weak self, unowned air] in
      guard let self, planned == next else { return }
      planned = nil
      advance(to: air.nanoseconds)
      wake(in: air)
    }
  }

  /// Takes and does nothing more; its connections are the radio's to end.
  public func leave() {
    if isGone == nil { isGone = "the listener has left" }
    radio.handler = nil
  }

  /// Gives a reading on.
  func give(_ reading: TagReading, of place: Int) {
    var reading = reading
    let contact = tags[place].contact
    (reading.battery, reading.rssi) = (contact.battery, contact.rssi)
    reading.firmware = contact.firmware
    counts.readings += 1
    output(reading)
  }

  /// A number from 0 up to 1 (SplitMix64: Steele, Lea, Flood 2014).
  func draw() -> Double {
    chance &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (chance ^ (chance >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
  }
}
