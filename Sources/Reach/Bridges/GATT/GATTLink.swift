/// A GATT connection over Bluetooth LE, seen from the client.
///
/// The link provides the operations that a bridge requires: write with response, and read. `SimulatedGATTLink`
/// implements this protocol, and so can a Bluetooth stack.
public protocol GATTLink: AnyObject {
  /// Writes a value and waits for the response.
  ///
  /// - Parameters:
  ///   - value: the bytes, at most ATT_MTU - 3.
  ///   - characteristic: the 16-bit UUID of the characteristic.
  /// - Throws: ``GATTError``.
  func write(_ value: [UInt8], to characteristic: UInt16) throws(GATTError)

  /// Reads a value.
  ///
  /// - Parameter characteristic: the 16-bit UUID of the characteristic.
  /// - Returns: the bytes, at most ATT_MTU - 1.
  /// - Throws: ``GATTError``.
  func read(_ characteristic: UInt16) throws(GATTError) -> [UInt8]
}

/// The failures of a GATT operation.
public enum GATTError: Error, Hashable, Sendable {
  /// There is no connection.
  case disconnected
  /// No response arrived.
  case noResponse
  /// The value is longer than the attribute protocol permits.
  case valueTooLong
  /// The server has no such characteristic.
  case noSuchCharacteristic
}

/// The server side of a connection, which holds the values.
public protocol GATTServer: AnyObject {
  /// Handles the write of a value by a client.
  ///
  /// - Throws: ``GATTError``.
  func take(_ value: [UInt8], for characteristic: UInt16) throws(GATTError)
  /// Returns the value that a client reads.
  ///
  /// - Throws: ``GATTError``.
  func value(of characteristic: UInt16) throws(GATTError) -> [UInt8]
  /// Notifies the server that an operation found no connection.
  func lost()
}

extension GATTServer {
  /// The default implementation, which does nothing.
  public func lost() {}
}
