/// A connection over the Generic Attribute Profile of Bluetooth LE, seen from the client.
///
/// It is all that a bridge needs of a radio: a value is written with a response, or read. A Bluetooth stack can
/// stand behind it as well as ``SimulatedGATTLink``.
public protocol GATTLink: AnyObject {
  /// Writes a value and waits for the response.
  ///
  /// - Parameters:
  ///   - value: the bytes, at most ATT_MTU - 3.
  ///   - characteristic: its 16-bit UUID.
  /// - Throws: ``GATTError``.
  func write(_ value: [UInt8], to characteristic: UInt16) throws(GATTError)

  /// Reads a value.
  ///
  /// - Parameter characteristic: its 16-bit UUID.
  /// - Returns: the bytes, at most ATT_MTU - 1.
  /// - Throws: ``GATTError``.
  func read(_ characteristic: UInt16) throws(GATTError) -> [UInt8]
}

/// Why an operation of the Generic Attribute Profile failed.
public enum GATTError: Error, Hashable, Sendable {
  /// There is no connection.
  case disconnected
  /// No response came.
  case noResponse
  /// The value is longer than the attribute protocol carries.
  case valueTooLong
  /// The server has no such characteristic.
  case noSuchCharacteristic
}

/// The side of a connection that holds the values.
public protocol GATTServer: AnyObject {
  /// Takes a value that a client writes.
  ///
  /// - Throws: ``GATTError``.
  func take(_ value: [UInt8], for characteristic: UInt16) throws(GATTError)
  /// Gives a value that a client reads.
  ///
  /// - Throws: ``GATTError``.
  func value(of characteristic: UInt16) throws(GATTError) -> [UInt8]
  /// A client has met no connection: the one that was there has ended.
  func lost()
}

extension GATTServer {
  /// Does nothing: who keeps no connection of its own loses none.
  public func lost() {}
}
