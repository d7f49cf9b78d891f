import I2C
import I2CTrace

extension I2CError {
  /// A failure of which only the error number is known: what most adapters mean by it.
  init(reported errno: I2CErrno) {
    let kind: Kind =
      switch errno {
      case .enxio, .eremoteio: .addressNack
      case .eagain: .arbitrationLost
      case .etimedout: .timeOut
      case .eopnotsupp: .unsupported
      case .einval: .invalid
      case .enodev: .noDevice
      default: .busError
      }
    self.init(kind, errno: errno)
  }

  /// A failure as the C library words it: `No such device or address`.
  init(worded text: Substring) {
    let words: [(String, I2CErrno)] = [
      ("No such device or address", .enxio), ("Remote I/O error", .eremoteio),
      ("Connection timed out", .etimedout), ("Resource temporarily unavailable", .eagain),
      ("Operation not supported", .eopnotsupp), ("Invalid argument", .einval),
      ("No such device", .enodev), ("Input/output error", .eio),
    ]
    self.init(reported: words.first { text.contains($0.0) }?.1 ?? .enxio)
  }
}
