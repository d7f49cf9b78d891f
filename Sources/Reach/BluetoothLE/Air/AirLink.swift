/// A connection between two virtual radios over the simulated radio medium, `BLEAir`.
///
/// Messages travel at connection events and in order, and lost messages are repeated.
final class AirLink {
  let central, peripheral: VirtualRadio
  let centralNumber, peripheralNumber: Int
  let interval: UInt64
  var mtu = 23
  /// `true` while at least one side considers the connection open.
  private(set) var isOpen = true
  /// `true` once permanent interference has interrupted the connection.
  var isDisturbed = false { didSet { rangeChanged() } }

  unowned let air: BLEAir
  private let anchor: UInt64
  private var arrivals: (toCentral: UInt64, toPeripheral: UInt64) = (0, 0)
  /// The queued requests of the central, which are executed one at a time.
  private var waiting: [(command: BLECommand, number: Int)] = []
  private var current: Int?
  private var isReading = false
  /// The disconnect commands of both sides; all of them are answered when the connection ends.
  private var endings: [(radio: VirtualRadio, number: Int)] = []
  private var subscriptions: [Int: BLESubscription] = [:]
  private var silence = 0

  init(_ central: VirtualRadio, _ peripheral: VirtualRadio, in air: BLEAir) {
    self.central = central
    self.peripheral = peripheral
    self.air = air
    interval = max(air.options.connectionInterval, 1)
    anchor = air.nanoseconds
    centralNumber = central.newConnection()
    peripheralNumber = peripheral.newConnection()
  }

  private var signal: Double? {
    isDisturbed ? nil : air.signal(from: central, to: peripheral)
  }

  // MARK: Message delivery

  /// Sends a message and performs an action when it arrives; the message is dropped if the connection ends first.
  private func travel(toCentral: Bool, rounds: UInt64 = 1, _ action: @escaping () -> Void) {
    var time = anchor + ((air.nanoseconds - anchor) / interval + 1) * interval
    time += (rounds - 1) * 2 * interval
    if let signal { while !air.arrives(at: signal) { time += interval } }
    time = max(time, toCentral ? arrivals.toCentral : arrivals.toPeripheral)
    if toCentral { arrivals.toCentral = time } else { arrivals.toPeripheral = time }
    air.schedule(at: time) { [self] in
      guard isOpen else { return }
      if signal != nil { action() } else { travel(toCentral: toCentral, action) }
    }
  }

  /// Starts or cancels the supervision timeout when the signal is lost or regained.
  func rangeChanged() {
    silence += 1
    guard isOpen, signal == nil else { return }
    let number = silence
    air.schedule(at: air.nanoseconds + air.options.supervisionTimeOut) { [self] in
      if isOpen, silence == number { close(central: 0x08, peripheral: 0x08) }
    }
  }

  /// Removes a radio that has lost power.
  func forget(_ radio: VirtualRadio) {
    if !central.isOn, !peripheral.isOn { isOpen = false }
  }

  private func close(central reasonOfCentral: UInt8, peripheral reasonOfPeripheral: UInt8) {
    isOpen = false
    for (radio, number) in endings {
      let isKnown = radio === central ? radio.links[centralNumber] : radio.links[peripheralNumber]
      if isKnown === self { radio.done(number) }
    }
    endings = []
    let failed = (current.map { [$0] } ?? []) + waiting.map(\.number)
    (waiting, current) = ([], nil)
    peripheral.requests = peripheral.requests.filter { $0.value.link !== self }
    if central.links.removeValue(forKey: centralNumber) != nil {
      for number in failed { central.failed(number, .disconnected) }
      central.emit(
        .disconnected(BLEConnection(rawValue: centralNumber), reason: reasonOfCentral))
    }
    if peripheral.links.removeValue(forKey: peripheralNumber) != nil {
      peripheral.emit(
        .disconnected(BLEConnection(rawValue: peripheralNumber), reason: reasonOfPeripheral))
    }
  }

  // MARK: Commands

  /// Executes a command of one side.
  func perform(_ command: BLECommand, _ number: Int, of radio: VirtualRadio) {
    let isCentral = radio === central
    switch command {
    case .disconnect:
      let reasons: (UInt8, UInt8) = isCentral ? (0x16, 0x13) : (0x13, 0x16)
      endings.append((radio, number))
      travel(toCentral: !isCentral) { [self] in
        close(central: reasons.0, peripheral: reasons.1)
      }
    case .readRSSI:
      let other = isCentral ? peripheral : central
      guard let signal = air.signal(from: other, to: radio) else {
        return radio.failed(number, .disconnected)
      }
      radio.done(number, .rssi(air.strength(of: signal)))
    default:
      guard isCentral else {
        return radio.failed(number, .other("the command is for the central role only"))
      }
      waiting.append((command, number))
      proceed()
    }
  }

  /// Starts the next request if none is in progress.
  private func proceed() {
    guard current == nil, !waiting.isEmpty else { return }
    let (command, number) = waiting.removeFirst()
    current = number
    if case .read = command { isReading = true } else { isReading = false }
    if case .write(let value, _, _, _) = command, value.count > mtu - 3 {
      return finish(number, .failure(.valueTooLong))
    }
    let end = air.nanoseconds + air.options.requestTimeOut
    air.schedule(at: end) { [self] in
      if current == number { finish(number, .failure(.timeOut)) }
    }
    travel(toCentral: false, rounds: command.rounds(of: peripheral)) { [self] in
      if current == number { serve(command, number) }
    }
  }

  private func finish(_ number: Int, _ result: Result<BLEResult, BLEError>) {
    guard current == number else { return }
    current = nil
    switch result {
    case .success(let result): central.done(number, result)
    case .failure(let error): central.failed(number, error)
    }
    proceed()
  }

  // MARK: Serving

  /// Serves a request at the server.
  private func serve(_ command: BLECommand, _ number: Int) {
    switch command {
    case .exchangeMTU(_, let wanted):
      mtu = max(
        23, min(wanted, central.capabilities.maximumMTU, peripheral.capabilities.maximumMTU))
      peripheral.emit(.mtuChanged(BLEConnection(rawValue: peripheralNumber), mtu))
      reply(number, .mtu(mtu))
    case .discover:
      let found = peripheral.services
      reply(number, .services(found.map(\.discovered)))
    case .read(_, let handle): read(handle, number)
    case .write(let value, _, let handle, let needsResponse):
      write(value, handle, needsResponse, number)
    case .subscribe(_, let handle, let subscription): subscribe(handle, subscription, number)
    default: reject(number, 0x06)
    }
  }

  private func read(_ handle: UInt16, _ number: Int) {
    guard let index = peripheral.index(ofHandle: handle),
      let characteristic = peripheral.characteristic(index)
    else { return reject(number, 0x01) }
    guard characteristic.properties.contains(.read) else { return reject(number, 0x02) }
    if let value = characteristic.value { return answer(number, .value(value)) }
    let request = peripheral.newRequest(of: self, number)
    peripheral.emit(
      .readRequested(
        request: request, BLEConnection(rawValue: peripheralNumber), characteristic: index))
  }

  private func write(_ value: [UInt8], _ handle: UInt16, _ needsResponse: Bool, _ number: Int) {
    let index = peripheral.index(ofHandle: handle)
    let characteristic = index.flatMap { peripheral.characteristic($0) }
    guard let index, let characteristic else {
      return needsResponse ? reject(number, 0x01) : finish(number, .success(.nothing))
    }
    let needed: GATTCharacteristic.Properties = needsResponse ? .write : .writeWithoutResponse
    guard characteristic.properties.contains(needed) else {
      return needsResponse ? reject(number, 0x03) : finish(number, .success(.nothing))
    }
    let request = needsResponse ? peripheral.newRequest(of: self, number) : nil
    peripheral.emit(
      .writeRequested(
        value, request: request, BLEConnection(rawValue: peripheralNumber), characteristic: index))
    if !needsResponse { finish(number, .success(.nothing)) }
  }

  private func subscribe(_ handle: UInt16, _ subscription: BLESubscription, _ number: Int) {
    guard let index = peripheral.index(ofHandle: handle),
      let characteristic = peripheral.characteristic(index)
    else { return reject(number, 0x01) }
    let needed: GATTCharacteristic.Properties =
      subscription == .indications ? .indicate : subscription == .notifications ? .notify : []
    guard characteristic.canBeSubscribed, characteristic.properties.isSuperset(of: needed) else {
      return reject(number, 0x03)
    }
    subscriptions[index] = subscription
    peripheral.emit(
      .subscribed(
        BLEConnection(rawValue: peripheralNumber), characteristic: index, subscription))
    reply(number, .nothing)
  }

  /// Sends the server's response back.
  func answer(_ number: Int, _ response: BLEResponse) {
    switch response {
    case .value(let value):
      let rounds = UInt64(max(value.count - 1, 0) / (mtu - 1)) + 1
      travel(toCentral: true, rounds: rounds) { [self] in
        finish(number, .success(isReading ? .value(value) : .nothing))
      }
    case .error(let code): reject(number, code)
    }
  }

  private func reply(_ number: Int, _ result: BLEResult) {
    travel(toCentral: true) { [self] in finish(number, .success(result)) }
  }

  private func reject(_ number: Int, _ code: UInt8) {
    travel(toCentral: true) { [self] in finish(number, .failure(.refused(code: code))) }
  }

  /// Sends a value to the central if it has subscribed to it.
  func notify(_ value: [UInt8], _ index: Int, _ handle: UInt16) {
    guard let subscription = subscriptions[index], subscription != .off else { return }
    let value = Array(value.prefix(mtu - 3))
    travel(toCentral: true) { [self] in
      central.emit(
        .notified(
          value, BLEConnection(rawValue: centralNumber), handle: handle,
          isIndication: subscription == .indications))
    }
  }
}

extension GATTService {
  /// The service as a client discovers it, without values and names.
  fileprivate var discovered: GATTService {
    var found = self
    for index in found.characteristics.indices {
      found.characteristics[index].value = nil
      found.characteristics[index].name = nil
    }
    return found
  }
}

extension BLECommand {
  /// The number of round trips of a request, which is greater than 1 only for discovery: it requests the services, then
  /// the content of each.
  fileprivate func rounds(of server: VirtualRadio) -> UInt64 {
    guard case .discover = self else { return 1 }
    return 1 + UInt64(server.services.count) * 2
  }
}
