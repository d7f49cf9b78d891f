import Parts
import Schema

/// The keys of a BMP180 in rigs.
enum BMP180Keys {
  static let device: [Section.Field] = [
    .optional(
      "calibration", .hexadecimal,
      "the 22 bytes of 0xAA to 0xBF, 44 digits; those of the data sheet's example unless given"
    ).example("\"0198ffb8c7d17fe57ff55a71182e00048000ddf90b34\""),
    PartKeys.noise, PartKeys.timing, PartKeys.offset, PartKeys.drift,
    .optional(
      "unknown", .section(AssumptionKey.section(unknown)),
      "what is assumed where nobody knows the chip"),
  ]

  static let driver: [Section.Field] = [
    .optional(
      "oversampling",
      .section(
        Section(
          "How many readings a pressure adds up.",
          [.optional("pressure", .choice([1, 2, 4, 8]), "1 unless given")])),
      "x1 unless given")
  ]

  /// The open questions of the chip.
  static var unknown: [AssumptionKey<BMP180UnknownBehaviour>] {
    [
      .time("reset_time", \.resetTime, "how long a soft reset lasts"),
      .word(
        "access_during_start", \.accessDuringStart, "what becomes of an access during the start"),
      .word(
        "data_while_converting", \.dataWhileConverting,
        "what the registers of the result read during a conversion"),
      .word(
        "command_while_converting", \.commandWhileConverting,
        "what becomes of a command during a conversion"),
      .word("low_byte", \.lowByte, "what the lowest byte reads behind a temperature"),
      .word("further_bytes", \.furtherBytes, "what becomes of further bytes of a write"),
      .word(
        "read_only_write", \.readOnlyWrite, "whether data for read-only registers are acknowledged"),
      .word("reserved_registers", \.reservedRegisters, "what a reserved register reads"),
    ]
  }
}

extension BMP180UnknownBehaviour: AssumedBehaviour {}
