public import I2C

/// Which errno an adapter gives for what happens on its bus.
public struct ErrnoPolicy: Hashable, Sendable {
  /// For an address that nobody acknowledged; adapters differ most here.
  public var addressNack: I2CErrno
  /// For a data byte that was not acknowledged.
  public var dataNack: I2CErrno
  /// For lost arbitration.
  public var arbitrationLost: I2CErrno
  /// For a bus error.
  public var busError: I2CErrno
  /// For a bus that is not free, or a clock stretched too long.
  public var timeOut: I2CErrno

  /// Creates a policy; what the kernel's fault code document recommends unless said.
  public init(
    addressNack: I2CErrno = .enxio, dataNack: I2CErrno = .eio,
    arbitrationLost: I2CErrno = .eagain, busError: I2CErrno = .eio, timeOut: I2CErrno = .etimedout
  ) {
    self.addressNack = addressNack
    self.dataNack = dataNack
    self.arbitrationLost = arbitrationLost
    self.busError = busError
    self.timeOut = timeOut
  }

  /// The errno of a kind of failure.
  public func errno(for kind: I2CError.Kind) -> I2CErrno {
    switch kind {
    case .addressNack: addressNack
    case .dataNack: dataNack
    case .arbitrationLost: arbitrationLost
    case .busError: busError
    case .timeOut: timeOut
    case .unsupported: .eopnotsupp
    case .invalid: .einval
    case .noDevice: .enodev
    }
  }
}
