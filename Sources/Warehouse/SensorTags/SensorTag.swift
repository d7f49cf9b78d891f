public import BluetoothLE
public import Environment
import I2C
public import VirtualI2C

/// A virtual SensorTag: firmware that reads its sensors over an internal I2C bus and serves them over Bluetooth LE.
///
/// It acts on events of its radio and with time: ``advance(to:)`` performs what is due, and ``nextChange`` is the time
/// of the
/// next action. In a `BLEAir`, ``run(in:)`` calls them; on a Bluetooth stack, the event loop of the radio does.
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
  /// Advertisements contain them too.
  public var keys: UInt8 = 0 { didSet { if keys != oldValue { keysChanged() } } }
  /// The number of measurements whose data were notified, or would have been with a subscription.
  public private(set) var measurements = 0

  let clock: TagClock
  private let table: TagTable
  let services: [SensorService]
  private var isPowered = false
  private var connections: Set<BLEConnection> = []
  /// Called if ``nextChange`` may have become earlier.
  private var wake: (() -> Void)?
  private var planned: UInt64?

  /// Creates a tag without power.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - radio: The radio, whose events the tag handles.
  ///   - air: The ambient air of the sensors; its time is the radio's.
  ///   - seed: The seed of the noise and serial numbers of the parts.
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

  /// The parts on the bus, for fault injection: that of the humidity service, then that of the pressure service.
  public var parts: [any VirtualI2CDevice] { services.compactMap(\.sensor.part) }

  /// Powers the tag on: all sensors are disabled, and it advertises.
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
  /// The power of the radio is controlled separately.
  public func powerOff() {
    guard isPowered else { return }
    isPowered = false
    connections = []
    for service in services { service.reset() }
    setSupply(false, at: radio.nanoseconds)
  }

  /// Powers the tag on and runs it in the simulated air of its radio.
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

  /// The time of the next action in nanoseconds of the radio; `nil` if the tag waits for its radio.
  public var nextChange: UInt64? { services.compactMap(\.nextChange).min() }

  /// Performs all actions due by a time.
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

  /// The service with the earliest action, if it is due.
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
      // The firmware resets its sensors when the last connection ends, and advertises again.
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
  /// The behavior of a tag whose sensors do not respond.
  public enum Trouble: Hashable, Sendable {
    /// The sensors respond.
    case none
    /// The firmware does not detect the fault and notifies zeros.
    case off
    /// The firmware detects the fault: the configuration reads 0xFF after the sensor test, and no data are notified.
    case silent
  }

  /// Disconnects or restores the supply of the sensors.
  ///
  /// - Parameters:
  ///   - trouble: The behavior of the firmware.
  ///   - time: The time in nanoseconds of the radio.
  public func set(_ trouble: Trouble, at time: UInt64) {
    setSupply(trouble == .none, at: time)
    for service in services { service.trouble = trouble }
  }

  /// Switches the supply of the parts, but not before their local time, which advances while the firmware accesses
  /// them.
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

  /// Sleeps until a time; returns at once if it has passed.
  func sleep(until time: UInt64) { nanoseconds = max(nanoseconds, time) }
}
