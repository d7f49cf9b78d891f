/// A Bluetooth LE radio, of a dongle or a tag, in the central role, the peripheral role or both.
///
/// Radios are implemented by the in-process `BLEAir` in virtual time and by a Bluetooth stack. A radio accepts
/// commands and emits events, and is confined to one thread.
public protocol BLERadio: AnyObject {
  /// The address of the radio.
  var address: BLEAddress { get }
  /// The current time in nanoseconds, on the clock of its events.
  var nanoseconds: UInt64 { get }
  /// Called for each event as it occurs; if `nil`, events are queued for `next(by:)`.
  var handler: ((BLEEvent) -> Void)? { get set }

  /// Sends a command.
  ///
  /// - Returns: the command number, by which the answer is identified; the answer is emitted after this call returns.
  @discardableResult
  func send(_ command: BLECommand) -> Int

  /// Returns the next event, waiting for it if necessary.
  ///
  /// - Parameter time: the deadline, in nanoseconds on the radio's clock; if it has passed, only a queued event is
  ///   returned.
  /// - Returns: the event; `nil` if none occurred before the deadline.
  func next(by time: UInt64) -> BLEEvent?
}

/// A connection of a radio, identified by a number that is never reused.
public struct BLEConnection: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: Int

  /// Creates the connection with a number.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }
}

/// A command to a radio in either role.
///
/// Each command is answered by one event, `BLEEvent/Kind/done(command:_:)` or `BLEEvent/Kind/failed(command:_:)`;
/// `notify(_:characteristic:to:)` and `respond(request:_:)` are answered only if they fail. Commands of one
/// connection are executed in order.
public enum BLECommand: Hashable, Sendable {
  // Central role.

  /// Starts scanning; an active scan also requests scan responses.
  ///
  /// Every received advertisement is reported.
  case scan(isActive: Bool)
  case stopScanning
  /// Connects to a device, with a timeout in nanoseconds.
  ///
  /// Concurrent attempts are queued.
  case connect(BLEAddress, timeOut: UInt64)
  /// Requests a larger ATT_MTU; the number is the maximum of this side, in bytes.
  case exchangeMTU(BLEConnection, Int)
  /// Discovers all services and characteristics.
  case discover(BLEConnection)
  /// Reads a value, in several messages if it exceeds the ATT_MTU.
  case read(BLEConnection, handle: UInt16)
  /// Writes a value of at most ATT_MTU - 3 bytes, with or without response.
  case write([UInt8], BLEConnection, handle: UInt16, needsResponse: Bool = true)
  /// Subscribes to changes of a value, or unsubscribes.
  case subscribe(BLEConnection, handle: UInt16, BLESubscription = .notifications)
  /// Reads the signal strength of the other side.
  case readRSSI(BLEConnection)

  // Peripheral role.

  /// Serves services, which replace the previous ones.
  ///
  /// Characteristics are then identified by index: 0 for the first characteristic of the first service, counting
  /// through all services.
  case serve([GATTService])
  /// Starts advertising until a central connects or `stopAdvertising`.
  case advertise(BLEAdvertising)
  case stopAdvertising
  /// Sends a value to one or all subscribed centrals; it is truncated to ATT_MTU - 3 bytes.
  case notify([UInt8], characteristic: Int, to: BLEConnection? = nil)
  /// Responds to a request received as an event.
  case respond(request: Int, BLEResponse)

  // Both roles.

  case disconnect(BLEConnection)
}

/// The data and interval of advertising.
public struct BLEAdvertising: Hashable, Sendable {
  /// The advertising data, at most 31 bytes.
  public var data: [UInt8]
  /// The scan response, at most 31 bytes.
  public var scanResponse: [UInt8]
  /// The advertising interval in nanoseconds, to which the radio adds 0 to 10 ms each time.
  ///
  /// Default: 100 ms.
  public var interval: UInt64

  /// Creates the settings of connectable advertising.
  public init(data: [UInt8], scanResponse: [UInt8] = [], interval: UInt64 = 100_000_000) {
    self.data = data
    self.scanResponse = scanResponse
    self.interval = interval
  }

  /// The maximum length of legacy advertising data, in bytes.
  public static let longest = 31
}

/// The response of a server to a request.
public enum BLEResponse: Hashable, Sendable {
  /// The requested value; empty for a write.
  case value([UInt8])
  /// The failure, as an ATT error code.
  case error(UInt8)
}

/// An event of a radio.
public struct BLEEvent: Hashable, Sendable {
  /// The time of the event, in nanoseconds on the radio's clock.
  public let time: UInt64
  /// The kind of event.
  public let kind: Kind

  /// Creates an event.
  public init(at time: UInt64, _ kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// The kinds of events.
  public enum Kind: Hashable, Sendable {
    /// A command succeeded.
    case done(command: Int, BLEResult)
    case failed(command: Int, BLEError)
    /// An advertisement was received.
    case advertisement(BLEAdvertisement)
    /// A central connected to this peripheral, which has stopped advertising.
    case connected(BLELink)
    /// A connection was ended by either side or by a timeout, with the controller's reason code (Core Specification,
    /// Vol 1, Part F).
    case disconnected(BLEConnection, reason: UInt8)
    /// The other side requested a larger ATT_MTU.
    case mtuChanged(BLEConnection, Int)
    /// A peripheral sent a notification or indication.
    case notified([UInt8], BLEConnection, handle: UInt16, isIndication: Bool)
    /// A central requests a value and waits for the response.
    case readRequested(request: Int, BLEConnection, characteristic: Int)
    /// A central writes a value, and waits for a response if there is a request number.
    case writeRequested([UInt8], request: Int?, BLEConnection, characteristic: Int)
    /// A central subscribed to a value, or unsubscribed.
    case subscribed(BLEConnection, characteristic: Int, BLESubscription)
    /// The radio is gone, with the cause; no other event follows.
    case gone(String)
  }
}

/// The result of a command.
public enum BLEResult: Hashable, Sendable {
  /// Success without a result.
  case nothing
  /// A new connection.
  case connected(BLELink)
  /// The ATT_MTU of a connection.
  case mtu(Int)
  /// The services of a device with their handles.
  case services([GATTService])
  case value([UInt8])
  /// The signal strength of the other side, in dBm.
  case rssi(Int)
}

/// A connection and its parameters.
public struct BLELink: Hashable, Sendable {
  /// The connection number.
  public let connection: BLEConnection
  /// The address of the other side.
  public let peer: BLEAddress
  /// The connection interval in nanoseconds.
  public let interval: UInt64

  /// Creates the description of a connection.
  public init(_ connection: BLEConnection, peer: BLEAddress, interval: UInt64) {
    self.connection = connection
    self.peer = peer
    self.interval = interval
  }
}

/// A received advertisement.
public struct BLEAdvertisement: Hashable, Sendable {
  /// The address of the sender.
  public let address: BLEAddress
  /// The signal strength in dBm.
  public let rssi: Int
  /// `true` if a central may connect.
  public let isConnectable: Bool
  /// `true` for a scan response.
  public let isScanResponse: Bool
  /// The data, which `BLEAdvertisingData` parses.
  public let data: [UInt8]

  /// Creates an advertisement.
  public init(
    from address: BLEAddress, rssi: Int, isConnectable: Bool, isScanResponse: Bool, data: [UInt8]
  ) {
    self.address = address
    self.rssi = rssi
    self.isConnectable = isConnectable
    self.isScanResponse = isScanResponse
    self.data = data
  }
}

/// The failures of a command.
public enum BLEError: Error, Hashable, Sendable {
  /// No answer arrived before the timeout.
  case timeOut
  /// The connection does not exist, or it ended before the command was completed.
  case disconnected
  /// The radio has its maximum number of connections.
  case tooManyConnections
  /// The value exceeds the limit of the connection or advertisement.
  case valueTooLong
  /// The request or characteristic named by the command does not exist.
  case noSuchThing
  /// The server rejected the request with an ATT error code: 1 invalid handle, 2 read not permitted, 3 write not
  /// permitted.
  case refused(code: UInt8)
  /// Another failure, in the words of the stack.
  case other(String)
}
