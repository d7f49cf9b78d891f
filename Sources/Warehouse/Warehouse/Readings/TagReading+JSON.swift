import Quantities
import Text

extension TagReading {
  /// The record as one line of JSON, its keys in a fixed order; what is not known is left out.
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

  /// What a record of it holds besides hub, sequence, kind and time.
  ///
  /// Values are rounded to 0.001 °C, 0.001 % and 0.1 Pa: less than a step of any part. Its bytes stand next to them.
  ///
  /// - Parameters:
  ///   - name: what people call the tag.
  ///   - zone: the name of its zone.
  /// - Returns: keys and values, in a fixed order; what is not known is left out.
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

  /// Reads a record; `nil` where the text is none, or holds a value of another type than the record has.
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
