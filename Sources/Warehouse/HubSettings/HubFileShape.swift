package import Schema
import Warehouse

/// The keys of the file of a hub.
package enum HubFileShape {
  /// All of it.
  package static let file = Section(
    "the file of a hub",
    [
      .required("hub", .text, "the hub's name, by which receivers know its records"),
      .required("zones", .list(.section(zone)), "parts of the warehouse and their limits"),
      .required("tags", .list(.section(tag)), "the tags that it expects to hear"),
      .required("duty", .section(PolicyKeys.duty), "who is told of alarms"),
      .optional(
        "fastest", .section(PolicyKeys.fastest), "how fast the air can change in a minute"),
      .optional(
        "link", .section(link), "its radio; none unless given: notifications come as lines"),
      .optional("mqtt", .section(broker), "its broker; none unless given"),
      .optional("http", .section(post), "where batches are posted to; nowhere unless given"),
      .optional("queue", .section(storage), "what waits on its disk"),
      .optional("page", .section(web), "its page; at 127.0.0.1:8090 unless given"),
      .optional("commands", .section(commands), "which commands it takes from its broker"),
    ])

  private static let zone = Section(
    "a part of the warehouse in which the same limits hold", PolicyKeys.zone)

  private static let tag = Section(
    "a tag that the hub expects to hear",
    [
      .required("address", .text, "its address, A4:DA:32:00:00:01"),
      .required("name", .text, "what people call it"),
      PolicyKeys.zoneOfTag,
      .optional(
        "period", .quantity(.duration),
        "after which it is heard again at the latest; 60s unless given"),
      .optional(
        "at", .list(.text),
        "where it lies on the plan, to the right and down: [2m, 3.5m]"),
    ])

  private static let link = Section(
    "a Bluetooth radio",
    [
      .required(
        "transport", .text,
        "usb:0, hci-socket:0, serial:/dev/ttyACM0,1000000 or another transport of Bumble's"),
      .optional(
        "connections", .integer(1...1000), "how many tags it holds at once; 7 unless given"),
      .optional(
        "stay", .quantity(.duration),
        "where tags take turns, how long each stays connected; 20s unless given"),
      .optional(
        "period", .quantity(.duration),
        "from one reading of a tag to its next, 300ms at least; the tag's own period unless given"),
    ] + PolicyKeys.listening)

  private static let broker = Section(
    "an MQTT broker",
    [
      .required("host", .text, "where it is"),
      .optional("port", .integer(1...65535), "its port; 1883, with TLS 8883, unless given"),
      .optional("user", .text, "the name with which the hub logs in"),
      .optional("password_file", .path, "the file of the password"),
      .optional("ca", .path, "TLS: the certificates that may have signed the broker's (PEM)"),
      .optional("certificate", .path, "TLS: the hub's own certificate (PEM)"),
      .optional("key", .path, "TLS: the key of that certificate (PEM)"),
      .optional("prefix", .text, "how topics begin; aneroid unless given"),
      .optional(
        "discovery", .text, "where Home Assistant looks, or none; homeassistant unless given"),
      .optional(
        "confirm", .word(["broker", "receiver"]),
        "whose word it takes that a record has arrived; the broker's unless given"),
      .optional(
        "keep_alive", .quantity(.duration),
        "silence after which the will is published; 30s unless given"),
    ])

  private static let post = Section(
    "where batches in JSON are posted to",
    [
      .required("address", .text, "https://..., or http://..."),
      .optional("authorization_file", .path, "the file whose text is the header Authorization"),
      .optional("every", .quantity(.duration), "from one batch to the next; 60s unless given"),
      .optional("batch", .integer(1...100_000), "records in a batch; 500 unless given"),
    ])

  private static let storage = Section(
    "what waits on the hub's disk",
    [
      .optional("file", .path, "the file; the hub's name with .sqlite unless given"),
      .optional(
        "records", .integer(10...100_000_000),
        "how many may wait for a receiver; 1000000 unless given"),
      .optional("age", .quantity(.duration), "for how long one may wait; 30d unless given"),
      .optional("history", .quantity(.duration), "for how long it stays; 400d unless given"),
    ])

  private static let web = Section(
    "the hub's page",
    [
      .optional("listen", .text, "where on loopback; 127.0.0.1:8090 unless given"),
      .optional("hosts", .list(.text), "more names by which browsers may address it"),
      .optional(
        "token_file", .path, "the file of the token that changes need; hub.token unless given"),
    ])

  private static let commands = Section(
    "which commands the hub takes from its broker",
    [
      .optional(
        "allowed", .list(.word(["acknowledge", "silence", "end-silence", "close"])),
        "those; acknowledge alone unless given"),
      .optional(
        "people", .list(.text), "whose; anybody's whom the broker lets publish unless given"),
    ])
}
