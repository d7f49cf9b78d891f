/// A Linux error number, as adapters hand it to programs.
///
/// Adapters differ in the number they give for one and the same NACK, and programs meet that
/// difference: therefore it is data here, and not a constant.
public struct I2CErrno: RawRepresentable, Error, Hashable, Sendable {
  /// The number, as in the generic Linux ABI (x86, ARM and RISC-V share it).
  public let rawValue: Int32

  /// Creates an error number.
  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Input/output error.
  @inlinable public static var eio: I2CErrno { .init(rawValue: 5) }
  /// No such device or address: what most adapters give for an address NACK.
  @inlinable public static var enxio: I2CErrno { .init(rawValue: 6) }
  /// Try again: arbitration lost.
  @inlinable public static var eagain: I2CErrno { .init(rawValue: 11) }
  /// Bad address: memory that the caller does not have.
  @inlinable public static var efault: I2CErrno { .init(rawValue: 14) }
  /// Device or resource busy.
  @inlinable public static var ebusy: I2CErrno { .init(rawValue: 16) }
  /// No such device.
  @inlinable public static var enodev: I2CErrno { .init(rawValue: 19) }
  /// Invalid argument.
  @inlinable public static var einval: I2CErrno { .init(rawValue: 22) }
  /// Inappropriate ioctl for device.
  @inlinable public static var enotty: I2CErrno { .init(rawValue: 25) }
  /// Protocol error: a block longer than SMBus allows.
  @inlinable public static var eproto: I2CErrno { .init(rawValue: 71) }
  /// Bad message: the packet error code is wrong.
  @inlinable public static var ebadmsg: I2CErrno { .init(rawValue: 74) }
  /// Operation not supported.
  @inlinable public static var eopnotsupp: I2CErrno { .init(rawValue: 95) }
  /// Connection timed out.
  @inlinable public static var etimedout: I2CErrno { .init(rawValue: 110) }
  /// Remote I/O error: what some adapters give for any NACK.
  @inlinable public static var eremoteio: I2CErrno { .init(rawValue: 121) }

  /// The symbolic name, or `nil` for a number that no adapter here gives.
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
