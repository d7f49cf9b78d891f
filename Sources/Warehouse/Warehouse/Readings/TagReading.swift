public import Quantities

/// One notification of a tag, decoded: the record that a hub keeps, judges and delivers.
///
/// `hub` and `sequence` name it in the whole world: a receiver that has seen both drops the repeat.
public struct TagReading: Hashable, Sendable {
  /// The hub that heard it.
  public var hub: String
  /// Its number at that hub, from 1 on; no number is used twice.
  public var sequence: UInt64
  /// When it was heard, in nanoseconds since 1970, UTC.
  public var time: Int64
  /// The address of the tag, `A4:DA:32:00:00:01`.
  public var tag: String
  /// The name of the tag's kind, such as the catalogue of tags has it; empty where nobody knows.
  public var kind: String
  /// The firmware revision that the tag gives, where it was asked.
  public var firmware: String?
  /// °C, Pa and %; what this notification does not hold, or what is not to be believed, is `nil`.
  public var values: AirReading
  /// The battery in percent, where it is known.
  public var battery: Int?
  /// The strength of the signal in dBm, where it is known.
  public var rssi: Int?
  /// What is wrong with it.
  public var quality: TagQuality
  /// The characteristic that notified, four hexadecimal digits: `AA21`.
  public var characteristic: String
  /// The bytes as they came.
  public var raw: [UInt8]

  /// Creates a reading.
  public init(
    hub: String, sequence: UInt64, time: Int64, tag: String, kind: String = "",
    firmware: String? = nil, values: AirReading = AirReading(), battery: Int? = nil,
    rssi: Int? = nil, quality: TagQuality = [], characteristic: String = "", raw: [UInt8] = []
  ) {
    (self.hub, self.sequence, self.time) = (hub, sequence, time)
    (self.tag, self.kind, self.firmware) = (tag, kind, firmware)
    (self.values, self.battery, self.rssi) = (values, battery, rssi)
    (self.quality, self.characteristic, self.raw) = (quality, characteristic, raw)
  }

  /// Whether its values may be believed.
  public var isGood: Bool { quality.isEmpty }
}
