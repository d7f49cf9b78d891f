import Bridges
package import Schema

extension RigSchema {
  package static let bridge = Section(
    "The Automat: a board whose I2C bus is reached over Bluetooth LE.",
    [
      .required("kind", .word(["automat"]), "which board"),
      .optional("interval", .quantity(.duration), "the connection interval; 30ms unless given"),
      .optional(
        "jitter", .number(0...10),
        "by how much an operation takes longer at most, as a part of its time; 0 unless given"),
      .optional(
        "limit", .integer(1...19), "how many bytes the board reads at most; 18 unless given"),
      .optional(
        "past_limit", .word(AutomatAdapter.PastLimit.allCases.map(\.rawValue)),
        "what happens to longer reads: silent (nothing comes, time passes) unless given, or error"),
      .optional(
        "tells_limit", .boolean, "whether drivers can ask for the limit; true unless given"),
      .optional(
        "time_out", .quantity(.duration), "how long an answer is waited for; 2s unless given"),
      .optional("loss", .number(0...1), "how many of all answers are lost; 0 unless given"),
      .optional("outages", .list(.section(outage)), "when there is no connection"),
      .optional(
        "battery_life", .quantity(.duration),
        "how long the board's battery lasts, in its last tenth with more and more losses; for ever unless given"
      ),
    ])

  package static let outage = Section(
    "A time without a connection.",
    [
      .required("at", .quantity(.duration), "from when on"),
      .required("for", .quantity(.duration), "how long"),
    ])
}
