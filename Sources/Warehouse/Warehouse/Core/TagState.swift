public import Quantities

/// What a hub knows of a tag now.
public struct TagState: Sendable {
  /// The tag as the hub expects it.
  public let tag: WarehousePolicy.ExpectedTag
  /// Its kind, once it is known.
  public internal(set) var kind = ""
  /// The firmware revision.
  public internal(set) var firmware: String?
  /// The last values that may be believed.
  public internal(set) var values = AirReading()
  /// When it was heard last, also before a start, in nanoseconds since 1970; `nil` before the first time.
  public internal(set) var heard: Int64?
  /// What was wrong with the last of its notifications.
  public internal(set) var quality: TagQuality = []
  /// The battery in percent.
  public internal(set) var battery: Int?
  /// The strength of the signal in dBm.
  public internal(set) var rssi: Int?
  /// How many notifications came since the start.
  public internal(set) var count = 0
  /// The last temperatures and humidities, the oldest first.
  public internal(set) var trend: [AirReading] = []

  /// How many values of a trend are kept.
  public static let longestTrend = 60

  /// A tag of which no more is known than when it was heard last, before a start.
  init(_ tag: WarehousePolicy.ExpectedTag, heard: Int64?) { (self.tag, self.heard) = (tag, heard) }

  /// The wall clock was stepped.
  mutating func step(by step: Int64) { heard = heard.map { Moment.stepped($0, by: step) } }

  /// Takes a reading that is decoded and checked.
  mutating func take(_ reading: TagReading) {
    heard = reading.time
    count += 1
    if !reading.kind.isEmpty { kind = reading.kind }
    (rssi, battery) = (reading.rssi ?? rssi, reading.battery ?? battery)
    firmware = reading.firmware ?? firmware
    // What tells of the battery alone says nothing of the sensors.
    guard !reading.characteristic.isEmpty else { return }
    quality = reading.quality
    guard reading.isGood else { return }
    for quantity in Quantity.allCases {
      if let value = reading.values[quantity] { values[quantity] = value }
    }
    if reading.values.humidity != nil {
      trend.append(reading.values)
      if trend.count > Self.longestTrend { trend.removeFirst() }
    }
  }
}
