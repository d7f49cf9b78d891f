import HubQueue
import Support
import Warehouse

/// The retained MQTT discovery messages that make Home Assistant display the hub's tags and alarms.
package struct HomeAssistant: Sendable {
  /// The discovery prefix, such as `homeassistant`.
  let prefix: String
  /// The root of the hub's topics, such as `aneroid/north`.
  let root: String

  /// Creates the messages for a hub.
  package init(prefix: String, root: String) { (self.prefix, self.root) = (prefix, root) }

  /// A quantity of a tag, with the names that Home Assistant uses for it.
  private struct Sensor {
    let name, deviceClass, unit, key: String
    var isDiagnostic = false
  }

  private static let sensors = [
    Sensor(name: "Temperature", deviceClass: "temperature", unit: "°C", key: "temperature_c"),
    Sensor(name: "Humidity", deviceClass: "humidity", unit: "%", key: "humidity_rh"),
    Sensor(
      name: "Battery", deviceClass: "battery", unit: "%", key: "battery", isDiagnostic: true),
    Sensor(
      name: "Signal", deviceClass: "signal_strength", unit: "dBm", key: "rssi", isDiagnostic: true),
  ]

  private static let pressure = Sensor(
    name: "Pressure", deviceClass: "atmospheric_pressure", unit: "Pa", key: "pressure_pa")

  /// Returns the discovery topics and documents of the hub's tags and zones.
  package func documents(_ snapshot: HubSnapshot) -> [(topic: String, payload: String)] {
    snapshot.tags.flatMap { tag in
      let hasPressure = TagCatalogue.kind(named: tag.kind)?.pressure != nil
      return (Self.sensors + (hasPressure ? [Self.pressure] : [])).map {
        document($0, of: tag, snapshot.hub)
      }
    } + snapshot.policy.zones.map { document(of: $0, snapshot.hub) }
  }

  private func document(_ sensor: Sensor, of tag: TagState, _ hub: String) -> (String, String) {
    let address = tag.tag.address.filter { $0 != ":" }.lowercased()
    let device = JSONValue.members([
      ("identifiers", JSONValue.array([JSONValue.string("\(hub)_\(address)")])),
      ("name", JSONValue.string(tag.tag.name)),
      (
        "model",
        TagCatalogue.kind(named: tag.kind).map { JSONValue.string($0.modelNumber) }
      ),
      (
        "manufacturer",
        TagCatalogue.kind(named: tag.kind).map { JSONValue.string($0.maker) }
      ),
      ("suggested_area", JSONValue.string(tag.tag.zone)),
    ])
    let document = JSONValue.members([
      ("name", JSONValue.string(sensor.name)),
      ("unique_id", JSONValue.string("\(hub)_\(address)_\(sensor.key)")),
      ("state_topic", JSONValue.string("\(root)/reading/\(tag.tag.address)")),
      // A notification contains only some of the quantities. For those that are missing, the
      // template returns an empty text, which Home Assistant ignores for numbers, so the last value
      // stays. The template cannot return `this.state` instead, because that may be `unavailable`,
      // and is in the unit that the user has chosen.
      (
        "value_template",
        JSONValue.string(
          "{{ value_json.\(sensor.key) if is_number(value_json.\(sensor.key) | default('')) else '' }}"
        )
      ),
      ("device_class", JSONValue.string(sensor.deviceClass)),
      ("unit_of_measurement", JSONValue.string(sensor.unit)),
      ("state_class", JSONValue.string("measurement")),
      ("entity_category", sensor.isDiagnostic ? JSONValue.string("diagnostic") : nil),
      ("expire_after", .integer(max(1, tag.tag.period / 1_000_000_000 * 3))),
      ("availability_topic", JSONValue.string("\(root)/status")),
      ("payload_available", JSONValue.string("online")),
      ("payload_not_available", JSONValue.string("offline")),
      ("device", device),
    ])
    return ("\(prefix)/sensor/\(hub)_\(address)/\(sensor.key)/config", document.compact)
  }

  /// Returns the discovery document for the binary sensor that reports a zone's alarms.
  private func document(of zone: WarehousePolicy.Zone, _ hub: String) -> (String, String) {
    let object = zone.topic
    let document = JSONValue.members([
      ("name", JSONValue.string("\(zone.name): alarm")),
      ("unique_id", JSONValue.string("\(hub)_zone_\(object)")),
      ("state_topic", JSONValue.string("\(root)/zone/\(object)")),
      ("value_template", JSONValue.string("{{ value_json.state }}")),
      ("payload_on", JSONValue.string("ON")), ("payload_off", JSONValue.string("OFF")),
      ("json_attributes_topic", JSONValue.string("\(root)/zone/\(object)")),
      ("device_class", JSONValue.string("problem")),
      ("availability_topic", JSONValue.string("\(root)/status")),
      (
        "device",
        JSONValue.members([
          ("identifiers", JSONValue.array([JSONValue.string("\(hub)_hub")])),
          ("name", JSONValue.string("Hub \(hub)")),
        ])
      ),
    ])
    return ("\(prefix)/binary_sensor/\(hub)_zones/\(object)/config", document.compact)
  }

  /// Returns the retained state of each zone: whether any alarms are open, and the numbers of
  /// alarms and warnings.
  package func states(_ snapshot: HubSnapshot) -> [(topic: String, payload: String)] {
    snapshot.policy.zones.map { zone in
      let alarms = snapshot.alarmState.open.values.filter { $0.zone == zone.name }
      let state = alarms.contains { $0.key.level == .alarm } ? "ON" : "OFF"
      return (
        "\(root)/zone/\(zone.topic)",
        JSONValue.members([
          ("state", JSONValue.string(state)), ("zone", JSONValue.string(zone.name)),
          ("alarms", .integer(alarms.count { $0.key.level == .alarm })),
          ("warnings", .integer(alarms.count { $0.key.level == .warning })),
          ("silenced", .bool(snapshot.alarmState.silences[zone.name] != nil)),
        ]).compact
      )
    }
  }
}
