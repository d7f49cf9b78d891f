import HubQueue
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
    let device = JSONText.object([
      ("identifiers", JSONText.array([JSONText.quoted("\(hub)_\(address)")])),
      ("name", JSONText.quoted(tag.tag.name)),
      (
        "model",
        TagCatalogue.kind(named: tag.kind).map { JSONText.quoted($0.modelNumber) }
      ),
      (
        "manufacturer",
        TagCatalogue.kind(named: tag.kind).map { JSONText.quoted($0.maker) }
      ),
      ("suggested_area", JSONText.quoted(tag.tag.zone)),
    ])
    let document = JSONText.object([
      ("name", JSONText.quoted(sensor.name)),
      ("unique_id", JSONText.quoted("\(hub)_\(address)_\(sensor.key)")),
      ("state_topic", JSONText.quoted("\(root)/reading/\(tag.tag.address)")),
      // A notification contains only some of the quantities. For those that are missing, the
      // template returns an empty text, which Home Assistant ignores for numbers, so the last value
      // stays. The template cannot return `this.state` instead, because that may be `unavailable`,
      // and is in the unit that the user has chosen.
      (
        "value_template",
        JSONText.quoted(
          "{{ value_json.\(sensor.key) if is_number(value_json.\(sensor.key) | default('')) else '' }}"
        )
      ),
      ("device_class", JSONText.quoted(sensor.deviceClass)),
      ("unit_of_measurement", JSONText.quoted(sensor.unit)),
      ("state_class", JSONText.quoted("measurement")),
      ("entity_category", sensor.isDiagnostic ? JSONText.quoted("diagnostic") : nil),
      ("expire_after", "\(max(1, tag.tag.period / 1_000_000_000 * 3))"),
      ("availability_topic", JSONText.quoted("\(root)/status")),
      ("payload_available", JSONText.quoted("online")),
      ("payload_not_available", JSONText.quoted("offline")),
      ("device", device),
    ])
    return ("\(prefix)/sensor/\(hub)_\(address)/\(sensor.key)/config", document)
  }

  /// Returns the discovery document for the binary sensor that reports a zone's alarms.
  private func document(of zone: WarehousePolicy.Zone, _ hub: String) -> (String, String) {
    let object = zone.topic
    let document = JSONText.object([
      ("name", JSONText.quoted("\(zone.name): alarm")),
      ("unique_id", JSONText.quoted("\(hub)_zone_\(object)")),
      ("state_topic", JSONText.quoted("\(root)/zone/\(object)")),
      ("value_template", JSONText.quoted("{{ value_json.state }}")),
      ("payload_on", JSONText.quoted("ON")), ("payload_off", JSONText.quoted("OFF")),
      ("json_attributes_topic", JSONText.quoted("\(root)/zone/\(object)")),
      ("device_class", JSONText.quoted("problem")),
      ("availability_topic", JSONText.quoted("\(root)/status")),
      (
        "device",
        JSONText.object([
          ("identifiers", JSONText.array([JSONText.quoted("\(hub)_hub")])),
          ("name", JSONText.quoted("Hub \(hub)")),
        ])
      ),
    ])
    return ("\(prefix)/binary_sensor/\(hub)_zones/\(object)/config", document)
  }

  /// Returns the retained state of each zone: whether any alarms are open, and the numbers of
  /// alarms and warnings.
  package func states(_ snapshot: HubSnapshot) -> [(topic: String, payload: String)] {
    snapshot.policy.zones.map { zone in
      let alarms = snapshot.alarmState.open.values.filter { $0.zone == zone.name }
      let state = alarms.contains { $0.key.level == .alarm } ? "ON" : "OFF"
      return (
        "\(root)/zone/\(zone.topic)",
        JSONText.object([
          ("state", JSONText.quoted(state)), ("zone", JSONText.quoted(zone.name)),
          ("alarms", "\(alarms.count { $0.key.level == .alarm })"),
          ("warnings", "\(alarms.count { $0.key.level == .warning })"),
          ("silenced", snapshot.alarmState.silences[zone.name] == nil ? "false" : "true"),
        ])
      )
    }
  }
}
