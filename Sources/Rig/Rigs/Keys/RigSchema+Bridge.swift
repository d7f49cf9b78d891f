import Bridges
package import Schema

extension RigSchema {
  package static let bridge = Section(
    "A board whose I2C bus is reached over Bluetooth LE.",
    [
      .required("kind", .word(BoardModel.all.map(\.name)), "which board"),
      .optional(
        "link", .word(["simulated", "ble"]),
        "simulated unless given, or ble (also where radios are): each frame goes through a Bluetooth stack too, Bumble in Python"
      ),
      .optional(
        "radios", .section(radios), "where the radios of a ble link are; both virtual unless given"),
      .optional("interval", .quantity(.duration), "the connection interval; 30ms unless given"),
      .optional(
        "jitter", .number(0...10),
        "by how much an operation takes longer at most, as a part of its time; 0 unless given"),
      .optional(
        "limit", .integer(1...(BoardModel.all.map(\.longestRead).max() ?? 1)),
        "how many bytes the board reads at most; \(BoardModel.limits) unless given"),
      .optional(
        "past_limit", .word(BoardSettings.PastLimit.allCases.map(\.rawValue)),
        "what happens to longer reads: silent (nothing comes, time passes) unless given, or error"),
      .optional(
        "tells_limit", .boolean, "whether drivers can ask for the limit; true unless given"),
      .optional(
        "time_out", .quantity(.duration), "how long an answer is waited for; 2s unless given"),
      .optional("loss", .number(0...1), "how many of all answers are lost; 0 unless given"),
      .optional("outages", .list(.section(outage)), "when there is no connection"),
      .optional(
        "silences", .list(.section(silence)),
        "when the board does not advertise: it is near and cannot be found"),
      .optional(
        "power", .section(power),
        "keeps account of the battery, which falls with what is asked of the board; not unless given"
      ),
      .optional(
        "battery_life", .quantity(.duration),
        "how long the board's battery lasts, in its last tenth with more and more losses; for ever unless given"
      ),
    ])

  package static let radios = Section(
    "The radios of a connection through a Bluetooth stack: both virtual, or both HCI transports of Bumble such as usb:0.",
    [
      .required("client", .text, "the radio of the program's side").example("\"usb:0\""),
      .required("board", .text, "the radio of the board").example("\"usb:1\""),
    ])

  package static let silence = Section(
    "A time in which the board does not advertise.",
    [
      .required("at", .quantity(.duration), "from when on"),
      .required("for", .quantity(.duration), "how long"),
    ])

  package static let power = Section(
    "The battery of the board; its chip and charges are assumptions (the documentation of Bridges says which).",
    [
      .optional(
        "capacity_mah", .number(0.001...100_000), "what the battery holds, in mAh; 220 unless given"
      ),
      .optional(
        "charge", .number(0...1),
        "how full it is at the start, from 0 (flat: the board cannot be found) to 1; 1 unless given"
      ).example("0.05"),
      .optional(
        "sleep", .boolean,
        "whether the microcontroller sleeps between radio events; false unless given, as on the real board"
      ),
    ])

  package static let outage = Section(
    "A time without a connection.",
    [
      .required("at", .quantity(.duration), "from when on"),
      .required("for", .quantity(.duration), "how long"),
    ])
}
