/// The capabilities and the transmit power of a radio.
public struct BLECapabilities: Hashable, Sendable {
  /// The maximum number of connections; dongles support few.
  ///
  /// Default: 7.
  public var maximumConnections = 7
  /// The maximum ATT_MTU.
  ///
  /// Default: 247.
  public var maximumMTU = 247
  /// The transmit power in dBm.
  ///
  /// Default: 0.
  public var power = 0.0

  /// Creates capabilities; the defaults are those of the properties.
  public init(maximumConnections: Int = 7, maximumMTU: Int = 247, power: Double = 0) {
    self.maximumConnections = maximumConnections
    self.maximumMTU = maximumMTU
    self.power = power
  }
}

/// A radio in a simulated medium.
public final class VirtualRadio: BLERadio {
  /// The address of the radio.
  public let address: BLEAddress
  /// The capabilities of the radio.
  public let capabilities: BLECapabilities
  /// Called for each event as it occurs; if `nil`, events are queued for `next(by:)`.
  public var handler: ((BLEEvent) -> Void)?
  /// The position; connections out of range end after the supervision timeout.
  public var position: BLEPosition { didSet { if airEnd == nil { air.rangeChanged(of: self) } } }
  /// `true` if the radio has power.
  ///
  /// When it loses power, it stops scanning and advertising and loses its connections.
  public var isOn = true { didSet { if isOn != oldValue, airEnd == nil { switched() } } }

  /// The medium, valid until `airEnd` is set.
  unowned let air: BLEAir
  /// The time at which the medium was deallocated; `nil` while it exists.
  private var airEnd: UInt64?
  private var inbox: [BLEEvent] = []
  private var read = 0
  private var commands = 0
  private var connections = 0

  // The central role.
  var scan: (isActive: Bool, number: Int)?
  var initiations: [Initiation] = []
  // The peripheral role.
  var services: [GATTService] = []
  var characteristicPaths: [CharacteristicPath] = []
  var advertising: (settings: BLEAdvertising, start: UInt64, number: Int)?
  var isAdvertisementScheduled = false
  var requests: [Int: (link: AirLink, command: Int)] = [:]
  private var requestCount = 0
  // Both roles.
  var links: [Int: AirLink] = [:]

  /// A pending connection attempt.
  struct Initiation {
    let command: Int
    let peer: BLEAddress
    let timeOut: UInt64
  }

  /// The position of a characteristic in the served table: the index of its service, and its index in the service.
  struct CharacteristicPath {
    let service: Int, characteristic: Int
  }

  init(
    _ address: BLEAddress, in air: BLEAir, at position: BLEPosition, _ capabilities: BLECapabilities
  ) {
    self.address = address
    self.air = air
    self.position = position
    self.capabilities = capabilities
  }

  /// The former name of `position`.
  @available(*, deprecated, renamed: "position")
  public var place: BLEPosition {
    get { position }
    set { position = newValue }
  }

  /// The current time of the medium, in nanoseconds.
  public var nanoseconds: UInt64 { airEnd ?? air.nanoseconds }

  /// Sends a command.
  @discardableResult
  public func send(_ command: BLECommand) -> Int {
    commands += 1
    let number = commands
    // After the event `gone` commands are not answered.
    guard airEnd == nil else { return number }
    air.schedule(at: air.nanoseconds) { [unowned self] in perform(command, number) }
    return number
  }

  /// Returns the next event, advancing the medium until one occurs or the time is reached.
  public func next(by time: UInt64) -> BLEEvent? {
    let time = max(time, nanoseconds)
    while read == inbox.count {
      guard airEnd == nil else { return nil }
      guard air.step(by: time) else {
        air.advance(to: time)
        return nil
      }
    }
    defer {
      read += 1
      if read == inbox.count {
        inbox.removeAll(keepingCapacity: true)
        read = 0
      }
    }
    return inbox[read]
  }

  /// Ends the radio when its medium is deallocated, and breaks reference cycles.
  ///
  /// The event `gone` is queued; the handler is not called because its owner may be deallocated as well.
  func airEnded(at time: UInt64) {
    airEnd = time
    (links, requests) = ([:], [:])
    inbox.append(BLEEvent(at: time, .gone("the radio medium was deallocated")))
  }

  func emit(_ kind: BLEEvent.Kind) {
    let event = BLEEvent(at: nanoseconds, kind)
    if let handler { handler(event) } else { inbox.append(event) }
  }

  func done(_ command: Int, _ result: BLEResult = .nothing) {
    emit(.done(command: command, result))
  }

  func failed(_ command: Int, _ error: BLEError) { emit(.failed(command: command, error)) }

  /// Returns a new connection number.
  func newConnection() -> Int {
    connections += 1
    return connections
  }

  /// Returns a new number for a request that waits for its response.
  func newRequest(of link: AirLink, _ command: Int) -> Int {
    requestCount += 1
    requests[requestCount] = (link, command)
    return requestCount
  }

  /// Handles a change of power.
  private func switched() {
    if !isOn {
      scan = nil
      air.scanners.removeAll { $0 === self }
      advertising = nil
      initiations = []
      requests = [:]
      services = []
      characteristicPaths = []
    }
    air.rangeChanged(of: self)
    guard !isOn else { return }
    // This side drops its connections at once; the other side detects the loss by timeout.
    for link in links.values { link.forget(self) }
    links = [:]
  }
}

extension VirtualRadio {
  /// Executes a command.
  func perform(_ command: BLECommand, _ number: Int) {
    guard isOn else { return failed(number, .other("the radio is off")) }
    switch command {
    case .scan(let isActive):
      scan = (isActive, number)
      air.beginScan(self)
      done(number)
    case .stopScanning:
      scan = nil
      air.scanners.removeAll { $0 === self }
      done(number)
    case .connect(let peer, let timeOut):
      initiations.append(Initiation(command: number, peer: peer, timeOut: timeOut))
      if initiations.count == 1 { air.initiate(self) }
    case .serve(let services):
      // Each attribute needs a 16-bit handle; a characteristic has four attributes at most.
      let most = services.reduce(0) { $0 + 1 + $1.characteristics.count * 4 }
      guard most < 0xFFFF else {
        return failed(number, .other("the table has more than 65,534 attributes"))
      }
      serve(services)
      done(number, .services(self.services))
    case .advertise(let settings): advertise(settings, number)
    case .stopAdvertising:
      advertising = nil
      done(number)
    case .notify(let value, let characteristic, let connection):
      notify(value, characteristic, connection, number)
    case .respond(let request, let response):
      guard let (link, command) = requests.removeValue(forKey: request) else {
        return failed(number, .noSuchThing)
      }
      link.answer(command, response)
    case .disconnect(let connection), .exchangeMTU(let connection, _), .discover(let connection),
      .read(let connection, _), .write(_, let connection, _, _), .subscribe(let connection, _, _),
      .readRSSI(let connection):
      guard let link = links[connection.rawValue] else { return failed(number, .disconnected) }
      link.perform(command, number, of: self)
    }
  }

  /// Assigns handles to all attributes: the declaration, the value, then descriptors.
  private func serve(_ services: [GATTService]) {
    self.services = services
    characteristicPaths = []
    var handle: UInt16 = 1
    for (serviceIndex, service) in services.enumerated() {
      self.services[serviceIndex].handle = handle
      for (index, characteristic) in service.characteristics.enumerated() {
        characteristicPaths.append(CharacteristicPath(service: serviceIndex, characteristic: index))
        self.services[serviceIndex].characteristics[index].handle = handle + 2
        handle += 2
        if characteristic.canBeSubscribed { handle += 1 }
        if characteristic.name != nil { handle += 1 }
      }
      handle += 1
    }
  }

  /// Returns the index of the characteristic whose value has a handle.
  func index(ofHandle handle: UInt16) -> Int? {
    characteristicPaths.firstIndex {
      services[$0.service].characteristics[$0.characteristic].handle == handle
    }
  }

  /// Returns the characteristic at an index, counted through all services.
  func characteristic(_ index: Int) -> GATTCharacteristic? {
    guard characteristicPaths.indices.contains(index) else { return nil }
    let path = characteristicPaths[index]
    return services[path.service].characteristics[path.characteristic]
  }

  private func advertise(_ settings: BLEAdvertising, _ number: Int) {
    guard settings.data.count <= BLEAdvertising.longest,
      settings.scanResponse.count <= BLEAdvertising.longest
    else { return failed(number, .valueTooLong) }
    advertising = (settings, air.nanoseconds, number)
    air.beginAdvertising(self)
    done(number)
  }

  private func notify(
    _ value: [UInt8], _ index: Int, _ connection: BLEConnection?, _ number: Int
  ) {
    guard let characteristic = characteristic(index), characteristic.canBeSubscribed else {
      return failed(number, .noSuchThing)
    }
    if let connection {
      guard let link = links[connection.rawValue], link.peripheral === self else {
        return failed(number, .disconnected)
      }
      link.notify(value, index, characteristic.handle)
      return
    }
    for link in links.sorted(by: { $0.key < $1.key }).map(\.value) where link.peripheral === self {
      link.notify(value, index, characteristic.handle)
    }
  }
}
