import Bridges
import I2C
package import Schema
import Support
import VirtualI2C

extension Rig.Adapter {
  /// The keys of an adapter.
  package static let keys = KeyGroup("The properties of an adapter.", Rig.Adapter()) {
    [
      Key("frequency", \.frequency, .frequency, "the bus frequency"),
      Key(
        "personality", .personality,
        "the functionality, limits and errno values of a common adapter (aneroid doctor --personalities)",
        absent: nil
      ) { adapter, personality in
        adapter.functionality = personality.functionality
        adapter.errnoPolicy = personality.errnoPolicy
        adapter.quirks = personality.quirks
        adapter.stretchLimit = personality.stretchLimit
      },
      Key(
        "nack", \.errnoPolicy.addressNack,
        .choice(of: [.enxio, .eremoteio, .eio], by: { "\($0.name ?? "EIO")" }),
        "the errno of an address NACK",
        default: "that of the personality, else ENXIO"),
      Key(
        "quirks", \.quirks, .group(limits),
        "the limits of the adapter; they override the personality's"),
      Key(
        "stretch_limit", \.stretchLimit, .duration, "the longest clock stretch",
        default: "that of the personality, else 1s"),
    ]
  }

  private static let limits = KeyGroup("The limits of an adapter; default: none.", I2CQuirks.none) {
    [
      Key("max_read", \.maxReadLength, .bytes, "the longest read in bytes", default: .none),
      Key("max_write", \.maxWriteLength, .bytes, "the longest write in bytes", default: .none),
      Key(
        "max_messages", \.maxMessages, .integer(1...42),
        "the largest number of messages in one transfer", default: .none),
      Key(
        "max_combined_write", \.maxCombinedWriteLength, .bytes,
        "the longest write before a read, in bytes", default: .none),
      Key(
        "max_combined_read", \.maxCombinedReadLength, .bytes,
        "the longest read after a write, in bytes", default: .none),
      Key(
        "no_zero_length", \.noZeroLength, .boolean, "reject messages without bytes",
        default: .none),
    ]
  }
}

extension Rig.Bridge {
  /// The keys of a bridge; `kind` selects the board, and `link` and `radios` the transport of its connection.
  package static let keys = KeyGroup(
    "A board whose I2C bus is reached over Bluetooth LE.", Rig.Bridge(.usual)
  ) {
    [
      Key(.required("kind", .word(BoardModel.all.map(\.name)), "the board")),
      Key(
        .optional(
          "link", .word(["simulated", "ble"]),
          "simulated, or ble: each frame also passes through a Bluetooth stack, Bumble in Python; "
            + "default: simulated, or ble if 'radios' is given")),
      Key(
        .optional(
          "radios", .section(radios), "the radios of a ble link; default: both virtual")),
      Key("interval", \.link.interval, .duration, "the connection interval"),
      Key(
        "jitter", \.link.jitter, .number(0...10),
        "the largest random delay of an operation, as a fraction of its duration"),
      Key(
        "limit", \.settings.limit, .integer(1...(BoardModel.all.map(\.longestRead).max() ?? 1)),
        "the longest read of the board in bytes", default: .text(BoardModel.limits)),
      Key(
        "past_limit", \.settings.pastLimit, .choice,
        "the result of a longer read: silent (no data until the timeout) or error"),
      Key(
        "tells_limit", \.settings.reportsLimit, .boolean, "whether drivers can query the limit"),
      Key("time_out", \.settings.timeOut, .duration, "the timeout of a response"),
      Key("loss", \.link.loss, .number(0...1), "the fraction of responses that are lost"),
      Key(
        "outages", \.link.outages, .list(.span("A time without a connection.")),
        "the times without a connection"),
      Key(
        "silences", \.link.silences,
        .list(.span("A time in which the board does not advertise.")),
        "the times in which the board is in range but does not advertise"),
      Key(
        "power", \.link.power, .group(battery),
        "models the battery, which the operations of the board discharge", absent: "not modelled"),
      Key(
        "battery_life", \.link.batteryLife, .duration,
        "the time until the board's battery is empty; losses increase in its last tenth",
        absent: "unlimited"),
    ]
  }

  private static let radios = Section(
    "The radios of a ble link: both virtual, or both HCI transports of Bumble such as usb:0.",
    [
      .required("client", .text, "the radio of the program's side").example("\"usb:0\""),
      .required("board", .text, "the radio of the board").example("\"usb:1\""),
    ])

  private static let battery = KeyGroup(
    "The battery of the board; its chip and its currents are assumptions (see the documentation of Bridges).",
    BoardPower()
  ) {
    [
      Key(
        "capacity_mah", \.capacity, .number(0.001...100_000), "the capacity of the battery in mAh"),
      Key(
        "charge", \.charged, .number(0...1),
        "the state of charge at the start, from 0 (flat: the board does not advertise) to 1"
      ).example("0.05"),
      Key(
        "sleep", \.sleeps, .boolean,
        "whether the microcontroller sleeps between radio events",
        default: .remarked(", as on the real board")),
    ]
  }
}

extension KeyFormat<Int> {
  /// A limit on the length of a message, in bytes.
  fileprivate static let bytes = integer(1...8192)
}

extension KeyFormat<Personality> {
  /// The name or an alias of a personality.
  fileprivate static let personality = KeyFormat(
    .word(Personality.all.map(\.name) + Personality.aliases.keys.inOrder()), text: \.name
  ) {
    $0.text.flatMap(Personality.init(named:))
  }
}
