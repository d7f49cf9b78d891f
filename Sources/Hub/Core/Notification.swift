package import Warehouse

/// What a tag has told of itself: the bytes, and what is known about them.
package struct TagNotification: Sendable {
  /// The address of the tag.
  package var tag: String
  /// Its kind, once it is known.
  package var kind: TagKind?
  /// The characteristic: the four digits in the tag's own 128-bit UUIDs; 0 where only the battery is told.
  package var characteristic: UInt16
  /// The bytes as they came.
  package var raw: [UInt8]
  /// When, in nanoseconds since 1970.
  package var time: Int64
  /// The strength of the signal in dBm.
  package var rssi: Int?
  /// The battery in percent.
  package var battery: Int?
  /// The firmware revision.
  package var firmware: String?

  /// Creates it.
  package init(
    tag: String, kind: TagKind?, characteristic: UInt16, raw: [UInt8], time: Int64,
    rssi: Int? = nil, battery: Int? = nil, firmware: String? = nil
  ) {
    (self.tag, self.kind, self.characteristic) = (tag, kind, characteristic)
    (self.raw, self.time, self.rssi) = (raw, time, rssi)
    (self.battery, self.firmware) = (battery, firmware)
  }
}
