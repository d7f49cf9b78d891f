public import I2C

/// Why a /dev/i2c-N cannot be used.
public struct LinuxI2CError: Error, Hashable, Sendable {
  /// The path of the node, or the name that no adapter has.
  public let path: String
  /// What was tried.
  public let operation: String
  /// What the kernel said.
  public let errno: I2CErrno
  /// What that means and what to try.
  public let explanation: String
}

extension LinuxI2CError: CustomStringConvertible {
  /// What failed, on what, and what to try.
  public var description: String { "\(path): \(operation): \(explanation)" }
}

extension I2CError {
  /// The failure of a transfer on real hardware: the kernel tells an errno, never the byte.
  init(kernel errno: Int32) {
    let kind: Kind =
      switch I2CErrno(rawValue: errno) {
      case .enxio, .eremoteio: .addressNack
      case .eagain: .arbitrationLost
      case .etimedout: .timeOut
      case .eopnotsupp: .unsupported
      case .einval: .invalid
      case .enodev: .noDevice
      default: .busError
      }
    self.init(kind, errno: I2CErrno(rawValue: errno))
  }
}
