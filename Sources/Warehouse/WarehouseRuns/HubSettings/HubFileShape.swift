package import Schema
import Support
import Warehouse

/// The keys of the hub file.
package enum HubFileShape {
  /// The schema of the whole file.
  package static let file = Section(
    "the hub file",
    [
      .required("hub", .text, "name of the hub, which identifies its records"),
      .required("zones", .list(.section(zone)), "zones of the warehouse and their limits"),
      .required("tags", .list(.section(tag)), "tags that the hub expects"),
      .required("duty", .section(PolicyKeys.onCall.section), "people to notify of alarms"),
      .optional(
        "fastest", .section(PolicyKeys.fastest.section),
        "maximum plausible change of the air per minute"),
      .optional(
        "link", .section(link.section),
        "Bluetooth radio; default: none, notifications are read as lines"),
      .optional("mqtt", .section(broker.section), "MQTT broker; default: none"),
      .optional(
        "http", .section(post.section), "HTTP collector for batches of records; default: none"),
      .optional(
        "notify", .list(NotificationKeys.channel(of: .hub)),
        "channels for messages to people; default: none"),
      .optional("queue", .section(storage.section), "record queue on disk"),
      .optional("page", .section(web.section), "web page; default: at 127.0.0.1:8090"),
      .optional("commands", .section(commands.section), "commands accepted over the broker"),
    ])

  /// The schema of the file with the channels of a weather station.
  static let station = Section(
    "the channels of a station",
    [
      .required(
        "notify", .list(NotificationKeys.channel(of: .station)),
        "channels for weather warnings")
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

  static let link = KeyGroup("a Bluetooth radio", HubSettings.Link()) {
    [
      .required(
        "transport", \.transport, .transport,
        "Bumble transport of the controller: usb:0, hci-socket:0, serial:/dev/ttyACM0,1000000 or another"
      ),
      Key(
        "connections", \.connections, .integer(1...1000), "number of simultaneous connections"),
      Key(
        "stay", \.stay,
        .duration.accepting(
          { (1_000_000_000...86_400_000_000_000).contains($0) },
          else: "link: 'stay' must be 1s to 24h"),
        "time for which a tag stays connected if tags share connections"),
      Key(
        "period", \.period,
        .duration.accepting(
          { $0 >= 300_000_000 },
          else: "link: 'period' must be at least 300ms, the minimum of the tags"),
        "time between two readings of a tag, at least 300ms", absent: "the tag's own period"),
    ] + PolicyKeys.listening.keys(in: \.times)
  }

  /// The keys of the broker; the reader checks the files.
  static let broker = KeyGroup("an MQTT broker", HubSettings.Broker()) {
    [
      .required("host", \.host, .text, "host name or address"),
      Key(
        "port", \.port, .integer(1...65535), "TCP port", default: "1883, or 8883 with TLS"),
      Key("user", \.user, .text, "user name", absent: nil),
      Key("password_file", \.passwordFile, .path, "file that contains the password", absent: nil),
      Key("ca", \.authority, .path, "TLS: CA certificates of the broker (PEM)", absent: nil),
      Key(
        "certificate", \.certificate, .path, "TLS: client certificate of the hub (PEM)",
        absent: nil),
      Key("key", \.key, .path, "TLS: private key of that certificate (PEM)", absent: nil),
      Key("prefix", \.prefix, .topic("prefix"), "prefix of all topics"),
      Key(
        "discovery", .topic("discovery"), "discovery prefix of Home Assistant, or none",
        get: { $0.discovery ?? "none" }, set: { $0.discovery = $1 == "none" ? nil : $1 }),
      Key(
        "confirm", \.isConfirmedByReceiver,
        .choice(of: [false, true]) { $0 ? "receiver" : "broker" },
        "party that confirms delivery of a record"),
      Key(
        "keep_alive", \.keepAlive,
        .seconds.accepting(
          { (5...3600).contains($0) }, else: "mqtt: 'keep_alive' must be 5s to 1h"),
        "MQTT keep-alive interval; the broker publishes the will after 1.5 times this silence"),
    ]
  }

  /// The keys of the collector; the reader checks the file.
  static let post = KeyGroup(
    "an HTTP collector that receives batches in JSON", HubSettings.Post()
  ) {
    [
      .required("address", \.address, .url, "URL, https://... or http://..."),
      Key(
        "authorization_file", \.authorizationFile, .path,
        "file that contains the Authorization header", absent: nil),
      Key(
        "every", \.every,
        .seconds.accepting({ $0 >= 1 }, else: "http: 'every' must be at least 1s"),
        "interval between batches"),
      Key("batch", \.batch, .integer(1...100_000), "maximum number of records in a batch"),
    ]
  }

  /// The keys of the queue; the reader checks the file.
  static let storage = KeyGroup("the record queue on the hub's disk", HubSettings.Storage()) {
    [
      Key(
        "file", \.file, .path, "database file", default: "the hub's name with .sqlite"),
      Key(
        "records", \.records, .integer(10...100_000_000),
        "maximum number of records waiting for a receiver"),
      Key("age", \.age, .seconds, "maximum waiting time of a record"),
      Key("history", \.history, .seconds, "retention time of records"),
    ]
  }

  /// The keys of the page; the reader checks the address and the file.
  static let web = KeyGroup("the hub's web page", HubSettings.Web()) {
    [
      Key(.optional("listen", .text, "loopback address and port; default: 127.0.0.1:8090")),
      Key(
        "hosts", \.hosts, .texts, "additional host names accepted from browsers"),
      Key(
        "token_file", \.tokenFile, .path, "file of the token required for changes"),
    ]
  }

  static let commands = KeyGroup(
    "the commands that the hub accepts from its broker", HubSettings.Commands()
  ) {
    [
      Key(
        "allowed", \.allowed, .commands, "accepted commands"),
      Key(
        "people", \.people, .texts, "people whose commands are accepted",
        default: "all who may publish to the broker"),
    ]
  }
}

extension KeyFormat<[String]> {
  /// Commands over the broker.
  fileprivate static let commands = KeyFormat(
    .list(.word(["acknowledge", "silence", "end-silence", "close"])),
    text: { $0.joined(separator: ", ") }, convert: { $0.list.compactMap(\.text) })
}

extension KeyFormat<String> {
  /// A Bumble transport.
  fileprivate static let transport = KeyFormat(.text, text: { $0 }) {
    value throws(QuantityKind.FormatError) in
    if let text = value.text, let mistake = HubAddresses.mistake(ofTransport: text) {
      throw QuantityKind.FormatError(message: "link: \(mistake)")
    }
    return value.text
  }

  /// An HTTP URL.
  fileprivate static let url = text.accepting(
    { HubAddresses.isHTTP($0) },
    else:
      "http: 'address' must be an http:// or https:// URL, such as https://collector.example/batches"
  )

  /// A topic prefix; `name` is the key.
  fileprivate static func topic(_ name: String) -> KeyFormat {
    text.accepting(
      { HubAddresses.isTopic($0) },
      else:
        "mqtt: '\(name)' must be a topic of at most 200 bytes without + and #, not starting with $, such as site/aneroid"
    )
  }
}
