import Text

/// Puts the bytes of a serial port together to lines.
struct SerialLines {
  /// Longer lines are cut, so that a port that never ends one fills no memory.
  static let longest = 4096

  private var bytes: [UInt8] = []
  /// When the first byte of the line came.
  private(set) var start: UInt64 = 0

  /// Takes a byte; returns the line that it ends, without its end.
  mutating func take(_ byte: UInt8, at time: UInt64) -> String? {
    if bytes.isEmpty { start = time }
    if byte != 10 {
      bytes.append(byte)
      guard bytes.count >= Self.longest else { return nil }
    }
    return finish()
  }

  /// What has come of a line that nothing ends.
  mutating func finish() -> String? {
    defer { bytes.removeAll(keepingCapacity: true) }
    if bytes.last == 13 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a line has begun.
  var isOpen: Bool { !bytes.isEmpty }
}
