public import BluetoothLE

/// The conformance check for pairs of radios: a session of a central with a peripheral, from the first advertisement to
/// the last disconnection.
///
/// The peripheral serves the table of ``services``; the check responds to its requests.
public final class RadioConformance {
  let central, peripheral: any BLERadio
  let timeOut: UInt64
  var deviations: [String] = []
  /// The events of the peripheral in order.
  var peripheralEvents: [BLEEvent.Kind] = []
  /// The events of the central that have not been evaluated.
  var centralEvents: [BLEEvent.Kind] = []
  var values: [Int: [UInt8]] = [1: [1, 2, 3], 2: [UInt8](0..<100)]
  /// Whether the peripheral leaves requests without a response.
  var isMute = false

  /// Performs the session.
  ///
  /// - Parameters:
  ///   - central: one radio, near the other.
  ///   - peripheral: the other.
  ///   - timeOut: the response timeout in nanoseconds of the radios' clock. Default: 10 s.
  /// - Returns: the deviations from the interface; empty if both radios conform.
  public static func deviations(
    central: any BLERadio, peripheral: any BLERadio, timeOut: UInt64 = 10_000_000_000
  ) -> [String] {
    let check = RadioConformance(central, peripheral, timeOut)
    check.run()
    return check.deviations
  }

  init(_ central: any BLERadio, _ peripheral: any BLERadio, _ timeOut: UInt64) {
    self.central = central
    self.peripheral = peripheral
    self.timeOut = timeOut
    peripheral.handler = { [unowned self] event in serve(event.kind) }
  }

  /// The base of the 128-bit service.
  static let long = BLEUUID(high: 0xF000_AA20_0451_4000, low: 0xB000_0000_0000_0000)
  static func long(_ number: UInt64) -> BLEUUID {
    BLEUUID(high: 0xF000_0000_0451_4000 | number << 32, low: long.low)
  }

  /// Services with 16-bit and 128-bit identifiers, and values of all kinds.
  static let services = [
    GATTService(
      BLEUUID(0x180A), [GATTCharacteristic(BLEUUID(0x2A24), .read, value: [0x43, 0x43])]),
    GATTService(
      long,
      [
        GATTCharacteristic(long(0xAA21), [.read, .notify, .indicate], name: "Data"),
        GATTCharacteristic(long(0xAA22), [.read, .write]),
        GATTCharacteristic(long(0xAA23), [.write, .writeWithoutResponse]),
      ]),
  ]

  static let advertising = BLEAdvertising(
    data: BLEAdvertisingData([.init(0x01, [0x06]), .init(0xFF, [0x0D, 0x00, 0x00])]).bytes,
    scanResponse: BLEAdvertisingData([.init(0x09, Array("Conformance".utf8))]).bytes)

  // MARK: The peripheral

  /// Responds for the peripheral: characteristic 2 rejects values longer than 4 bytes with 0x0D, characteristic 1 rejects a
  /// read without a value with 0x80.
  private func serve(_ event: BLEEvent.Kind) {
    peripheralEvents.append(event)
    if isMute { return }
    switch event {
    case .readRequested(let request, _, let characteristic):
      let value = values[characteristic]
      peripheral.send(.respond(request: request, value.map { .value($0) } ?? .error(0x80)))
    case .writeRequested(let value, let request, _, let characteristic):
      let isAccepted = characteristic != 2 || value.count <= 4
      if isAccepted { values[characteristic] = value }
      if let request {
        peripheral.send(.respond(request: request, isAccepted ? .value([]) : .error(0x0D)))
      }
    default: break
    }
  }

  // MARK: Waiting

  /// Records a deviation unless a condition holds.
  func check(_ isMet: Bool, _ title: String, _ found: Any = "") {
    if !isMet { deviations.append("\(title): \(found)") }
  }

  /// Sends a command from one side and returns its result.
  func outcome(_ command: BLECommand, peripheral isPeripheral: Bool = false) -> Result<
    BLEResult, BLEError
  >? {
    let radio = isPeripheral ? peripheral : central
    let number = radio.send(command)
    var found: Result<BLEResult, BLEError>?
    wait {
      for event in isPeripheral ? peripheralEvents : centralEvents {
        switch event {
        case .done(number, let result): found = .success(result)
        case .failed(number, let error): found = .failure(error)
        default: break
        }
      }
      return found != nil
    }
    return found
  }

  /// Waits until a condition holds; returns `false` after the timeout.
  @discardableResult
  func wait(_ atMost: UInt64? = nil, until isMet: () -> Bool) -> Bool {
    let end = central.nanoseconds + (atMost ?? timeOut)
    while !isMet() {
      guard central.nanoseconds < end else { return false }
      // Wait in short steps, because events of the peripheral arrive while the central waits.
      let step = min(central.nanoseconds + 20_000_000, end)
      if let event = central.next(by: step) { centralEvents.append(event.kind) }
    }
    return true
  }
}
