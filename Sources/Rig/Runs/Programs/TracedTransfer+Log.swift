import I2CTrace
import Text

extension TracedTransfer {
  /// The transfer in one line of a log.
  ///
  ///     0.012345 i2c-1 0x76  w f7  r 80 00 00 80 00 00 80 00   247.5 us
  var logged: String {
    let start = Decimal.fixed(Double(time) / 1e9, 6)
    let length = Decimal.fixed(Double(duration) / 1000, 1)
    return "\(start) i2c-\(bus) \(self)" + (error == nil ? "   \(length) us" : "")
  }
}
