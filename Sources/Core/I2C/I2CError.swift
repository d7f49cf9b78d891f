/// Why a transfer failed, where in it, and the errno that this adapter gives for it.
///
/// A NACK at byte n leaves the bytes before it effective: the target has seen them.
public struct I2CError: Error, Hashable, Sendable {
  /// What went wrong on the bus or before it.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// Nobody acknowledged the address.
    case addressNack
    /// The target did not acknowledge a byte written to it.
    case dataNack
    /// Another controller won the bus.
    case arbitrationLost
    /// A misplaced start or stop, or a line held low.
    case busError
    /// The bus did not become free, or a target stretched the clock too long.
    case timeOut
    /// The adapter cannot make such a transfer (functionality or quirks).
    case unsupported
    /// The request is malformed.
    case invalid
    /// The adapter is gone.
    case noDevice
  }

  /// What went wrong.
  public var kind: Kind
  /// The index of the message in the transfer.
  public var message: Int
  /// The index of the byte in that message; 0 where the address itself failed.
  public var byte: Int
  /// What a Linux program sees in `errno`.
  public var errno: I2CErrno

  /// Creates an error at a place in a transfer.
  @inlinable
  public init(_ kind: Kind, message: Int = 0, byte: Int = 0, errno: I2CErrno) {
    self.kind = kind
    self.message = message
    self.byte = byte
    self.errno = errno
  }
}

extension I2CError.Kind {
  /// The name of the kind as traces and rigs spell it.
  public var name: StaticString {
    switch self {
    case .addressNack: "nack-address"
    case .dataNack: "nack-data"
    case .arbitrationLost: "arbitration-lost"
    case .busError: "bus-error"
    case .timeOut: "timeout"
    case .unsupported: "unsupported"
    case .invalid: "invalid"
    case .noDevice: "no-device"
    }
  }
}
