public import Quantities
import Text

/// A decoded notification of a tag: the record that a hub stores, evaluates and delivers.
///
/// `hub` and `sequence` identify it globally; a receiver drops a reading that it has already received.
public struct TagReading: Hashable, Sendable {
  /// The hub that received the notification.
  public var hub: String
  /// The sequence number at that hub, starting at 1.
  ///
  /// Numbers are never reused.
  public var sequence: UInt64
  /// The time of reception in nanoseconds since 1970, UTC.
  public var time: Int64
  /// The address of the tag, such as `A4:DA:32:00:00:01`.
  public var tag: String
  /// The name of the kind of tag in the catalogue; empty if unknown.
  public var kind: String
  /// The firmware revision, if it was read.
  public var firmware: String?
  /// The values in °C, Pa and %; `nil` for quantities that the notification does not contain, or that are invalid.
  public var values: AirReading
  /// The battery level in percent, if known.
  public var battery: Int?
  /// The received signal strength in dBm, if known.
  public var rssi: Int?
  /// The flags of the reading.
  public var quality: TagQuality
  /// The characteristic that notified, as four hexadecimal digits: `AA21`.
  public var characteristic: String
  /// The bytes as received.
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

  /// Whether the values are valid: no flag is set.
  public var isGood: Bool { quality.isEmpty }
}

extension TagReading {
  /// The record as one line of JSON with its keys in a fixed order; unknown values are omitted.
  ///
  ///     {"hub":"h1","sequence":7,"kind":"reading","time":"2026-01-01T00:00:00.000000000Z","tag":"A4:DA:32:00:00:01",
  ///      "model":"cc2650","temperature_c":25.259,"humidity_rh":47.943,"characteristic":"AA21","raw":"4065bc7a"}
  public var json: String {
    JSONValue.object(
      [
        ("hub", .string(hub)), ("sequence", .integer(sequence)), ("kind", .string("reading")),
        ("time", .string(Moment.text(time))),
      ] + members()
    ).compact
  }

  /// The members of the record except hub, sequence, kind and time.
  ///
  /// Values are rounded to 0.001 °C, 0.001 % and 0.1 Pa, which is less than the resolution of any part. The raw bytes
  /// follow.
  ///
  /// - Parameters:
  ///   - name: The name of the tag.
  ///   - zone: The name of its zone.
  /// - Returns: Keys and values in a fixed order; unknown values are omitted.
  func members(
    name: String? = nil, zone: String? = nil
  ) -> [(key: String, value: JSONValue)] {
    var fields: [(key: String, value: JSONValue)] = [("tag", .string(tag))]
    func add(_ key: String, _ value: JSONValue?) {
      if let value { fields.append((key, value)) }
    }
    func rounded(_ value: Double?, _ steps: Double) -> JSONValue? {
      value.flatMap { $0.isFinite ? .decimal(($0 * steps).rounded() / steps) : nil }
    }
    add("name", name.map(JSONValue.string))
    add("zone", zone.map(JSONValue.string))
    add("model", kind.isEmpty ? nil : .string(kind))
    add("firmware", firmware.map(JSONValue.string))
    add("temperature_c", rounded(values.temperature, 1000))
    add("humidity_rh", rounded(values.humidity, 1000))
    add("pressure_pa", rounded(values.pressure, 10))
    add("battery", battery.map { .integer($0) })
    add("rssi", rssi.map { .integer($0) })
    add("quality", quality.isEmpty ? nil : .array(quality.names.map(JSONValue.string)))
    add("characteristic", characteristic.isEmpty ? nil : .string(characteristic))
    add("raw", raw.isEmpty ? nil : .string(raw.map(Hexadecimal.digits).joined()))
    return fields
  }

  /// Parses a record; `nil` if the text is invalid or a member has the wrong type.
  public init?(json: String) {
    guard let value = JSONValue(reading: Array(json.utf8)) else { return nil }
    self.init(value)
  }

  init?(_ value: JSONValue) {
    guard let hub = value["hub"]?.text, let sequence = value["sequence"]?.whole(UInt64.self),
      let time = value["time"]?.text.flatMap(Moment.parse), let tag = value["tag"]?.text,
      let quality = TagQuality(names: value["quality"]?.array?.map { $0.text ?? "" } ?? []),
      let raw = Self.bytes(value["raw"])
    else { return nil }
    self.init(
      hub: hub, sequence: sequence, time: time, tag: tag, kind: value["model"]?.text ?? "",
      firmware: value["firmware"]?.text,
      values: AirReading(
        temperature: value["temperature_c"]?.double, pressure: value["pressure_pa"]?.double,
        humidity: value["humidity_rh"]?.double),
      battery: value["battery"]?.whole(), rssi: value["rssi"]?.whole(), quality: quality,
      characteristic: value["characteristic"]?.text ?? "", raw: raw)
  }

  private static func bytes(_ value: JSONValue?) -> [UInt8]? {
    guard let text = value?.text else { return [] }
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2), digits.allSatisfy({ Hexadecimal.value($0) != nil })
    else { return nil }
    return Hexadecimal.bytes(digits)
  }
}

/// The flags of a reading; a valid reading has none.
///
/// The flags follow the documentation of the tag (a disabled sensor reports zeros) and common practice: a relative
/// humidity
/// above 100 %, and a change faster than the air of a store can change.
public struct TagQuality: OptionSet, Hashable, Sendable {
  /// The flags as a bit mask.
  public let rawValue: UInt8

  /// Creates flags from a bit mask.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// All bytes are zero: the sensor is disabled, or has not measured yet.
  public static let off = TagQuality(rawValue: 1 << 0)
  /// All bits are set: the sensor did not respond on the tag's internal bus.
  public static let silent = TagQuality(rawValue: 1 << 1)
  /// The length differs from the documentation, as with the raw values of early firmware.
  public static let length = TagQuality(rawValue: 1 << 2)
  /// The value is impossible, such as a relative humidity above 100 % or below 0 %.
  public static let range = TagQuality(rawValue: 1 << 3)
  /// The value changed faster since the last valid reading than the policy allows.
  public static let rate = TagQuality(rawValue: 1 << 4)

  /// The flags with their names in records.
  static let names: [(flag: TagQuality, name: String)] = [
    (.off, "off"), (.silent, "silent"), (.length, "length"), (.range, "range"), (.rate, "rate"),
  ]

  /// The names of the set flags in a fixed order.
  public var names: [String] { Self.names.filter { contains($0.flag) }.map(\.name) }

  /// Creates flags from names; `nil` if a name is unknown.
  public init?(names: [String]) {
    self = []
    for name in names {
      guard let known = Self.names.first(where: { $0.name == name }) else { return nil }
      insert(known.flag)
    }
  }
}
