public import BluetoothLE
public import Environment
import I2C
public import VirtualI2C

/// A virtual SensorTag, whose firmware reads its sensors over an internal I2C bus and serves them
/// over Bluetooth LE.
///
/// A tag acts on the events of its radio and on the passage of time: `advance(to:)` performs the
/// actions that are due, and `nextChange` is the time of the next one. In a `BLEAir`,
/// `run(in:)` makes these calls; on a Bluetooth stack, the radio's event loop makes them.
public final class SensorTag {
  /// The model of the tag.
  public let model: TagModel
  /// The radio of the tag.
  public let radio: any BLERadio
  /// The battery level in percent that the tag reports.
  public var battery: UInt8 = 100 {
    didSet { if battery != oldValue { tell(.battery, [battery]) } }
  }
  /// The pressed keys as a bit mask: 1 for the left key, 2 for the right key, 4 for the reed relay.
  ///
  /// The advertisements of a CC2650 tag also contain the pressed keys.
  public var keys: UInt8 = 0 { didSet { if keys != oldValue { keysChanged() } } }
  /// The number of measurements whose data was notified, or would have been notified to a
  /// subscriber.
  public private(set) var measurements = 0

  let clock: TagClock
  private let table: TagTable
  let services: [SensorService]
  private var isPowered = false
  private var connections: Set<BLEConnection> = []
  /// The function to call if `nextChange` may have become earlier.
  private var wake: (() -> Void)?
  private var planned: UInt64?

  /// Creates a tag that is powered off.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - radio: The radio, whose events the tag handles.
  ///   - air: The ambient air of the sensors; its time is the radio's time.
  ///   - seed: The seed of the sensors' noise and serial numbers.
  public init(_ model: TagModel, on radio: any BLERadio, in air: any AirSource, seed: UInt64) {
    self.model = model
    self.radio = radio
    clock = TagClock(nanoseconds: radio.nanoseconds)
    table = TagTable(model, serial: "N.A.")
    let bus = VirtualAdapter(clock: clock, frequency: 400_000)
    let clock = clock
    services = model.layouts.map { layout in
      let sensor: any TagSensor
      switch (layout.number, model) {
      case (0xAA20, .cc2650): sensor = HDC1000TagSensor(bus, clock, in: air, seed: seed)
      case (0xAA20, .cc2541): sensor = SHT21TagSensor(bus, clock, in: air, seed: seed)
      case (0xAA40, _): sensor = BMP280TagSensor(bus, clock, in: air, seed: seed &+ 1)
      case (0xAA80, _): sensor = AbsentSensor(length: 18)
      case (0xAA70, _): sensor = AbsentSensor(length: 2)
      default: sensor = AbsentSensor(length: 4)
      }
      return SensorService(layout.number, sensor)
    }
    radio.handler = { [weak self] event in self?.take(event) }
  }

  /// The parts on the internal bus, for fault injection: first the humidity sensor, then the
  /// pressure sensor.
  public var parts: [any VirtualI2CDevice] { services.compactMap(\.sensor.part) }

  /// Powers the tag on, which disables all sensors and starts advertising.
  public func powerOn() {
    guard !isPowered else { return }
    isPowered = true
    setSupply(true, at: radio.nanoseconds)
    for service in services { service.reset() }
    radio.send(.serve(table.services))
    advertise()
  }

  /// Powers the tag off and clears its state.
  ///
  /// The radio's power is controlled separately.
  public func powerOff() {
    guard isPowered else { return }
    isPowered = false
    connections = []
    for service in services { service.reset() }
    setSupply(false, at: radio.nanoseconds)
  }

  /// Powers the tag on and runs it in the simulated radio medium that its radio belongs to.
  public func run(in air: BLEAir) {
    wake = { [weak self, weak air] in
      guard let self, let air, let next = nextChange, planned.map({ $0 > next }) ?? true
      else { return }
      planned = next
      air.schedule(at: next) { [weak self] in
        guard let self, planned == next else { return }
        planned = nil
        advance(to: next)
      }
    }
    powerOn()
  }

  /// The time of the tag's next action, in nanoseconds of the radio's clock; `nil` if the tag only
  /// waits for radio events.
  public var nextChange: UInt64? { services.compactMap(\.nextChange).min() }

  /// Performs all actions that are due at a time.
  public func advance(to time: UInt64) {
    while isPowered, let index = nextService(by: time) {
      let service = services[index]
      clock.sleep(until: service.nextChange ?? time)
      if service.act(clock) {
        measurements += 1
        tell(.data(index), service.data)
      }
    }
    wake?()
  }

  /// Returns the index of the service with the earliest action, if that action is due; otherwise
  /// `nil`.
  private func nextService(by time: UInt64) -> Int? {
    services.indices.filter { (services[$0].nextChange ?? .max) <= time }
      .min { (services[$0].nextChange ?? .max) < (services[$1].nextChange ?? .max) }
  }

  // MARK: Radio events

  private func advertise() { radio.send(.advertise(model.advertising(keys: keys))) }

  private func keysChanged() {
    tell(.keys, [keys])
    if isPowered, connections.isEmpty { advertise() }
  }

  private func tell(_ role: TagTable.Role, _ value: [UInt8]) {
    guard isPowered, !connections.isEmpty, let place = table.place(of: role) else { return }
    radio.send(.notify(value, characteristic: place))
  }

  /// Handles an event of the radio.
  private func take(_ event: BLEEvent) {
    guard isPowered else { return }
    switch event.kind {
    case .connected(let link): connections.insert(link.connection)
    case .disconnected(let connection, _):
      connections.remove(connection)
      // When the last connection ends, the firmware resets its sensors and advertises again.
      if connections.isEmpty {
        for service in services { service.reset() }
        advertise()
      }
    case .readRequested(let request, _, let place):
      radio.send(.respond(request: request, value(of: place)))
    case .writeRequested(let value, let request, _, let place):
      let code = write(value, to: place, at: event.time)
      if let request {
        radio.send(.respond(request: request, code.map { .error($0) } ?? .value([])))
      }
      wake?()
    default: break
    }
  }

  private func value(of place: Int) -> BLEResponse {
    guard table.roles.indices.contains(place) else { return .error(0x01) }
    switch table.roles[place] {
    case .data(let index): return .value(services[index].data)
    case .configuration(let index): return .value([services[index].configuration])
    case .period(let index): return .value([services[index].period])
    case .battery: return .value([battery])
    case .keys, .constant: return .error(0x02)
    }
  }

  private func write(_ value: [UInt8], to place: Int, at time: UInt64) -> UInt8? {
    guard table.roles.indices.contains(place) else { return 0x01 }
    clock.sleep(until: time)
    switch table.roles[place] {
    case .configuration(let index): return services[index].configure(value, at: clock.nanoseconds)
    case .period(let index): return services[index].setPeriod(value)
    default: return 0x03
    }
  }
}

extension SensorTag {
  /// The condition of a tag's sensors, and the firmware's reaction to it.
  public enum Trouble: Hashable, Sendable {
    /// The sensors respond.
    case none
    /// The sensors do not respond; the firmware does not detect this and notifies zeros.
    case off
    /// The sensors do not respond and the firmware detects this: after the sensor test the
    /// configuration reads 0xFF, and the tag does not notify.
    case silent
  }

  /// Disconnects the sensors' supply, or restores it.
  ///
  /// - Parameters:
  ///   - trouble: The condition of the sensors; `Trouble/none` restores the supply.
  ///   - time: The time in nanoseconds of the radio's clock.
  public func set(_ trouble: Trouble, at time: UInt64) {
    setSupply(trouble == .none, at: time)
    for service in services { service.trouble = trouble }
  }

  /// Switches the sensors' supply at a time, but not earlier than the firmware's own clock, which
  /// advances while the firmware accesses the sensors.
  func setSupply(_ isOn: Bool, at time: UInt64) {
    clock.sleep(until: time)
    for part in parts { part.setSupply(isOn, at: clock.nanoseconds) }
  }
}

/// The clock of a tag's firmware, which waits for measurements and sleeps until the next action.
final class TagClock: I2CClock {
  private(set) var nanoseconds: UInt64

  init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  func wait(nanoseconds: UInt64) { self.nanoseconds += nanoseconds }

  /// Sleeps until a time; returns immediately if that time has passed.
  func sleep(until time: UInt64) { nanoseconds = max(nanoseconds, time) }
}
