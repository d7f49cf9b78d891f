/// A failed transfer: the kind of failure, its position in the transfer and the errno that the
/// adapter returns.
///
/// A NACK at byte n does not undo the bytes before it, because the target has received them.
public struct I2CError: Error, Hashable, Sendable {
  /// The kinds of failures, which occur on the bus or before it is used.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// No target acknowledged the address.
    case addressNack
    /// The target did not acknowledge a byte written to it.
    case dataNack
    /// Another controller won the arbitration.
    case arbitrationLost
    /// A start or stop condition was misplaced, or a line was held low.
    case busError
    /// The bus stayed busy, or a target stretched the clock beyond the adapter's limit.
    case timeOut
    /// The adapter does not support this transfer (functionality or quirks).
    case unsupported
    /// The request is malformed.
    case invalid
    /// The adapter was removed.
    case noDevice
  }

  /// The kind of failure.
  public var kind: Kind
  /// The index of the message in the transfer.
  public var message: Int
  /// The index of the byte in this message; 0 if the address was not acknowledged.
  public var byte: Int
  /// The `errno` that a Linux program sees.
  public var errno: I2CErrno

  /// Creates an error at a message and byte of a transfer.
  @inlinable
  public init(_ kind: Kind, message: Int = 0, byte: Int = 0, errno: I2CErrno) {
    self.kind = kind
    self.message = message
    self.byte = byte
    self.errno = errno
  }
}

extension I2CError.Kind {
  /// The name of the kind in traces and rigs.
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

extension I2CError: CustomStringConvertible {
  /// The kind, the position and the errno, such as "address not acknowledged (message 0, ENXIO)".
  public var description: String {
    let position = kind == .dataNack ? "message \(message), byte \(byte)" : "message \(message)"
    return "\(kind) (\(position), \(errno))"
  }
}

extension I2CError.Kind: CustomStringConvertible {
  /// A short English description.
  public var description: String {
    switch self {
    case .addressNack: "address not acknowledged"
    case .dataNack: "data byte not acknowledged"
    case .arbitrationLost: "arbitration lost"
    case .busError: "bus error"
    case .timeOut: "bus timed out"
    case .unsupported: "not supported by the adapter"
    case .invalid: "malformed request"
    case .noDevice: "adapter gone"
    }
  }
}

extension I2CErrno: CustomStringConvertible {
  /// The symbolic name, or `errno N`.
  public var description: String { name.map { "\($0)" } ?? "errno \(rawValue)" }
}

extension I2CAddress: CustomStringConvertible {
  /// The address in hexadecimal, `0x76`.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return digits.count < 2 ? "0x0" + digits : "0x" + digits
  }
}

/// A Linux error number, as adapters return it to programs.
///
/// Adapters return different numbers for the same NACK, and programs depend on them. An error
/// therefore stores the number that its adapter returns.
public struct I2CErrno: RawRepresentable, Error, Hashable, Sendable {
  /// The number in the generic Linux ABI, which x86, ARM and RISC-V share.
  public let rawValue: Int32

  /// Creates an error number.
  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Input/output error.
  @inlinable public static var eio: I2CErrno { .init(rawValue: 5) }
  /// No such device or address: returned by most adapters for an address NACK.
  @inlinable public static var enxio: I2CErrno { .init(rawValue: 6) }
  /// Try again: arbitration lost.
  @inlinable public static var eagain: I2CErrno { .init(rawValue: 11) }
  /// Bad address: memory outside the caller's address space.
  @inlinable public static var efault: I2CErrno { .init(rawValue: 14) }
  /// Device or resource busy.
  @inlinable public static var ebusy: I2CErrno { .init(rawValue: 16) }
  /// No such device.
  @inlinable public static var enodev: I2CErrno { .init(rawValue: 19) }
  /// Invalid argument.
  @inlinable public static var einval: I2CErrno { .init(rawValue: 22) }
  /// Inappropriate ioctl for device.
  @inlinable public static var enotty: I2CErrno { .init(rawValue: 25) }
  /// Protocol error: a block longer than the SMBus limit of 32 bytes.
  @inlinable public static var eproto: I2CErrno { .init(rawValue: 71) }
  /// Bad message: the packet error code does not match.
  @inlinable public static var ebadmsg: I2CErrno { .init(rawValue: 74) }
  /// Operation not supported.
  @inlinable public static var eopnotsupp: I2CErrno { .init(rawValue: 95) }
  /// Connection timed out.
  @inlinable public static var etimedout: I2CErrno { .init(rawValue: 110) }
  /// Remote I/O error: returned by some adapters for any NACK.
  @inlinable public static var eremoteio: I2CErrno { .init(rawValue: 121) }

  /// The symbolic name; `nil` for a number that this package does not use.
  public var name: StaticString? {
    switch self {
    case .eio: "EIO"
    case .enxio: "ENXIO"
    case .eagain: "EAGAIN"
    case .efault: "EFAULT"
    case .ebusy: "EBUSY"
    case .enodev: "ENODEV"
    case .einval: "EINVAL"
    case .enotty: "ENOTTY"
    case .eproto: "EPROTO"
    case .ebadmsg: "EBADMSG"
    case .eopnotsupp: "EOPNOTSUPP"
    case .etimedout: "ETIMEDOUT"
    case .eremoteio: "EREMOTEIO"
    default: nil
    }
  }
}

/// An error of a chip's driver: the step that failed and the cause.
public struct DriverError<Reason: DriverCause>: Error, Hashable, Sendable {
  /// The causes of the chip.
  public typealias Cause = Reason
  /// A step of the driver, during which an error can occur.
  public typealias Step = DriverStep

  /// The step that failed.
  public var step: DriverStep
  /// The reason why the step failed.
  public var cause: Reason

  /// Creates an error from the failed step and its cause.
  public init(_ step: DriverStep, _ cause: Reason) {
    self.step = step
    self.cause = cause
  }
}

extension DriverError: CustomStringConvertible {
  /// A sentence such as "reading the calibration: address not acknowledged (message 0, ENXIO)".
  public var description: String { step.description + ": " + cause.description }
}

/// The causes for which the driver of a chip fails, each with a phrase for error messages.
public protocol DriverCause: Hashable, Sendable, CustomStringConvertible {
  /// A transfer failed.
  static func bus(_ error: I2CError) -> Self
}

/// A step of a chip's driver.
public enum DriverStep: UInt8, Hashable, Sendable {
  /// Reading the chip's id or its serial number.
  case identify
  /// Resetting the chip, and waiting until it can be used.
  case reset
  /// Reading the calibration.
  case calibrate
  /// Writing the settings, or reading them back.
  case configure
  /// Starting a measurement.
  case trigger
  /// Waiting for a measurement to end.
  case wait
  /// Reading a result.
  case read
}

extension DriverStep: CustomStringConvertible {
  /// The step as a phrase for error messages.
  public var description: String {
    switch self {
    case .identify: "identifying the chip"
    case .reset: "resetting the chip"
    case .calibrate: "reading the calibration"
    case .configure: "writing the configuration"
    case .trigger: "starting a measurement"
    case .wait: "waiting for a measurement"
    case .read: "reading the result"
    }
  }
}
