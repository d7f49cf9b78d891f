import CMath
public import I2C
import VirtualI2C

/// The radio medium between radios of this process, in virtual time.
///
/// It models range, losses, signal strength and connection events.
///
/// Time advances only by `advance(to:)` and `wait(nanoseconds:)`, or while a radio waits for an event. All random
/// decisions derive from the seed, so the same commands at the same times always produce the same events. The radios do
/// not own the medium. If the medium is deallocated, the radios stop working, and their last event is `gone`.
public final class BLEAir: I2CClock {
  /// The current time in nanoseconds.
  public private(set) var nanoseconds: UInt64
  /// The behavior of radio waves and connections.
  public let options: Options
  /// The radios in the order of their creation.
  public private(set) var radios: [VirtualRadio] = []

  let seed: UInt64
  var chance: SeededGenerator
  private(set) var byAddress: [BLEAddress: VirtualRadio] = [:]
  private var eventQueue = BLEEventQueue()
  var scanners: [VirtualRadio] = []

  /// Creates a medium without radios.
  ///
  /// - Parameters:
  ///   - seed: the seed of all random decisions.
  ///   - options: the behavior of radio waves and connections.
  ///   - start: the start time, in nanoseconds. Default: 0.
  public init(seed: UInt64, options: Options = Options(), start: UInt64 = 0) {
    self.seed = seed
    self.options = options
    nanoseconds = start
    chance = SeededGenerator(seed: seed, stream: 0xB1EA1)
  }

  deinit { for radio in radios { radio.airEnded(at: nanoseconds) } }

  /// Adds a radio, switched on.
  ///
  /// - Parameters:
  ///   - address: the radio's address, which must be unique.
  ///   - position: the radio's position. Default: the origin.
  ///   - capabilities: the radio's capabilities.
  /// - Returns: the radio.
  public func radio(
    _ address: BLEAddress, at position: BLEPosition = BLEPosition(),
    _ capabilities: BLECapabilities = BLECapabilities()
  ) -> VirtualRadio {
    precondition(byAddress[address] == nil, "two radios have the address \(address)")
    let radio = VirtualRadio(address, in: self, at: position, capabilities)
    radios.append(radio)
    byAddress[address] = radio
    return radio
  }

  /// The time of the next scheduled event, in nanoseconds; `nil` if there is none.
  public var nextChange: UInt64? { eventQueue.first?.time }

  /// Schedules an action, for example of firmware that uses the medium; if the time has passed, the action is due
  /// immediately.
  public func schedule(at time: UInt64, _ action: @escaping () -> Void) {
    eventQueue.add(at: max(time, nanoseconds), action)
  }

  /// Advances to a time and performs the actions due until then.
  public func advance(to time: UInt64) {
    while let scheduled = eventQueue.removeFirst(by: time) {
      nanoseconds = max(nanoseconds, scheduled.time)
      scheduled.action()
    }
    nanoseconds = max(nanoseconds, time)
  }

  /// Performs the next action if it is due by a time.
  ///
  /// - Returns: `false` if there was none.
  func step(by time: UInt64) -> Bool {
    guard let scheduled = eventQueue.removeFirst(by: time) else { return false }
    nanoseconds = max(nanoseconds, scheduled.time)
    scheduled.action()
    return true
  }

  /// Advances by a duration and performs the actions due in it.
  public func wait(nanoseconds: UInt64) {
    let (sum, isTooMuch) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    advance(to: isTooMuch ? .max : sum)
  }
}

/// A position in m.
public struct BLEPosition: Hashable, Sendable {
  /// The coordinates along the hall, across it and above its floor.
  public var x, y, z: Double

  /// Creates a position.
  ///
  /// Default: the origin.
  public init(x: Double = 0, y: Double = 0, z: Double = 0) { (self.x, self.y, self.z) = (x, y, z) }

  /// Returns the distance to another position in m.
  public func distance(to other: BLEPosition) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return (dx * dx + dy * dy + dz * dz).squareRoot()
  }
}

/// The former name of `BLEPosition`.
@available(*, deprecated, renamed: "BLEPosition")
public typealias BLEPlace = BLEPosition

extension BLEAir {
  /// The behavior of radio waves and connections.
  public struct Options: Hashable, Sendable {
    /// The fraction of packets lost at any distance, from 0 to 1.
    ///
    /// Default: 0.
    public var loss = 0.0
    /// The path loss exponent.
    ///
    /// The signal falls by ten times this number of dB per tenfold distance.
    ///
    /// 2 in free space. Default: 2.5, an assumption for shelves.
    public var exponent = 2.5
    /// The path loss over the first metre, in dB.
    ///
    /// Default: 40, as at 2.4 GHz in free space.
    public var firstMetre = 40.0
    /// The standard deviation of the signal strength from packet to packet, in dB.
    ///
    /// Default: 0.
    public var fading = 0.0
    /// The minimum signal strength for reception, in dBm.
    ///
    /// Default: -94.
    public var sensitivity = -94.0
    /// The connection interval in nanoseconds.
    ///
    /// Default: 30 ms.
    public var connectionInterval: UInt64 = 30_000_000
    /// The supervision timeout: the time without a packet from the other side after which a connection ends, in
    /// nanoseconds.
    ///
    /// Default: 6 s.
    public var supervisionTimeOut: UInt64 = 6_000_000_000
    /// The timeout of an ATT request in nanoseconds.
    ///
    /// Default: 30 s (Core Specification, Vol 3, Part F, 3.3.3).
    public var requestTimeOut: UInt64 = 30_000_000_000

    /// Sets the sensitivity so that a radio of 0 dBm is received up to a distance in m.
    public mutating func reach(_ metres: Double) {
      sensitivity = -firstMetre - 10 * exponent * log(max(metres, 0.1)) / 2.302_585_092_994_046
    }

    /// Creates default options: no losses within range.
    public init() {}
  }

  /// Returns the mean signal strength of a sender at a receiver, in dBm; `nil` below the sensitivity.
  func signal(from sender: VirtualRadio, to receiver: VirtualRadio) -> Double? {
    guard sender.isOn, receiver.isOn else { return nil }
    let distance = max(sender.position.distance(to: receiver.position), 0.1)
    let strength =
      sender.capabilities.power - options.firstMetre
      - 10 * options.exponent * log(distance) / 2.302_585_092_994_046
    return strength >= options.sensitivity ? strength : nil
  }

  /// Returns the packet loss at a signal strength, which rises to one half over the last 10 dB above the sensitivity.
  func loss(at signal: Double) -> Double {
    let margin = min(max(signal - options.sensitivity, 0), 10)
    return min(options.loss + (1 - options.loss) * (10 - margin) / 20, 1)
  }

  /// Decides at random whether a packet arrives.
  func arrives(at signal: Double) -> Bool {
    let loss = loss(at: signal)
    return loss <= 0 || chance.unit() >= loss
  }

  /// Returns the strength of one packet in whole dBm.
  func strength(of signal: Double) -> Int {
    let faded = options.fading > 0 ? signal + chance.gaussian() * options.fading : signal
    return Int(min(max(faded, -127), 20).rounded())
  }
}

extension BLEAir {
  /// Starts the first queued connection of a radio.
  func initiate(_ central: VirtualRadio) {
    guard let wanted = central.initiations.first else { return }
    guard central.links.count < central.capabilities.maximumConnections else {
      return finish(central, .failure(.tooManyConnections))
    }
    let (end, isTooMuch) = nanoseconds.addingReportingOverflow(wanted.timeOut)
    if !isTooMuch {
      schedule(at: end) { [unowned self] in
        guard central.initiations.first?.command == wanted.command else { return }
        finish(central, .failure(.timeOut))
      }
    }
    attempt(central, after: nanoseconds)
  }

  /// Attempts to connect at the next advertisement of the peer; if the peer is not advertising, the attempt waits until
  /// it starts.
  func attempt(_ central: VirtualRadio, after time: UInt64) {
    guard let wanted = central.initiations.first, let peripheral = byAddress[wanted.peer],
      let next = nextAdvertisement(of: peripheral, after: time)
    else { return }
    let number = peripheral.advertising?.number
    schedule(at: next) { [unowned self] in
      guard central.initiations.first?.command == wanted.command,
        peripheral.advertising?.number == number
      else { return }
      if let signal = signal(from: peripheral, to: central), central !== peripheral,
        arrives(at: signal), arrives(at: signal)
      {
        connect(central, peripheral)
      } else {
        attempt(central, after: next)
      }
    }
  }

  private func connect(_ central: VirtualRadio, _ peripheral: VirtualRadio) {
    peripheral.advertising = nil
    let link = AirLink(central, peripheral, in: self)
    peripheral.links[link.peripheralNumber] = link
    central.links[link.centralNumber] = link
    peripheral.emit(
      .connected(
        BLELink(
          BLEConnection(rawValue: link.peripheralNumber), peer: central.address,
          interval: link.interval)))
    finish(
      central,
      .success(
        BLELink(
          BLEConnection(rawValue: link.centralNumber), peer: peripheral.address,
          interval: link.interval)))
  }

  /// Ends a connection attempt and starts the next queued one.
  private func finish(_ central: VirtualRadio, _ result: Result<BLELink, BLEError>) {
    guard !central.initiations.isEmpty else { return }
    let command = central.initiations.removeFirst().command
    switch result {
    case .success(let link): central.done(command, .connected(link))
    case .failure(let error): central.failed(command, error)
    }
    initiate(central)
  }

  /// Updates the links of a radio that has moved or been switched on or off.
  func rangeChanged(of radio: VirtualRadio) {
    for link in radio.links.values { link.rangeChanged() }
  }

  /// Interrupts a connection as permanent interference would; the connection ends after the supervision timeout.
  public func cut(_ connection: BLEConnection, of radio: VirtualRadio) {
    radio.links[connection.rawValue]?.isDisturbed = true
  }
}

extension BLEAir {
  /// The maximum random delay of an advertisement in nanoseconds (advDelay, Vol 6, Part B, 4.4.2.2.1).
  private static let delay = 10_000_000.0
  /// The limits of the advertising interval in nanoseconds; the maximum is 2^24 steps of 625 µs.
  private static let periods: ClosedRange<UInt64> = 1_000_000...10_485_760_000_000

  /// Returns the time of the next advertisement after a time; `nil` if the radio is not advertising.
  ///
  /// The delay of each advertisement derives from its number alone, so advertisements that no radio scans for need not
  /// be simulated.
  func nextAdvertisement(of radio: VirtualRadio, after time: UInt64) -> UInt64? {
    guard radio.isOn, let (settings, start, number) = radio.advertising else { return nil }
    let period = min(max(settings.interval, Self.periods.lowerBound), Self.periods.upperBound)
    var index = time > start ? (time - start) / period : 0
    // The delay may place the previous advertisement after the time.
    if index > 0 { index -= 1 }
    while true {
      var chance = SeededGenerator(
        seed: seed ^ radio.address.value, stream: UInt64(number) << 40 | index)
      let next = start + index * period + UInt64(chance.unit() * Self.delay)
      if next > time { return next }
      index += 1
    }
  }

  /// Starts scanning.
  func beginScan(_ radio: VirtualRadio) {
    guard !scanners.contains(where: { $0 === radio }) else { return }
    scanners.append(radio)
    for advertiser in radios where advertiser.advertising != nil {
      scheduleAdvertisement(of: advertiser)
    }
  }

  /// Starts advertising.
  func beginAdvertising(_ radio: VirtualRadio) {
    scheduleAdvertisement(of: radio)
    for central in radios where central.initiations.first?.peer == radio.address {
      attempt(central, after: nanoseconds)
    }
  }

  /// Schedules the next advertisement if a radio is scanning.
  private func scheduleAdvertisement(of radio: VirtualRadio) {
    guard !scanners.isEmpty, !radio.isAdvertisementScheduled,
      let time = nextAdvertisement(of: radio, after: nanoseconds)
    else { return }
    radio.isAdvertisementScheduled = true
    let number = radio.advertising?.number
    schedule(at: time) { [unowned self] in
      radio.isAdvertisementScheduled = false
      if radio.advertising?.number == number { sendAdvertisement(of: radio) }
      scheduleAdvertisement(of: radio)
    }
  }

  private func sendAdvertisement(of radio: VirtualRadio) {
    guard let settings = radio.advertising?.settings else { return }
    for scanner in scanners where scanner !== radio {
      guard let signal = signal(from: radio, to: scanner), arrives(at: signal) else { continue }
      deliver(settings.data, isScanResponse: false, of: radio, at: scanner, signal)
      // Both the scan request and the response must arrive.
      guard scanner.scan?.isActive == true, arrives(at: signal), arrives(at: signal) else {
        continue
      }
      deliver(settings.scanResponse, isScanResponse: true, of: radio, at: scanner, signal)
    }
  }

  private func deliver(
    _ data: [UInt8], isScanResponse: Bool, of radio: VirtualRadio, at scanner: VirtualRadio,
    _ signal: Double
  ) {
    scanner.emit(
      .advertisement(
        BLEAdvertisement(
          from: radio.address, rssi: strength(of: signal), isConnectable: !isScanResponse,
          isScanResponse: isScanResponse, data: data)))
  }
}

/// Scheduled actions ordered by time, then by order of insertion.
struct BLEEventQueue {
  /// An action and its time.
  struct ScheduledAction {
    let time: UInt64
    fileprivate let order: UInt64
    let action: () -> Void

    fileprivate func precedes(_ other: ScheduledAction) -> Bool {
      time == other.time ? order < other.order : time < other.time
    }
  }

  /// A binary heap.
  private var heap: [ScheduledAction] = []
  private var count: UInt64 = 0

  var first: ScheduledAction? { heap.first }

  mutating func add(at time: UInt64, _ action: @escaping () -> Void) {
    heap.append(ScheduledAction(time: time, order: count, action: action))
    count += 1
    var child = heap.count - 1
    while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes the first action if it is due by a time.
  mutating func removeFirst(by time: UInt64) -> ScheduledAction? {
    guard let first = heap.first, first.time <= time else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].precedes(heap[least]) { least = child }
      guard least != parent else { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
