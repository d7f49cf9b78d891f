import Parts
import Schema

/// The keys of an HDC1000 in rigs.
enum HDC1000Keys {
  static let device: [Section.Field] = [
    PartKeys.noise, PartKeys.timing, PartKeys.offset, PartKeys.drift,
    .optional("supply", .number(0...6), "the supply in V; 3 unless given"),
    .optional(
      "serial", .hexadecimal,
      "the serial number, 12 digits of which 41 bits count; drawn from the seed unless given"
    ).example("\"0123456789ab\""),
    .optional(
      "unknown", .section(AssumptionKey.section(unknown)),
      "what is assumed where nobody knows the chip"),
  ]

  static let driver: [Section.Field] = [PartKeys.resolution]

  /// The open questions of the chip.
  static var unknown: [AssumptionKey<HDC1000UnknownBehaviour>] {
    [
      .time("start_time", \.startTime, "how long the start after power-on lasts"),
      .time("reset_time", \.resetTime, "how long a soft reset lasts"),
      .word(
        "access_during_start", \.accessDuringStart,
        "what becomes of an access to settings and results during the start"),
      .word("trigger", \.trigger, "what starts a measurement"),
      .word("stale_read", \.staleRead, "what a read of a result gives that was read"),
      .word(
        "write_while_measuring", \.writeWhileMeasuring,
        "what becomes of a write during a measurement"),
      .word(
        "humidity_pointer", \.humidityPointer,
        "what the pointer to humidity does in the mode that measures both"),
      .word("low_bits", \.lowBits, "what the bits below the resolution read"),
      .word(
        "read_only_write", \.readOnlyWrite, "whether data for read-only registers are acknowledged"),
      .word("past_end", \.pastEnd, "what a read behind the last byte gives"),
      .word("reserved_registers", \.reservedRegisters, "what a reserved register reads"),
      .number(
        "longest_time_factor", .number(1...10), \.longestTimeFactor,
        "the longest time of a conversion, as a multiple of the typical one"),
      .number(
        "heater_rise", .quantity(.temperatureDifference), \.heaterRise,
        "by how much the heater would warm a part that never sleeps", unit: " C"),
      .time("heater_time_constant", \.heaterTimeConstant, "how fast the heater warms the part"),
    ]
  }
}

extension HDC1000UnknownBehaviour: AssumedBehaviour {}
