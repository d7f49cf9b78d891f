import Quantities
import Text

extension TagKind {
  /// The reading that a notification is, not yet numbered; values that are flagged are left out of it, its bytes are not.
  ///
  /// - Parameters:
  ///   - bytes: the data as they came.
  ///   - data: the characteristic that notified.
  ///   - tag: the address of the tag.
  ///   - time: when, in nanoseconds since 1970.
  /// - Returns: the reading, or `nil` where the characteristic is none that this kind measures with.
  public func reading(_ bytes: [UInt8], of data: UInt16, tag: String, at time: Int64) -> TagReading?
  {
    guard let channel = channel(data: data) else { return nil }
    let decoded = channel.decode(bytes)
    let digits = Hexadecimal.digits(data, 4).uppercased()
    return TagReading(
      hub: "", sequence: 0, time: time, tag: tag, kind: name,
      values: decoded.quality.isEmpty ? decoded.values : AirReading(), quality: decoded.quality,
      characteristic: digits, raw: bytes)
  }
}
