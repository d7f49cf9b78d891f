import BME280
import BME280Model
import Parts
import Schema

/// The keys of a BME280 or BMP280 in rigs and in its calibration files.
package enum BME280Keys {
  static let device: [Section.Field] = [
    .optional(
      "calibration",
      .either([.path, .section(registers), .section(words), .list(.integer(0...255))]),
      "a file or the name of a built-in calibration; or its bytes, a table of i2cdump, or its words; a typical part "
        + "(periph-i2c, of a BMP280 bmp-orangepi) unless given"),
    PartKeys.noise, PartKeys.timing, PartKeys.offset, PartKeys.drift,
    .optional("self_heating", .section(selfHeating), "how the part warms itself"),
    .optional(
      "initial_registers", .section(initialRegisters),
      "how an earlier program has left it; as power-on does unless given"
    ).formerly("left"),
    .optional(
      "unknown", .section(AssumptionKey.section(unknown)),
      "what is assumed where nobody knows the chip"),
  ]

  static let driver: [Section.Field] = [
    .optional("oversampling", .section(oversampling), "x1 for each channel unless given"),
    .optional("filter", .choice([0, 2, 4, 8, 16]), "the IIR filter; 0 unless given"),
    .optional("mode", .word(["forced", "normal"]), "the power mode; forced unless given"),
    .optional(
      "standby", .quantity(.duration), "the standby time of normal mode; 0.5ms unless given"),
    .optional(
      "variant", .word(CompensationVariant.allCases.map { "\($0.name)" }),
      "the compensation formulas; datasheet-int64 unless given"),
  ]

  private static let oversamplings = [0, 1, 2, 4, 8, 16]

  private static let oversampling = Section(
    "How many readings each channel adds up; 0 skips it.",
    [
      .optional("temperature", .choice(oversamplings), "1 unless given"),
      .optional("pressure", .choice(oversamplings), "1 unless given"),
      .optional("humidity", .choice(oversamplings), "1 unless given"),
    ])

  static let initialRegisters = Section(
    "The registers that an earlier program wrote, in this order, as soon as the device could be written.",
    [
      .optional("config", .integer(0...255), "0xF5"),
      .optional("ctrl_hum", .integer(0...255), "0xF2"),
      .optional("ctrl_meas", .integer(0...255), "0xF4; without it ctrl_hum waits"),
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

  /// The words of a calibration, by the datasheet's names.
  static let words = Section(
    "The calibration by the datasheet's words; those of humidity are a BME280's.",
    example: """
      {dig_T1: 28176, dig_T2: 26220, dig_T3: 50, dig_P1: 38237, dig_P2: -10824, dig_P3: 3024, \
      dig_P4: 7799, dig_P5: -99, dig_P6: -7, dig_P7: 9900, dig_P8: -10230, dig_P9: 4285, \
      dig_H1: 75, dig_H2: 366, dig_H3: 0, dig_H4: 309, dig_H5: 0, dig_H6: 30}
      """,
    CalibrationWords.ranges.map { name, range in
      name.hasPrefix("H")
        ? .optional("dig_\(name)", .integer(range), "a word of humidity")
        : .required(
          "dig_\(name)", .integer(range),
          name.hasPrefix("T") ? "a word of temperature" : "a word of pressure")
    })

  static let calibrationFile = Section(
    "The calibration of one part.",
    [
      .required("device", .text, "a name for the part"),
      .required("chip", .word(Chip.allCases.map { "\($0.name)" }), "which chip"),
      .required("provenance", .text, "where the bytes come from"),
      .required(
        "registers", .either([.section(registers), .section(words)]), "the bytes, or the words"),
    ])

  private static let selfHeating = Section(
    "How a part warms itself by measuring.",
    [
      .required(
        "rise", .quantity(.temperatureDifference), "the rise if it converted without a pause"),
      .optional("time_constant", .quantity(.duration), "how fast it warms; 1min unless given"),
    ])
}
