import Parts
package import Schema

extension RigSchema {
  /// Failures that are planned beside a rig.
  package static let plannedFaults = Section(
    "Planned failures.",
    [.required("faults", .list(.variants(discriminator: "kind", faults)), "the failures")])

  package static let faults = lineFaults.merging(targetFaults) { $1 }.merging(bridgeFaults) { $1 }

  // MARK: On the line

  private static let lineFaults: [String: Section] = [
    "nack-address": fault("The device does not acknowledge its address."),
    "nack-data": fault(
      "The device does not acknowledge a byte written to it.",
      .optional("byte", .integer(0...8191), "the index of the byte; 0 unless given")),
    "arbitration-lost": fault("Another controller wins the bus."),
    "bus-error": fault("A misplaced start or stop."),
    "clock-stretch": fault(
      "SCL is held low; beyond the adapter's stretch_limit the transfer times out.",
      .required("for", .quantity(.duration), "how long")),
    "stuck-sda": fault("SDA is held low: a transfer times out, and nine clocks free the bus."),
    "stuck-scl": fault(
      "SCL is held low, which no clock can end: every transfer times out.",
      .required("for", .quantity(.duration), "how long")),
    "bit-flip": fault(
      "Some bits of a byte that is read are inverted.",
      .optional("byte", .integer(0...8191), "the index of the byte in its read; 0 unless given"),
      .optional("mask", .integer(1...255), "which bits; 0x01 unless given")),
    "short-read": fault(
      "The device lets go of SDA within a read: what follows reads as 0xFF.",
      .optional("bytes", .integer(0...8191), "how many bytes arrive; 1 unless given")),
    "wrong-device": fault(
      "Another chip answers in place of the device: it takes everything, and its registers read alike.",
      .optional("reads", .integer(0...255), "what all its registers read; 0xFF unless given")),
  ]

  // MARK: Within the device

  private static let targetFaults: [String: Section] = [
    "power-loss": fault(
      "The device has no supply and starts anew: a brown-out, or a plug that is pulled and comes back.",
      .optional("for", .quantity(.duration), "how long; 10ms unless given")),
    "brown-out": fault(
      "The supply dips: the device starts anew, and only a part of its calibration is copied.",
      .optional("kept", .integer(0...33), "how many bytes are copied; 12 unless given")),
    "wrong-calibration": fault(
      "When the device next starts (a reset, its supply), one byte of its calibration is copied wrong.",
      .optional("byte", .integer(0...32), "its index, 0 for 0x88, 26 for 0xE1; 0 unless given"),
      .optional("mask", .integer(1...255), "which bits; 0x01 unless given")),
    "frozen": endless("New results never reach the data registers."),
    "slow-conversion": endless("Conversions take the data sheet's longest time."),
    "offset": endless("The results are off.", Section.deviation.fields),
    "drift": endless("The results drift: the error of an hour is given.", Section.deviation.fields),
  ]

  // MARK: On a bridge

  private static let bridgeFaults: [String: Section] = [
    "bridge-late": frameFault(
      "The bridge acknowledges a frame late; beyond its time_out that is too late.",
      .required("for", .quantity(.duration), "how long")),
    "bridge-lost": frameFault("An answer of the bridge is lost."),
    "bridge-repeated": frameFault("A frame arrives twice at the bridge, and is done twice."),
  ]

  // MARK: Common keys

  private static let place: [Section.Field] = [
    .optional("bus", busNumber, "on which bus; the only one unless given")
  ]

  private static let time: [Section.Field] = [
    .optional("at", .quantity(.duration), "from when on; at once unless given"),
    .optional("after", .integer(0...1_000_000_000), "after how many transfers of the bus"),
  ]

  private static let messages: [Section.Field] = [
    .optional("register", .integer(0...255), "only messages that concern this register"),
    .optional(
      "direction", .word(["read", "write"]), "only messages of this direction; both unless given"),
    .optional("probability", .number(0...1), "how likely each message is struck; 1 unless given"),
    .optional("address", .anyAddress, "to which device; any unless given"),
  ]

  private static func fault(_ summary: String, _ more: Section.Field...) -> Section {
    let count = Section.Field.optional(
      "count", .integer(1...1_000_000), "how many times; 1 unless given")
    return Section(summary, time + messages + place + [count] + more)
  }

  /// A fault that lasts from its beginning until it has had its effects.
  private static func endless(_ summary: String, _ more: [Section.Field] = []) -> Section {
    let count = Section.Field.optional(
      "count", .integer(1...1_000_000), "how many conversions; all unless given")
    return Section(summary, time + messages + place + [count] + more)
  }

  private static func frameFault(_ summary: String, _ more: Section.Field...) -> Section {
    Section(
      summary,
      time + place + [
        .optional("probability", .number(0...1), "how likely each frame is struck; 1 unless given"),
        .optional("count", .integer(1...1_000_000), "how many frames; 1 unless given"),
      ] + more)
  }
}
