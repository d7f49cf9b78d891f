import Parts
import Schema

/// The keys of an SHT21 in rigs.
enum SHT21Keys {
  static let device: [Section.Field] = [
    PartKeys.noise, PartKeys.timing, PartKeys.offset, PartKeys.drift,
    .optional("supply", .number(0...6), "the supply in V; 3 unless given"),
    .optional(
      "serial", .hexadecimal, "the serial number, 16 digits; drawn from the seed unless given"
    ).example("\"0123456789abcdef\""),
    .optional(
      "unknown", .section(AssumptionKey.section(unknown)),
      "what is assumed where nobody knows the chip"),
  ]

  static let driver: [Section.Field] = [
    PartKeys.resolution,
    .optional(
      "hold", .boolean,
      "whether the part holds the clock while it measures, which not every adapter bears; false unless given"
    ),
  ]

  /// The open questions of the chip.
  static var unknown: [AssumptionKey<SHT21UnknownBehaviour>] {
    [
      .time("start_time", \.startTime, "how long the start after power-on lasts"),
      .time("reset_time", \.resetTime, "how long a soft reset lasts"),
      .word(
        "access_during_start", \.accessDuringStart, "what becomes of an access during the start"),
      .word(
        "unknown_command", \.unknownCommand, "whether a byte that is no command is acknowledged"),
      .word("read_without_command", \.idleRead, "what a read without a command gives"),
      .word("second_read", \.secondRead, "what a second read of a result gives"),
      .word(
        "command_while_measuring", \.commandWhileMeasuring,
        "what becomes of a command during a measurement"),
      .word("reserved_bits", \.reservedBits, "what the reserved bits of the user register read"),
      .word("reserved_bits_written", \.reservedWrite, "what a write does to the reserved bits"),
      .word("unused_bits", \.unusedBits, "what the bits below the resolution read"),
      .word("reload_bit", \.reloadBit, "what becomes of the reload bit at a reload"),
      .word("past_end", \.pastEnd, "what a read behind the last byte gives"),
      .word("serial_checksum", \.serialChecksum, "what a checksum of the serial number counts for"),
      .number(
        "heater_rise", .quantity(.temperatureDifference), \.heaterRise,
        "by how much the heater warms the part", unit: " C"),
      .time("heater_time_constant", \.heaterTimeConstant, "how fast the heater warms the part"),
    ]
  }
}

extension SHT21UnknownBehaviour: AssumedBehaviour {}
