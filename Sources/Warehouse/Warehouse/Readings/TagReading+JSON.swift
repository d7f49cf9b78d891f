import Quantities
import Text

extension TagReading {
  /// The record as one line of JSON, its keys in a fixed order; what is not known is left out.
  ///
  ///     {"hub":"h1","sequence":7,"time":"2026-01-01T00:00:00.000000000Z","tag":"A4:DA:32:00:00:01",
  ///      "kind":"cc2650","temperature_c":25.26,"humidity_rh":47.94,"characteristic":"AA21","raw":"4065bc7a"}
  public var json: String { value.compact }

  var value: JSONValue {
    var fields: [(key: String, value: JSONValue)] = [
      ("hub", .string(hub)), ("sequence", .integer(sequence)),
      ("time", .string(Moment.text(time))), ("tag", .string(tag)),
    ]
    func add(_ key: String, _ value: JSONValue?) {
      if let value { fields.append((key, value)) }
    }
    add("kind", kind.isEmpty ? nil : .string(kind))
    add("firmware", firmware.map(JSONValue.string))
    add("temperature_c", values.temperature.map(JSONValue.decimal))
    add("humidity_rh", values.humidity.map(JSONValue.decimal))
    add("pressure_pa", values.pressure.map(JSONValue.decimal))
    add("battery", battery.map { .integer($0) })
    add("rssi", rssi.map { .integer($0) })
    add("quality", quality.isEmpty ? nil : .array(quality.names.map(JSONValue.string)))
    add("characteristic", characteristic.isEmpty ? nil : .string(characteristic))
    add("raw", raw.isEmpty ? nil : .string(raw.map(Hexadecimal.digits).joined()))
    return .object(fields)
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
      hub: hub, sequence: sequence, time: time, tag: tag, kind: value["kind"]?.text ?? "",
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
