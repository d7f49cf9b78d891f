public import BluetoothLE
public import Environment
public import VirtualI2C

/// A virtual SensorTag: firmware that reads its sensors over its own I2C bus and serves them over Bluetooth LE.
///
/// It acts when its radio has an event and when its time comes: ``advance(to:)`` does what is due, ``nextChange`` says when that is.
/// In a `BLEAir` ``run(in:)`` sees to it; on a stack whoever waits for the radio's events does.
public final class SensorTag {
  /// Which one it is.
  public let model: TagModel
  /// Its radio.
  public let radio: any BLERadio
  /// The charge of its battery in percent, as it tells it.
  public var battery: UInt8 = 100 {
    didSet { if battery != oldValue { tell(.battery, [battery]) } }
  }
  /// The keys that are pressed: 1 the left, 2 the right, 4 the magnet's.
  ///
  /// They stand in its advertisements too.
  public var keys: UInt8 = 0 { didSet { if keys != oldValue { keysChanged() } } }
  /// How often a sensor's data were told or could have been.
  public private(set) var measurements = 0

  let clock: TagClock
  private let table: TagTable
  let services: [SensorService]
  private var isPowered = false
  private var connections: Set<BLEConnection> = []
  /// Is told when ``nextChange`` may have become earlier.
  private var wake: (() -> Void)?
  private var planned: UInt64?

  /// Creates a tag without power.
  ///
  /// - Parameters:
  ///   - model: which one.
  ///   - radio: its radio, whose events it takes.
  ///   - air: what surrounds its sensors; its time is the radio's.
  ///   - seed: what its parts draw their noise and numbers from.
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

  /// The parts on its bus, for faults: of the humidity service, then of the pressure service.
  public var parts: [any VirtualI2CDevice] { services.compactMap(\.sensor.part) }

  /// Gives it power: it starts with everything off, and advertises.
  public func powerOn() {
    guard !isPowered else { return }
    isPowered = true
    setSupply(true, at: radio.nanoseconds)
    for service in services { service.reset() }
    radio.send(.serve(table.services))
    advertise()
  }

  /// Takes its power: it forgets everything.
  ///
  /// Its radio's power is the radio's own.
  public func powerOff() {
    guard isPowered else { return }
    isPowered = false
    connections = []
    for service in services { service.reset() }
    setSupply(false, at: radio.nanoseconds)
  }

  /// Gives it power and lets it act in the air of its radio by itself.
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

  /// When it does something next by itself, in nanoseconds of its radio; `nil` where it waits for its radio.
  public var nextChange: UInt64? { services.compactMap(\.nextChange).min() }

  /// Does what is due by a time.
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

  /// The service whose time comes first, if that is due.
  private func nextService(by time: UInt64) -> Int? {
    services.indices.filter { (services[$0].nextChange ?? .max) <= time }
      .min { (services[$0].nextChange ?? .max) < (services[$1].nextChange ?? .max) }
  }

  // MARK: Its radio

  private func advertise() { radio.send(.advertise(model.advertising(keys: keys))) }

  private func keysChanged() {
    tell(.keys, [keys])
    if isPowered, connections.isEmpty { advertise() }
  }

  private func tell(_ role: TagTable.Role, _ value: [UInt8]) {
    guard isPowered, !connections.isEmpty, let place = table.place(of: role) else { return }
    radio.send(.notify(value, characteristic: place))
  }

  /// Takes an event of the radio.
  private func take(_ event: BLEEvent) {
    guard isPowered else { return }
    switch event.kind {
    case .connected(let link): connections.insert(link.connection)
    case .disconnected(let connection, _):
      connections.remove(connection)
      // The firmware resets its sensors with the last connection, and can be found again.
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
