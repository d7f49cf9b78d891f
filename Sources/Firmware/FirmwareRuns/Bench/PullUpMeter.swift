import I2C
import I2CTrace

/// The time for which the lines of a bus are low, while its pull-up resistors take current.
///
/// SCL is low for half of each bit. SDA is low for each bit that is 0, an acknowledgement among them (UM10204, 3.1). The
/// length of a bit follows from the duration of the transfer, so that a target that stretches the clock makes bits longer.
struct PullUpMeter {
  /// The current of a line that is low, in microamperes: 3.3 V over 4.7 kOhm.
  static let microamperes = 3_300_000.0 / 4700
  /// The words for the source of that figure.
  static let source =
    "assumption: 0.7 mA for each line of a bus while it is low, by pull-up resistors of 4.7 kOhm"

  /// The sum over both lines, in nanoseconds.
  private(set) var nanoseconds: UInt64 = 0

  /// The charge so far, in microcoulombs.
  var microcoulombs: Double { Double(nanoseconds) * Self.microamperes / 1e9 }

  /// Adds a transfer.
  mutating func note(_ transfer: TracedTransfer) {
    var (bits, zeros) = (0, 0)
    for message in transfer.messages {
      let isRead = message.segment.direction == .read
      let address = UInt8(truncatingIfNeeded: message.segment.address.rawValue << 1)
      let first = address | (isRead ? 1 : 0)
      // Each byte but the last of a read is acknowledged, by a zero.
      let count = message.bytes.count + 1
      bits += 9 * count
      zeros += 8 * count - first.nonzeroBitCount
      for byte in message.bytes { zeros -= byte.nonzeroBitCount }
      zeros += count - (isRead && count > 1 ? 1 : 0)
    }
    if transfer.error != nil, zeros > 0 { zeros -= 1 }
    guard bits > 0 else { return }
    nanoseconds += transfer.duration * UInt64(bits + 2 * zeros) / UInt64(2 * bits)
  }
}
