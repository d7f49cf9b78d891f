package import Schema
import Warehouse

/// The schema of the hub file.
package enum HubFileShape {
  /// The schema of the whole file.
  package static let file = Section(
    "the hub file",
    [
      .required("hub", .text, "name of the hub, which identifies its records"),
      .required("zones", .list(.section(zone)), "zones of the warehouse and their limits"),
      .required("tags", .list(.section(tag)), "tags that the hub expects"),
      .required("duty", .section(PolicyKeys.onCall), "people to notify of alarms"),
      .optional(
        "fastest", .section(PolicyKeys.fastest), "maximum plausible change of the air per minute"),
      .optional(
        "link", .section(link), "Bluetooth radio; default: none, notifications are read as lines"),
      .optional("mqtt", .section(broker), "MQTT broker; default: none"),
      .optional("http", .section(post), "HTTP collector for batches of records; default: none"),
      .optional("queue", .section(storage), "record queue on disk"),
      .optional("page", .section(web), "web page; default: at 127.0.0.1:8090"),
      .optional("commands", .section(commands), "commands accepted over the broker"),
    ])

  private static let zone = Section(
    "a part of the warehouse with common limits", PolicyKeys.zone)

  private static let tag = Section(
    "a tag that the hub expects",
    [
      .required("address", .text, "Bluetooth address, A4:DA:32:00:00:01"),
      .required("name", .text, "display name"),
      PolicyKeys.zoneOfTag,
      .optional(
        "period", .quantity(.duration),
        "maximum time between two readings; default: 60s"),
      .optional(
        "at", .list(.text),
        "position on the floor plan, to the right and down: [2m, 3.5m]"),
    ])

  private static let link = Section(
    "a Bluetooth radio",
    [
      .required(
        "transport", .text,
        "Bumble transport of the controller: usb:0, hci-socket:0, serial:/dev/ttyACM0,1000000 or another"
      ),
      .optional(
        "connections", .integer(1...1000), "number of simultaneous connections; default: 7"),
      .optional(
        "stay", .quantity(.duration),
        "time for which a tag stays connected if tags share connections; default: 20s"),
      .optional(
        "period", .quantity(.duration),
        "time between two readings of a tag, at least 300ms; default: the tag's own period"),
    ] + PolicyKeys.listening)

  private static let broker = Section(
    "an MQTT broker",
    [
      .required("host", .text, "host name or address"),
      .optional("port", .integer(1...65535), "TCP port; default: 1883, or 8883 with TLS"),
      .optional("user", .text, "user name"),
      .optional("password_file", .path, "file that contains the password"),
      .optional("ca", .path, "TLS: CA certificates of the broker (PEM)"),
      .optional("certificate", .path, "TLS: client certificate of the hub (PEM)"),
      .optional("key", .path, "TLS: private key of that certificate (PEM)"),
      .optional("prefix", .text, "prefix of all topics; default: aneroid"),
      .optional(
        "discovery", .text, "discovery prefix of Home Assistant, or none; default: homeassistant"),
      .optional(
        "confirm", .word(["broker", "receiver"]),
        "party that confirms delivery of a record; default: broker"),
      .optional(
        "keep_alive", .quantity(.duration),
        "MQTT keep-alive interval; the broker publishes the will after 1.5 times this silence; default: 30s"
      ),
    ])

  private static let post = Section(
    "an HTTP collector that receives batches in JSON",
    [
      .required("address", .text, "URL, https://... or http://..."),
      .optional("authorization_file", .path, "file that contains the Authorization header"),
      .optional("every", .quantity(.duration), "interval between batches; default: 60s"),
      .optional(
        "batch", .integer(1...100_000), "maximum number of records in a batch; default: 500"),
    ])

  private static let storage = Section(
    "the record queue on the hub's disk",
    [
      .optional("file", .path, "database file; default: the hub's name with .sqlite"),
      .optional(
        "records", .integer(10...100_000_000),
        "maximum number of records waiting for a receiver; default: 1000000"),
      .optional("age", .quantity(.duration), "maximum waiting time of a record; default: 30d"),
      .optional("history", .quantity(.duration), "retention time of records; default: 400d"),
    ])

  private static let web = Section(
    "the hub's web page",
    [
      .optional("listen", .text, "loopback address and port; default: 127.0.0.1:8090"),
      .optional("hosts", .list(.text), "additional host names accepted from browsers"),
      .optional(
        "token_file", .path, "file of the token required for changes; default: hub.token"),
    ])

  private static let commands = Section(
    "the commands that the hub accepts from its broker",
    [
      .optional(
        "allowed", .list(.word(["acknowledge", "silence", "end-silence", "close"])),
        "accepted commands; default: acknowledge"),
      .optional(
        "people", .list(.text),
        "people whose commands are accepted; default: all who may publish to the broker"),
    ])
}
