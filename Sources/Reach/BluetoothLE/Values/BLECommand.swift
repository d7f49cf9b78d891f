/// A connection of a radio: a number that it gives once and never again.
public struct BLEConnection: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: Int

  /// Creates the connection with a number.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }
}

/// What a radio is told to do, in either role.
///
/// Each is answered once by an event, ``BLEEvent/Kind/done(command:_:)`` or ``BLEEvent/Kind/failed(command:_:)``; ``notify(_:characteristic:to:)``
/// and ``respond(request:_:)`` only where they fail. Commands of one connection are carried out in their order.
public enum BLECommand: Hashable, Sendable {
  // The central.

  /// Listens for advertisements; an active scan asks for scan responses too. Each is told as often as it is heard.
  case scan(isActive: Bool)
  /// Listens no longer.
  case stopScanning
  /// Connects with a device; gives up after a time in nanoseconds. Those that come meanwhile wait their turn.
  case connect(BLEAddress, timeOut: UInt64)
  /// Asks for longer messages: the largest that this side takes, in bytes.
  case exchangeMTU(BLEConnection, Int)
  /// Finds all services and characteristics.
  case discover(BLEConnection)
  /// Reads a value, in several messages where it is longer than one.
  case read(BLEConnection, handle: UInt16)
  /// Writes a value of at most ATT_MTU - 3 bytes, with or without an answer.
  case write([UInt8], BLEConnection, handle: UInt16, needsResponse: Bool = true)
  /// Asks to be told of changes of a value, or no longer to be.
  case subscribe(BLEConnection, handle: UInt16, BLESubscription = .notifications)
  /// Asks how strongly the other side is heard.
  case readRSSI(BLEConnection)

  // The peripheral.

  /// Serves services from now on, instead of those before.
  ///
  /// Characteristics are named by their places from then on: 0 for the first of the first service, all services counted through.
  case serve([GATTService])
  /// Advertises until a central connects, or told otherwise.
  case advertise(BLEAdvertising)
  /// Advertises no longer.
  case stopAdvertising
  /// Tells a central, or all, of a value, if they have asked for it; what is longer than ATT_MTU - 3 is cut.
  case notify([UInt8], characteristic: Int, to: BLEConnection? = nil)
  /// Answers a request that came as an event.
  case respond(request: Int, BLEResponse)

  // Both.

  /// Ends a connection.
  case disconnect(BLEConnection)
}

/// What and how a peripheral advertises.
public struct BLEAdvertising: Hashable, Sendable {
  /// The advertisement, at most 31 bytes.
  public var data: [UInt8]
  /// What is said to those who ask, at most 31 bytes.
  public var scanResponse: [UInt8]
  /// The time from one to the next in nanoseconds, to which the radio adds 0 to 10 ms each time; 100 ms unless given.
  public var interval: UInt64

  /// Creates the settings of connectable advertising.
  public init(data: [UInt8], scanResponse: [UInt8] = [], interval: UInt64 = 100_000_000) {
    self.data = data
    self.scanResponse = scanResponse
    self.interval = interval
  }

  /// The longest data of legacy advertising, in bytes.
  public static let longest = 31
}

/// What a server answers to a request.
public enum BLEResponse: Hashable, Sendable {
  /// The value that was asked for; nothing for a write.
  case value([UInt8])
  /// Why it is not done: an error code of the attribute protocol.
  case error(UInt8)
}
