package import Quantities
package import Warehouse

/// What a hub knows of a tag now.
package struct TagState: Sendable {
  /// The tag as the hub expects it.
  package let tag: WarehousePolicy.ExpectedTag
  /// Its kind, once it is known.
  package var kind = ""
  /// The firmware revision.
  package var firmware: String?
  /// The last values that may be believed.
  package var values = AirReading()
  /// When it was heard last, in nanoseconds since 1970; `nil` before the first time.
  package var heard: Int64?
  /// What was wrong with the last of its notifications.
  package var quality: TagQuality = []
  /// The battery in percent.
  package var battery: Int?
  /// The strength of the signal in dBm.
  package var rssi: Int?
  /// How many notifications came.
  package var count = 0
  /// The last temperatures and humidities, the oldest first.
  package var trend: [AirReading] = []

  /// How many values of a trend are kept.
  package static let longestTrend = 60

  init(_ tag: WarehousePolicy.ExpectedTag) { self.tag = tag }

  /// Decodes a notification, and flags what changed faster than air does.
  mutating func take(_ told: TagNotification, _ rates: inout RateCheck, hub: String) -> TagReading {
    heard = told.time
    count += 1
    kind = told.kind?.name ?? kind
    (rssi, battery) = (told.rssi ?? rssi, told.battery ?? battery)
    firmware = told.firmware ?? firmware
    var reading = TagReading(
      hub: hub, sequence: 0, time: told.time, tag: tag.address, kind: kind, firmware: firmware,
      battery: battery, rssi: rssi,
      characteristic: told.characteristic == 0 ? "" : Self.digits(told.characteristic),
      raw: told.raw)
    guard told.characteristic != 0,
      let channel = told.kind?.channel(data: told.characteristic)
    else { return reading }
    let decoded = channel.decode(told.raw)
    (reading.values, reading.quality) = (decoded.values, decoded.quality)
    rates.check(&reading)
    quality = reading.quality
    guard reading.isGood else { return reading }
    for quantity in Quantity.allCases {
      if let value = reading.values[quantity] { values[quantity] = value }
    }
    if reading.values.humidity != nil {
      trend.append(reading.values)
      if trend.count > Self.longestTrend { trend.removeFirst() }
    }
    return reading
  }

  /// Four hexadecimal digits.
  static func digits(_ word: UInt16) -> String {
    let digits = String(word, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}
