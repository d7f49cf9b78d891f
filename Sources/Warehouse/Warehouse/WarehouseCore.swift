public import Quantities
import Support

/// The logic of a hub without I/O, which turns readings, commands and the passage of time into
/// state and records.
///
/// Both the hub program and the simulated runs in virtual time use this core. The core reads
/// neither a clock nor a disk. The caller must store the result of `takeRecords()` on disk before
/// it acts on it in any other way. After a restart, the caller replays the stored log and passes
/// the resulting alarm state to a new core.
public struct WarehouseCore: Sendable {
  /// The counters since the start of the core.
  public struct Counts: Hashable, Sendable {
    /// The number of readings from expected tags.
    public var readings = 0
    /// The number of readings from expected tags that were flagged as invalid.
    public var flagged = 0
    /// The number of readings from unexpected tags.
    public var unexpected = 0
    /// The numbers of executed and rejected commands.
    public var executed = 0, rejected = 0
  }

  /// The state of each tag, in the order of the policy.
  public private(set) var tags: [TagState]
  /// The counters since the start of the core.
  public private(set) var counts = Counts()
  /// The addresses of unexpected tags that were received, at most `mostStrangers`.
  public private(set) var strangers: Set<String> = []
  /// The maximum number of `strangers`.
  public static let mostStrangers = 32
  private var engine: AlarmEngine
  private var rates: RateCheck
  private var records: [HubRecord] = []

  /// Creates the core of a hub.
  ///
  /// - Parameters:
  ///   - policy: The policy. It must have no `WarehousePolicy/errors`.
  ///   - alarmState: The alarm state replayed from the log.
  ///   - lastReceived: The time of each tag's last reading, by address, in nanoseconds since 1970.
  ///   - lastValues: The last values of each tag, by address, which are only shown.
  ///   - time: The current time in nanoseconds since 1970.
  public init(
    _ policy: WarehousePolicy, alarmState: AlarmState = AlarmState(),
    lastReceived: [String: Int64] = [:], lastValues: [String: AirReading] = [:],
    at time: Int64
  ) {
    engine = AlarmEngine(policy, alarmState: alarmState, lastReceived: lastReceived, at: time)
    rates = RateCheck(fastest: policy.fastest)
    tags = policy.tags.map { tag in
      var state = TagState(tag, lastReceived: lastReceived[tag.address])
      state.values = lastValues[tag.address] ?? AirReading()
      return state
    }
  }

  /// The policy that readings are evaluated against.
  public var policy: WarehousePolicy { engine.policy }
  /// The time of the last evaluation, in nanoseconds since 1970.
  public var now: Int64 { engine.now }
  /// The current alarm state.
  public var alarmState: AlarmState { engine.alarmState }
  /// The addresses of the tags whose no-data alarms were closed by a person, and that have not sent
  /// a reading since.
  public var closedAsLost: Set<String> { engine.closedAsLost }

  /// Processes readings in order: flags values that changed implausibly fast, and evaluates the
  /// rest.
  ///
  /// - Parameters:
  ///   - readings: The readings, each with the time at which the hub received it.
  ///   - stamps: The time to record for each reading, if a gateway supplied one. It affects only
  ///     the check of the rate of change, not alarms.
  public mutating func take(_ readings: some Sequence<TagReading>, stamps: [Int64?] = []) {
    for (index, var reading) in readings.enumerated() {
      guard let tagIndex = engine.tagIndices[reading.tag] else {
        counts.unexpected += 1
        if strangers.count < Self.mostStrangers { strangers.insert(reading.tag) }
        continue
      }
      reading.hub = policy.hub
      let (received, stamp) = (reading.time, stamps.indices.contains(index) ? stamps[index] : nil)
      // A gateway may deliver buffered readings at once, so their own time stamps are used for the
      // rate of change.
      reading.time = stamp ?? received
      rates.check(&reading)
      reading.time = received
      tags[tagIndex].take(reading)
      if reading.kind.isEmpty { reading.kind = tags[tagIndex].kind }
      reading.battery = tags[tagIndex].battery
      reading.rssi = tags[tagIndex].rssi
      reading.firmware = tags[tagIndex].firmware
      counts.readings += 1
      if !reading.isGood { counts.flagged += 1 }
      let tag = tags[tagIndex].tag
      var recorded = reading
      recorded.time = stamp ?? received
      records.append(.reading(recorded, name: tag.name, zone: tag.zone))
      engine.take(reading)
      noteEntries()
    }
  }

  /// Detects conditions that arise as time passes: silent tags, due escalations, expired
  /// acknowledgements and expired silences.
  public mutating func advance(to time: Int64) {
    engine.advance(to: time)
    noteEntries()
  }

  /// Adjusts the core after the wall clock was set forward or back by `step` nanoseconds: shifts
  /// the times of everything that is still in progress, and creates a record of the step.
  public mutating func step(by step: Int64) {
    let before = engine.now
    engine.step(by: step)
    let moved = engine.now - before
    rates.step(by: moved)
    for tagIndex in tags.indices { tags[tagIndex].step(by: moved) }
    noteEntries()
  }

  /// Executes a person's command.
  ///
  /// - Throws: `HubCommand/Rejection` if the command cannot be executed; the state is unchanged.
  public mutating func execute(
    _ command: HubCommand, at time: Int64
  ) throws(HubCommand.Rejection) {
    defer { noteEntries() }
    do throws(HubCommand.Rejection) {
      try engine.take(command, at: time)
      counts.executed += 1
    } catch {
      counts.rejected += 1
      throw error
    }
  }

  /// Returns the records created since the last call, in order.
  public mutating func takeRecords() -> [HubRecord] {
    defer { records.removeAll(keepingCapacity: true) }
    return records
  }

  private mutating func noteEntries() {
    for entry in engine.takeEntries() { records.append(.alarm(entry)) }
  }
}

/// The current state of a tag, as its hub displays it.
public struct TagState: Sendable {
  /// The tag as configured in the policy.
  public let tag: WarehousePolicy.ExpectedTag
  /// The kind of the tag; empty until it has been identified.
  public internal(set) var kind = ""
  /// The firmware revision; `nil` if unknown.
  public internal(set) var firmware: String?
  /// The last valid value of each quantity.
  public internal(set) var values = AirReading()
  /// The time of the last valid reading, including readings before a restart, in nanoseconds since
  /// 1970; without values, the time of the last notification, and `nil` before the first.
  public internal(set) var lastReceived: Int64?
  /// The flags of the last sensor notification.
  public internal(set) var quality: TagQuality = []
  /// The battery level in percent; `nil` if unknown.
  public internal(set) var battery: Int?
  /// The received signal strength in dBm; `nil` if unknown.
  public internal(set) var rssi: Int?
  /// The number of notifications since the hub started.
  public internal(set) var count = 0
  /// The last temperatures and humidities, oldest first.
  public internal(set) var trend: [AirReading] = []

  /// The maximum number of readings in `trend`.
  public static let longestTrend = 60

  /// Creates the state of a tag that has sent no reading since the hub started.
  init(_ tag: WarehousePolicy.ExpectedTag, lastReceived: Int64?) {
    (self.tag, self.lastReceived) = (tag, lastReceived)
  }

  /// Shifts the time of the last reading by a step of the wall clock.
  mutating func step(by step: Int64) {
    lastReceived = lastReceived.map { Moment.stepped($0, by: step) }
  }

  /// Applies a reading that has been decoded and checked.
  mutating func take(_ reading: TagReading) {
    let hasValue = Quantity.allCases.contains { reading.values[$0] != nil }
    let knows = Quantity.allCases.contains { values[$0] != nil }
    // The shown age is that of the shown values, which another notification does not renew.
    if hasValue && reading.isGood || !knows { lastReceived = reading.time }
    count += 1
    if !reading.kind.isEmpty { kind = reading.kind }
    (rssi, battery) = (reading.rssi ?? rssi, reading.battery ?? battery)
    firmware = reading.firmware ?? firmware
    // A battery notification does not change the flags of the sensors' values.
    guard !reading.characteristic.isEmpty else { return }
    quality = reading.quality
    guard reading.isGood else { return }
    for quantity in Quantity.allCases {
      if let value = reading.values[quantity] { values[quantity] = value }
    }
    if reading.values.humidity != nil {
      trend.append(reading.values)
      if trend.count > Self.longestTrend { trend.removeFirst() }
    }
  }
}

/// A record that a hub stores and delivers.
///
/// The storage assigns its sequence number.
public enum HubRecord: Hashable, Sendable {
  /// A reading of a tag, with the tag's name and zone.
  case reading(TagReading, name: String, zone: String)
  /// An entry of the alarm log.
  case alarm(AlarmEntry)

  /// The kind of record: `reading` or `alarm`.
  public var kind: String {
    switch self {
    case .reading: "reading"
    case .alarm: "alarm"
    }
  }

  /// The subject of the record: the address of a tag, the number of an alarm, or `hub`.
  public var key: String {
    switch self {
    case .reading(let reading, _, _): reading.tag
    case .alarm(let entry): entry.number.map { "\($0)" } ?? "hub"
    }
  }

  /// The time of the record, in nanoseconds since 1970.
  public var time: Int64 {
    switch self {
    case .reading(let reading, _, _): reading.time
    case .alarm(let entry): entry.time
    }
  }

  /// The members of the record other than hub, sequence, kind and time, as a JSON object on one
  /// line; the complete record contains them after those four.
  public var body: String {
    switch self {
    case .reading(let reading, let name, let zone):
      JSONValue.object(reading.members(name: name, zone: zone)).compact
    case .alarm(let entry): JSONValue.object(entry.members).compact
    }
  }
}
