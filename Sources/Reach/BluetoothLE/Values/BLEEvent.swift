/// What happened at a radio.
public struct BLEEvent: Hashable, Sendable {
  /// When, in nanoseconds of the radio's time.
  public let time: UInt64
  /// What.
  public let kind: Kind

  /// Creates an event.
  public init(at time: UInt64, _ kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// What can happen.
  public enum Kind: Hashable, Sendable {
    /// A command was carried out.
    case done(command: Int, BLEResult)
    /// A command was not.
    case failed(command: Int, BLEError)
    /// An advertisement was heard.
    case advertisement(BLEAdvertisement)
    /// A central has connected with this peripheral, which has stopped advertising.
    case connected(BLELink)
    /// A connection has ended, by either side or by itself, with a reason of the controller (Core Specification, Vol 1, Part F).
    case disconnected(BLEConnection, reason: UInt8)
    /// The other side has asked for longer messages.
    case mtuChanged(BLEConnection, Int)
    /// A peripheral has told of a value.
    case notified([UInt8], BLEConnection, handle: UInt16, isIndication: Bool)
    /// A central wants to read a value, and waits.
    case readRequested(request: Int, BLEConnection, characteristic: Int)
    /// A central writes a value; it waits where there is a request.
    case writeRequested([UInt8], request: Int?, BLEConnection, characteristic: Int)
    /// A central wants to be told of a value, or no longer.
    case subscribed(BLEConnection, characteristic: Int, BLESubscription)
    /// The radio is gone, and why: no other event follows.
    case gone(String)
  }
}

/// What came of a command.
public enum BLEResult: Hashable, Sendable {
  /// It is done, and there is nothing to tell.
  case nothing
  /// A connection.
  case connected(BLELink)
  /// The longest message of a connection, ATT_MTU.
  case mtu(Int)
  /// The services of a device with their handles.
  case services([GATTService])
  /// A value.
  case value([UInt8])
  /// How strongly the other side is heard, in dBm.
  case rssi(Int)
}

/// A connection, and with whom.
public struct BLELink: Hashable, Sendable {
  /// Its number.
  public let connection: BLEConnection
  /// The other side.
  public let peer: BLEAddress
  /// From one meeting of the two to the next, in nanoseconds.
  public let interval: UInt64

  /// Creates the description of a connection.
  public init(_ connection: BLEConnection, peer: BLEAddress, interval: UInt64) {
    self.connection = connection
    self.peer = peer
    self.interval = interval
  }
}

/// An advertisement as it was heard.
public struct BLEAdvertisement: Hashable, Sendable {
  /// Who sent it.
  public let address: BLEAddress
  /// How strongly, in dBm.
  public let rssi: Int
  /// Whether a central may connect.
  public let isConnectable: Bool
  /// Whether it is what was said on asking.
  public let isScanResponse: Bool
  /// What it says; ``BLEAdvertisingData`` reads it.
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

/// Why a command was not carried out.
public enum BLEError: Error, Hashable, Sendable {
  /// Nobody answered in time.
  case timeOut
  /// There is no such connection, or it ended meanwhile.
  case disconnected
  /// The radio holds as many connections as it can.
  case tooManyConnections
  /// The value is longer than the connection or the advertisement carries.
  case valueTooLong
  /// There is no such request, characteristic or other thing that the command names.
  case noSuchThing
  /// The server said no, with a code of the attribute protocol: 1 no such handle, 2 not to be read, 3 not to be written.
  case refused(code: UInt8)
  /// Something else, in the words of the stack.
  case other(String)
}
