public import Quantities
public import Support

/// A decoded notification from a tag, which a hub stores, evaluates and delivers as a record.
///
/// Together with the epoch of the hub's queue file, `hub` and `sequence` identify a delivered
/// reading globally.
public struct TagReading: Hashable, Sendable {
  /// The hub that received the notification.
  public var hub: String
  /// The sequence number at that hub, starting at 1.
  ///
  /// A number is used only once per queue file.
  public var sequence: UInt64
  /// The time at which the hub received the notification, in nanoseconds since 1970, UTC.
  public var time: Int64
  /// The address of the tag, such as `A4:DA:32:00:00:01`.
  public var tag: String
  /// The name of the kind of tag in the `TagCatalogue`; empty if unknown.
  public var kind: String
  /// The firmware revision, if it was read.
  public var firmware: String?
  /// The values in °C, Pa and %; `nil` for quantities that are invalid or that the notification
  /// does not contain.
  public var values: AirReading
  /// The battery level in percent, if known.
  public var battery: Int?
  /// The received signal strength in dBm, if known.
  public var rssi: Int?
  /// The flags of the reading.
  public var quality: TagQuality
  /// The characteristic that sent the notification, as four hexadecimal digits, such as `AA21`.
  public var characteristic: String
  /// The received bytes, before decoding.
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

  /// `true` if the values are valid, that is, if no flag is set.
  public var isGood: Bool { quality.isEmpty }
}

extension TagReading {
  /// The record as one line of JSON with its keys in a fixed order, without unknown values.
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
  /// Values are rounded to 0.001 °C, 0.001 % and 0.1 Pa, which is finer than any sensor's
  /// resolution. The raw bytes come last.
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

  /// Parses a record; the result is `nil` if the text is invalid or a member has the wrong type.
  public init?(json: String) {
    guard let value = JSONValue(reading: Array(json.utf8)) else { return nil }
    self.init(value)
  }

  /// Parses a record; the result is `nil` if a member is missing or has the wrong type.
  public init?(_ value: JSONValue) {
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

/// The flags of a reading; a valid reading has no flags.
///
/// Some flags follow the documentation of the tags (a disabled sensor reports zeros); the others
/// follow common practice for implausible values, such as a relative humidity above 100 % or a
/// change faster than the air of a warehouse can change.
public struct TagQuality: OptionSet, Hashable, Sendable {
  /// The flags as a bit mask.
  public let rawValue: UInt8

  /// Creates flags from a bit mask.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// All bytes are zero because the sensor is disabled or has not measured yet.
  public static let off = TagQuality(rawValue: 1 << 0)
  /// All bits are set because the sensor did not respond on the tag's internal bus.
  public static let silent = TagQuality(rawValue: 1 << 1)
  /// The notification is longer or shorter than documented; early firmware, for example, sends raw
  /// values of a different length.
  public static let length = TagQuality(rawValue: 1 << 2)
  /// The value is impossible, such as a relative humidity above 100 % or below 0 %.
  public static let range = TagQuality(rawValue: 1 << 3)
  /// The value changed faster since the last valid reading than the policy allows.
  public static let rate = TagQuality(rawValue: 1 << 4)

  /// The flags, with the names that records use for them.
  static let names: [(flag: TagQuality, name: String)] = [
    (.off, "off"), (.silent, "silent"), (.length, "length"), (.range, "range"), (.rate, "rate"),
  ]

  /// The names of the set flags in a fixed order.
  public var names: [String] { Self.names.filter { contains($0.flag) }.map(\.name) }

  /// Creates flags from names; the result is `nil` if a name is unknown.
  public init?(names: [String]) {
    self = []
    for name in names {
      guard let known = Self.names.first(where: { $0.name == name }) else { return nil }
      insert(known.flag)
    }
  }
}

/// Flags values that changed faster than the air of a warehouse can change.
///
/// A value is flagged if it changed too fast since the last valid value and also since the last
/// flagged value, if any, of the same tag and characteristic. A single outlier is therefore
/// flagged, whereas a real change is accepted at its second reading, from which on limits apply to
/// it. The allowed change grows with the time between the readings.
public struct RateCheck: Sendable {
  private struct Source: Hashable {
    let tag: String
    let characteristic: String
  }

  /// The shortest time in nanoseconds over which a rate of change is computed.
  private static let shortest = 10e9

  private let fastest: PerQuantity<Double>
  private typealias Heard = (time: Int64, values: AirReading)

  private var last: [Source: Heard] = [:]
  /// The last reading of each tag and characteristic that was flagged as a too fast change; removed
  /// when a reading is accepted.
  private var doubted: [Source: Heard] = [:]

  /// Creates a rate check.
  ///
  /// - Parameter fastest: The maximum change of each quantity per minute, in °C, % and Pa.
  public init(fastest: PerQuantity<Double>) { self.fastest = fastest }

  /// Shifts the times of the reference readings by a step of the wall clock.
  mutating func step(by step: Int64) {
    last = last.mapValues { (Moment.stepped($0.time, by: step), $0.values) }
    doubted = doubted.mapValues { (Moment.stepped($0.time, by: step), $0.values) }
  }

  /// Flags a reading whose values changed too fast.
  ///
  /// A reading that already has a flag is not checked.
  public mutating func check(_ reading: inout TagReading) {
    guard reading.isGood, Moment.all.contains(reading.time) else { return }
    let source = Source(tag: reading.tag, characteristic: reading.characteristic)
    let isJump = last[source].map { isTooFast(reading, since: $0) } ?? false
    guard isJump, doubted[source].map({ isTooFast(reading, since: $0) }) ?? true else {
      last[source] = (reading.time, reading.values)
      doubted[source] = nil
      return
    }
    reading.quality.insert(.rate)
    doubted[source] = (reading.time, reading.values)
  }

  private func isTooFast(_ reading: TagReading, since before: Heard) -> Bool {
    guard reading.time >= before.time else { return false }
    // Over a few seconds a small change is a fast one, and even two simultaneous values may differ by noise.
    let minutes = max(Double(reading.time - before.time), Self.shortest) / 60e9
    return Quantity.allCases.contains { quantity in
      guard let old = before.values[quantity], let new = reading.values[quantity] else {
        return false
      }
      return !(abs(new - old) <= fastest[quantity] * minutes)
    }
  }
}
