public import BluetoothLE
import Quantities
public import Warehouse

/// Receives the readings of tags through one radio.
///
/// A listener scans for its tags, connects to as many as the radio supports, identifies each one,
/// enables its sensors, and decodes its notifications with the formula of the tag's sensor. If
/// there are more tags than connections, the tags take turns (`RoundRobin`); `round` is the
/// duration of a round. Failed tags are retried indefinitely with increasing delays (`BackOff`).
///
/// A listener depends only on the radio's events and the radio's time, so it behaves the same in
/// virtual time and over a Bluetooth stack. Like its radio, it is confined to one thread.
public final class TagListener {
  /// The counters since the start of the listener.
  public struct Counts: Hashable, Sendable {
    /// The number of established connections.
    public var connections = 0
    /// The number of failed and lost connections, and of scans that did not find a tag.
    public var failures = 0
    /// The number of delivered readings.
    public var readings = 0
  }

  let radio: any BLERadio
  let options: ListenerOptions
  let epoch: Int64
  let report: (ListenerEvent) -> Void
  private let output: (TagReading) -> Void
  /// The counters since the start of the listener.
  public internal(set) var counts = Counts()
  /// The reason why the radio can no longer be used; `nil` while it works.
  ///
  /// Once this is set, the listener does nothing.
  public internal(set) var isGone: String?
  /// The schedule by which tags take turns.
  public internal(set) var roundRobin: RoundRobin

  var tags: [TagSession]
  let tagIndices: [UInt64: Int]
  var byConnection: [BLEConnection: Int] = [:]
  var commands: [Int: (tagIndex: Int, step: TagSession.Step)] = [:]
  var timers = TimerQueue<Int>()
  /// The tags to scan for, as indices.
  var seeking: Set<Int> = []
  /// The tags to connect to, as indices in this order, from position `firstReady` on.
  var ready: [Int] = []
  var firstReady = 0
  /// The tag with a pending connection attempt.
  var connecting: Int?
  /// The time at which the current scan ends; `nil` if no scan is running.
  var scanEnds: UInt64?
  var slot = 0
  var slotEnds = UInt64.max
  private var chance: UInt64
  private var hasStarted = false
  /// The next scheduled wake-up in a simulated radio medium (`BLEAir`); `nil` if none is scheduled.
  private var planned: UInt64?

  /// Creates a listener, which `start()` starts.
  ///
  /// - Parameters:
  ///   - tags: The tags to listen to. A tag with an invalid address is never found.
  ///   - radio: The dongle.
  ///   - options: The options.
  ///   - epoch: The time in nanoseconds since 1970 at which the radio's clock is 0.
  ///   - seed: The seed of the random part of retry delays.
  ///   - report: The function that receives the events of the listener.
  ///   - take: The function that receives the readings, which have no sequence numbers yet.
  public init(
    _ tags: [WatchedTag], on radio: any BLERadio, options: ListenerOptions = ListenerOptions(),
    epoch: Int64, seed: UInt64, report: @escaping (ListenerEvent) -> Void = { _ in },
    take: @escaping (TagReading) -> Void
  ) {
    (self.radio, self.options, self.epoch, self.report, output) = (
      radio, options, epoch, report, take
    )
    chance = seed
    self.tags = tags.map { TagSession($0, options) }
    var tagIndices: [UInt64: Int] = [:]
    for (tagIndex, tag) in tags.enumerated() {
      if let address = BLEAddress(tag.address) { tagIndices[address.value] = tagIndex }
    }
    self.tagIndices = tagIndices
    roundRobin = RoundRobin(
      tags: tags.count, connections: options.connections, stay: options.stay,
      connecting: options.connecting)
  }

  /// The time between two slots of the same tag in nanoseconds; 0 if all tags are connected at
  /// once.
  public var round: Int64 { roundRobin.round }

  /// The status of each tag, in the order of the tags.
  public var contacts: [TagContact] { tags.map(\.contact) }

  // MARK: Time and events

  /// Starts the listener.
  ///
  /// Further calls have no effect.
  public func start() {
    guard !hasStarted else { return }
    hasStarted = true
    if roundRobin.sharesConnections {
      report(
        .round(tags: roundRobin.tags, connections: roundRobin.connections, time: roundRobin.round))
    }
    beginSlot(at: radio.nanoseconds)
    decide()
  }

  /// The time of the listener's next action, in nanoseconds of the radio's clock; `nil` if it only
  /// waits for radio events.
  public var nextChange: UInt64? {
    guard isGone == nil else { return nil }
    var next = min(slotEnds, scanEnds ?? .max)
    if let wake = timers.nextTime { next = min(next, UInt64(max(wake, 0))) }
    return next == .max ? nil : next
  }

  /// Performs all actions that are due at a time of the radio's clock.
  public func advance(to time: UInt64) {
    guard isGone == nil else { return }
    start()
    while let next = timers.nextTime, UInt64(max(next, 0)) <= time,
      let (_, tagIndex) = timers.next()
    {
      guard tags[tagIndex].wake == UInt64(max(next, 0)) else { continue }
      tags[tagIndex].wake = .max
      lookAfter(tagIndex)
    }
    if let end = scanEnds, end <= time { endScan() }
    if slotEnds <= time { nextSlot(at: time) }
    decide()
  }

  /// Handles an event of the radio.
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
      report(.gone(reason))
    default: return
    }
    decide()
  }

  /// Runs the listener until a time of the radio's clock, and handles the radio's events until
  /// then.
  public func run(until end: UInt64) {
    advance(to: radio.nanoseconds)
    while isGone == nil, radio.nanoseconds < end {
      if let event = radio.next(by: min(end, nextChange ?? end)) { take(event) }
      advance(to: radio.nanoseconds)
    }
  }

  /// Lets a simulated radio medium drive the listener in virtual time.
  ///
  /// The caller must keep a reference to the listener; `leave()` stops it.
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

  /// Stops the listener, after which the radio closes the connections.
  public func leave() {
    if isGone == nil { isGone = "the listener has left" }
    radio.handler = nil
  }

  /// Delivers a reading to the receiver of the readings.
  func give(_ reading: TagReading, of tagIndex: Int) {
    var reading = reading
    let contact = tags[tagIndex].contact
    (reading.battery, reading.rssi) = (contact.battery, contact.rssi)
    reading.firmware = contact.firmware
    counts.readings += 1
    output(reading)
  }

  /// Returns a random number from 0 to 1 (SplitMix64: Steele, Lea, Flood 2014).
  func draw() -> Double {
    chance &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (chance ^ (chance >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
  }
}

/// The handling of tags' notifications, and of notifications that are missing.
extension TagListener {
  func notified(
    _ bytes: [UInt8], _ connection: BLEConnection, _ handle: UInt16, at time: UInt64
  ) {
    guard let tagIndex = byConnection[connection], tags[tagIndex].connection == connection else {
      return
    }
    tags[tagIndex].contact.lastSeen = epoch + Int64(time)
    if handle == tags[tagIndex].battery { return setBattery(bytes, tagIndex) }
    guard let index = tags[tagIndex].sensors.firstIndex(where: { $0.data == handle }),
      let reading = tags[tagIndex].kind?.reading(
        bytes, of: tags[tagIndex].sensors[index].channel.data, tag: tags[tagIndex].contact.address,
        at: epoch + Int64(time))
    else { return }
    // The connection works, so the next failure waits only for the initial delay.
    tags[tagIndex].pause.succeed()
    tags[tagIndex].contact.failures = 0
    tags[tagIndex].sensors[index].late = 0
    if tags[tagIndex].rests {
      rest(index, tagIndex)
    } else {
      tags[tagIndex].sensors[index].due = time + lateness(tagIndex)
    }
    give(reading, of: tagIndex)
    proceed(tagIndex)
  }

  /// Disables a sensor until its next measurement.
  private func rest(_ index: Int, _ tagIndex: Int) {
    guard tags[tagIndex].sensors[index].isOn else { return }
    let period = UInt64(tags[tagIndex].period)
    let now = radio.nanoseconds
    tags[tagIndex].sensors[index].isOn = false
    let next = tags[tagIndex].sensors[index].next + period
    // A missed measurement is skipped.
    tags[tagIndex].sensors[index].next = next > now ? next : now + period
    tags[tagIndex].sensors[index].due = tags[tagIndex].sensors[index].next
    tags[tagIndex].steps.append(.rest(index))
  }

  /// The time after which data counts as late.
  private func lateness(_ tagIndex: Int) -> UInt64 {
    tags[tagIndex].rests
      ? options.late : max(options.late, 3 * UInt64(tags[tagIndex].period))
  }

  /// Records that a sensor is enabled, and starts waiting for its data.
  func switchedOn(_ index: Int, _ tagIndex: Int) {
    tags[tagIndex].sensors[index].isOn = true
    tags[tagIndex].sensors[index].due = radio.nanoseconds + lateness(tagIndex)
  }

  /// Evaluates a sensor configuration read back from a tag; 0xFF means that the sensor failed its
  /// test.
  func confirmed(_ bytes: [UInt8], _ index: Int, _ tagIndex: Int) {
    guard bytes == [0xFF] else { return }
    let channel = tags[tagIndex].sensors[index].channel
    tags[tagIndex].sensors[index].late = 0
    tags[tagIndex].contact.lastSeen = epoch + Int64(radio.nanoseconds)
    tags[tagIndex].pause.succeed()
    tags[tagIndex].contact.failures = 0
    let digits = String(channel.data, radix: 16, uppercase: true)
    give(
      TagReading(
        hub: "", sequence: 0, time: epoch + Int64(radio.nanoseconds),
        tag: tags[tagIndex].contact.address, kind: tags[tagIndex].contact.kind ?? "",
        quality: .silent,
        characteristic: digits), of: tagIndex)
    if tags[tagIndex].rests { rest(index, tagIndex) }
  }

  /// Checks a connected tag for late data and performs the actions that are due.
  func attend(_ tagIndex: Int) {
    let now = radio.nanoseconds
    if tags[tagIndex].deadline <= now {
      let step = tags[tagIndex].current?.step.title ?? ""
      tags[tagIndex].services = []
      return fail(tagIndex, .mute(step))
    }
    for index in tags[tagIndex].sensors.indices where tags[tagIndex].sensors[index].due <= now {
      guard tags[tagIndex].sensors[index].isOn || !tags[tagIndex].rests else {
        tags[tagIndex].sensors[index].due = .max
        tags[tagIndex].steps.append(.configure(index))
        continue
      }
      tags[tagIndex].sensors[index].late += 1
      if tags[tagIndex].sensors[index].late >= ListenerOptions.mostLate {
        tags[tagIndex].services = []
        return fail(tagIndex, .quiet)
      }
      tags[tagIndex].sensors[index].due = now + lateness(tagIndex)
      tags[tagIndex].steps +=
        setting(index, of: tagIndex) + (tags[tagIndex].rests ? [.confirm(index)] : [])
    }
    if tags[tagIndex].signal <= now, tags[tagIndex].contact.phase == .listening {
      tags[tagIndex].signal = now + options.signal
      tags[tagIndex].steps.append(.signal)
    }
    proceed(tagIndex)
  }

  /// Schedules the next check of a tag.
  func replan(_ tagIndex: Int) {
    let phase = tags[tagIndex].contact.phase
    guard phase == .settling || phase == .listening else { return }
    var next = tags[tagIndex].deadline
    if phase == .listening {
      // The signal strength is read along with other requests, so a resting tag does not wake up
      // for it.
      for sensor in tags[tagIndex].sensors { next = min(next, sensor.due) }
    }
    // If an earlier check is already scheduled, that check calls this function again.
    if next < tags[tagIndex].wake { wakeUp(tagIndex, at: next) }
  }
}
