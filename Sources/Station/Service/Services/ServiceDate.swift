import Forecasts

/// The dates of the four services: `20131001_01`, `20131001`; UTC.
enum ServiceDate {
  /// Reads a day and an hour.
  static func hour(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 11, bytes[8] == UInt8(ascii: "_"), let day = day(String(text.prefix(8))),
      let hour = digits(bytes[9...]), hour < 24
    else { return nil }
    return day + hour * 3600
  }

  /// Reads a day.
  static func day(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 8, let year = digits(bytes[..<4]), let month = digits(bytes[4..<6]),
      let day = digits(bytes[6...])
    else { return nil }
    return CivilTime.seconds(year, month, day)
  }

  private static func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for byte in bytes {
      guard (48...57).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 48)
    }
    return value
  }
}
