import Schema

extension HubSettings {
  /// The JSON Schema of the file of a hub, for editors.
  public static var schema: String {
    JSONSchema.document(
      of: HubFileShape.file, heading: heading, identifier: "urn:aneroid:hub-schema",
      title: "Aneroid hub"
    ) { value($0, $1) }
  }

  /// Every key of the file of a hub, as a page of the documentation.
  public static var reference: String {
    let intro = [
      "# The file of a hub: every key", "",
      "All that the file of a hub may say, generated from the description that checks it.", "",
      "## Overview", "",
      "Quantities carry their unit (`8C`, `60%`, `15min`); paths are relative to the file. What is",
      "*required* must be given; of all else the text says what holds without it. `aneroid hub",
      "reference` prints this page, `aneroid hub schema` the same as JSON Schema, and `aneroid hub",
      "example` a file to begin with.", "",
    ]
    let reference = KeyReference(
      root: heading, example: { group, key in value(group, key).map { "\(key): \($0)" } },
      file: { _, _ in nil })
    return (intro + reference.lines(HubFileShape.file)).joined(separator: "\n") + "\n"
  }

  private static let heading = "A hub"

  /// The example of a key of a group: that of the group, or of all groups.
  private static func value(_ group: String, _ key: String) -> String? {
    // Limits stand in a group for each quantity.
    let quantity = group.split(separator: " ").last.map(String.init) ?? ""
    return examples["\(quantity)|\(key)"] ?? examples["\(group)|\(key)"] ?? examples[key]
  }

  private static let examples = [
    "hub": "north", "zones": "[{name: cold room}]", "storage": "cold-chain",
    "tags": "[{address: \"A4:DA:32:00:00:01\", name: shelf-1, zone: cold room}]",
    "duty": "{people: [Ana, Rui]}", "mqtt": "{host: broker.example}",
    "http": "{address: \"https://collector.example/batches\"}", "queue": "{records: 100000}",
    "page": "{listen: \"127.0.0.1:8090\"}", "commands": "{allowed: [acknowledge, silence]}",
    "name": "cold room", "tags|name": "shelf-1", "zone": "cold room", "period": "60s",
    "limits": "[{of: temperature, high: 8C}]", "of": "temperature", "level": "warning",
    "low": "2C", "high": "8C", "hysteresis": "0.5C", "delay": "5min",
    "humidity|of": "humidity", "humidity|low": "30%", "humidity|high": "60%",
    "humidity|hysteresis": "2%", "pressure|of": "pressure", "pressure|low": "990hPa",
    "pressure|high": "1030hPa", "pressure|hysteresis": "50Pa",
    "address": "\"A4:DA:32:00:00:01\"", "at": "[2m, 3.5m]", "people": "[Ana, Rui]",
    "escalate": "15min", "quiet": "5min", "fastest": "{humidity: 90%}",
    "host": "broker.example", "port": "8883", "user": "north",
    "password_file": "mqtt.password", "ca": "ca.pem", "certificate": "north.pem",
    "key": "north.key", "prefix": "aneroid", "discovery": "homeassistant", "confirm": "receiver",
    "keep_alive": "30s", "http|address": "\"https://collector.example/batches\"",
    "authorization_file": "collector.token", "every": "5min", "batch": "500",
    "file": "north.sqlite", "records": "1000000", "age": "30d", "history": "400d",
    "listen": "\"127.0.0.1:8090\"", "hosts": "[hub.example]", "token_file": "hub.token",
    "allowed": "[acknowledge, silence]", "link": "{transport: usb:0}", "transport": "usb:0",
    "connections": "7", "stay": "20s", "scan": "10s", "patience": "10s", "late": "30s",
    "longest_wait": "1min",
  ]
}
