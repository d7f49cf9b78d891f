import BME280
import BME280Model
import Parts
import Schema

/// The keys of a BME280 or BMP280 in rigs and in calibration files.
package enum BME280Keys {
  static let device: [Section.Field] = [
    .optional(
      "calibration",
      .either([.path, .section(registers), .section(words), .list(.integer(0...255))]),
      "a file or the name of a built-in calibration; or its bytes, a table of i2cdump, or its words; default: a typical part "
        + "(periph-i2c; for a BMP280 bmp-orangepi)"),
    PartKeys.noise, PartKeys.timing, PartKeys.offset, PartKeys.drift,
    .optional("self_heating", .section(selfHeating), "the self-heating of the part"),
    .optional(
      "initial_registers", .section(initialRegisters),
      "registers written by an earlier program; default: the state after power-on"
    ).formerly("left"),
    .optional(
      "unknown", .section(AssumptionKey.section(unknown)),
      "undocumented behavior of the chip and the default we assume"),
  ]

  static let driver: [Section.Field] = [
    .optional(
      "oversampling", .section(oversampling), "the oversampling of each channel; default: x1"),
    .optional("filter", .choice([0, 2, 4, 8, 16]), "the IIR filter coefficient; default: 0 (off)"),
    .optional("mode", .word(["forced", "normal"]), "the power mode; default: forced"),
    .optional(
      "standby", .quantity(.duration), "the standby time of normal mode; default: 0.5ms"),
    .optional(
      "variant", .word(CompensationVariant.allCases.map { "\($0.name)" }),
      "the compensation formulas; default: datasheet-int64"),
  ]

  private static let oversamplings = [0, 1, 2, 4, 8, 16]

  private static let oversampling = Section(
    "The oversampling of each channel; 0 skips the channel.",
    [
      .optional("temperature", .choice(oversamplings), "default: 1"),
      .optional("pressure", .choice(oversamplings), "default: 1"),
      .optional("humidity", .choice(oversamplings), "default: 1"),
    ])

  static let initialRegisters = Section(
    "Registers written by an earlier program, in this order, as soon as the device was writable.",
    [
      .optional("config", .integer(0...255), "0xF5"),
      .optional("ctrl_hum", .integer(0...255), "0xF2"),
      .optional("ctrl_meas", .integer(0...255), "0xF4; without it ctrl_hum has no effect"),
    ])

  static let registers = Section(
    "The calibration registers as hexadecimal digits, spaced in any way.",
    example: """
      {0x88: "106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b", 0xE1: "6e 01 00 13 05 00 1e"}
      """,
    [
      .required("0x88", .hexadecimal, "0x88 to 0xA1 (26 bytes), on a BMP280 to 0x9F (24)"),
      .optional("0xE1", .hexadecimal, "0xE1 to 0xE7 (7 bytes), on a BME280 only"),
    ])

  /// The section in which calibration words are given by the datasheet's names.
  static let words = Section(
    "The calibration words, by the datasheet's names; only a BME280 has those of humidity.",
    example: """
      {dig_T1: 28176, dig_T2: 26220, dig_T3: 50, dig_P1: 38237, dig_P2: -10824, dig_P3: 3024, \
      dig_P4: 7799, dig_P5: -99, dig_P6: -7, dig_P7: 9900, dig_P8: -10230, dig_P9: 4285, \
      dig_H1: 75, dig_H2: 366, dig_H3: 0, dig_H4: 309, dig_H5: 0, dig_H6: 30}
      """,
    CalibrationWords.ranges.map { name, range in
      name.hasPrefix("H")
        ? .optional("dig_\(name)", .integer(range), "a humidity word")
        : .required(
          "dig_\(name)", .integer(range),
          name.hasPrefix("T") ? "a temperature word" : "a pressure word")
    })

  static let calibrationFile = Section(
    "The calibration of one part.",
    [
      .required("device", .text, "the name of the part"),
      .required("chip", .word(Chip.allCases.map { "\($0.name)" }), "the chip"),
      .required("provenance", .text, "the source of the bytes"),
      .required(
        "registers", .either([.section(registers), .section(words)]), "the bytes or the words"),
    ])

  private static let selfHeating = Section(
    "The self-heating of a part by measurements.",
    [
      .required(
        "rise", .quantity(.temperatureDifference), "the temperature rise in continuous conversion"),
      .optional("time_constant", .quantity(.duration), "the time constant; default: 1min"),
    ])
}

extension BME280Keys {
  /// The keys that select the assumptions about undocumented behavior.
  static var unknown: [AssumptionKey<UndocumentedBehavior>] {
    [
      .time("copy_time_power_on", \.powerOnCopyTime, "the duration of the NVM copy at power-on"),
      .time("copy_time_reset", \.resetCopyTime, "the duration of the NVM copy after a reset"),
      .time("measuring_delay", \.measuringDelay, "the delay of the status bit 'measuring'"),
      .word(
        "calibration_during_copy", \.unreadable, "the value of the calibration before the NVM copy"),
      .word(
        "calibration_before_conversion", \.calibrationBeforeConversion,
        "the value of the calibration while it is copied again"),
      .word(
        "writes_during_start", \.writesDuringStart, "the response to a write during start-up"),
      .word(
        "id_during_start", \.identityDuringStart, "the value of the id register during start-up"),
      .word(
        "normal_mode_written_again", \.pendingMode,
        "the continuation of normal mode when it is written during its measurement"),
      .word(
        "pointer_after_reset", \.pointerAfterReset,
        "the register pointer after a reset"),
      .word(
        "pointer_after_pair", \.pointerAfterPair,
        "the register pointer after a register was written"),
      .word(
        "oversampling_while_measuring", \.oversamplingWrite,
        "the time at which oversampling written during a conversion takes effect"),
      .word(
        "config_in_normal_mode", \.configInNormalMode,
        "the response to a write to config in normal mode"),
      .word(
        "config_while_measuring", \.configWhileMeasuring,
        "the response to a write to config during a forced measurement"),
      .word("filter_rounding", \.filterRounding, "the rounding of the filter"),
      .word("filter_start", \.filterStart, "the initial value of the filter"),
      .word("past_end", \.pastEnd, "the address after 0xFF in a read"),
      .word(
        "read_only_write", \.readOnlyWrite, "the response to data bytes for a read-only register"),
      .word("status_bit_2", \.hiddenBit, "the condition under which status bit 2 reads 1"),
      .word("burst_end", \.burstEnd, "the event that ends a burst"),
      .word("config_bit_1", \.configBit, "the value of config bit 1"),
    ]
  }
}

extension UndocumentedBehavior: AssumedBehaviour {}
