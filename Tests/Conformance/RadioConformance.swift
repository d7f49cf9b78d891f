public import BluetoothLE

/// The one check that every pair of radios passes: a conversation of a central with a peripheral, from the first advertisement to
/// the last disconnection.
///
/// The peripheral serves the table of ``services``; the check answers for it.
public final class RadioConformance {
  let central, peripheral: any BLERadio
  let patience: UInt64
  var complaints: [String] = []
  /// What the peripheral was told, in order.
  var told: [BLEEvent.Kind] = []
  /// What the central was told meanwhile and is not looked at yet.
  var heard: [BLEEvent.Kind] = []
  var values: [Int: [UInt8]] = [1: [1, 2, 3], 2: [UInt8](0..<100)]
  /// Whether the peripheral leaves what it is asked without an answer.
  var isMute = false

  /// Makes the conversation.
  ///
  /// - Parameters:
  ///   - central: one radio, near the other.
  ///   - peripheral: the other.
  ///   - patience: how long an answer is waited for, in nanoseconds of their time.
  /// - Returns: what did not go as the interface says; nothing where both conform.
  public static func complaints(
    central: any BLERadio, peripheral: any BLERadio, patience: UInt64 = 10_000_000_000
  ) -> [String] {
    let check = RadioConformance(central, peripheral, patience)
    check.run()
    return check.complaints
  }

  init(_ central: any BLERadio, _ peripheral: any BLERadio, _ patience: UInt64) {
    self.central = central
    self.peripheral = peripheral
    self.patience = patience
    peripheral.handler = { [unowned self] event in serve(event.kind) }
  }

  /// The base of the service with 128 bits.
  static let long = BLEUUID(high: 0xF000_AA20_0451_4000, low: 0xB000_0000_0000_0000)
  static func long(_ number: UInt64) -> BLEUUID {
    BLEUUID(high: 0xF000_0000_0451_4000 | number << 32, low: long.low)
  }

  /// Services of both kinds of identifiers, and values of all kinds.
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

  /// Answers for the peripheral: characteristic 2 refuses what is longer than 4 bytes with 0x0D, 1 a read with 0x80 when it
  /// has nothing.
  private func serve(_ event: BLEEvent.Kind) {
    told.append(event)
    if isMute { return }
    switch event {
    case .readRequested(let request, _, let characteristic):
      let value = values[characteristic]
      peripheral.send(.respond(request: request, value.map { .value($0) } ?? .error(0x80)))
    case .writeRequested(let value, let request, _, let characteristic):
      let isTaken = characteristic != 2 || value.count <= 4
      if isTaken { values[characteristic] = value }
      if let request {
        peripheral.send(.respond(request: request, isTaken ? .value([]) : .error(0x0D)))
      }
    default: break
    }
  }

  // MARK: Waiting

  /// Complains unless something is so.
  func check(_ isSo: Bool, _ title: String, _ found: Any = "") {
    if !isSo { complaints.append("\(title): \(found)") }
  }

  /// What a command of one side came to.
  func outcome(_ command: BLECommand, peripheral isPeripheral: Bool = false) -> Result<
    BLEResult, BLEError
  >? {
    let radio = isPeripheral ? peripheral : central
    let number = radio.send(command)
    var found: Result<BLEResult, BLEError>?
    wait {
      for event in isPeripheral ? told : heard {
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

  /// Lets time pass until something is so; `false` where it never is.
  @discardableResult
  func wait(_ atMost: UInt64? = nil, until isSo: () -> Bool) -> Bool {
    let end = central.nanoseconds + (atMost ?? patience)
    while !isSo() {
      guard central.nanoseconds < end else { return false }
      // A short wait at a time: what the peripheral is told comes while the central waits.
      let step = min(central.nanoseconds + 20_000_000, end)
      if let event = central.next(by: step) { heard.append(event.kind) }
    }
    return true
  }
}
