import I2C
import Text

extension TracedTransfer: CustomStringConvertible {
  /// The messages as they went: `0x76  w f7  r 50 3a`; a failure behind them.
  public var description: String {
    var text = ""
    var address: I2CAddress?
    for message in messages {
      if message.segment.address != address {
        text += (text.isEmpty ? "" : "  ") + "\(message.segment.address)"
      }
      address = message.segment.address
      text += message.segment.direction == .write ? "  w" : "  r"
      if message.bytes.isEmpty, message.segment.count > 0 { text += " [\(message.segment.count)]" }
      for byte in message.bytes { text += " " + Hexadecimal.digits(byte) }
    }
    return error.map { "\(text)   failed: \($0)" } ?? text
  }
}
