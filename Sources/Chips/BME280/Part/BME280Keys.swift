import BME280
import BME280Model
import Parts
import Schema

/// The keys of a BME280 or BMP280 in rigs and in its calibration files.
package enum BME280Keys {
  static let device: [Section.Field] = [
    .required(
      "calibration", .either([.path, .section(registers)]),
      "a calibration file, or the registers themselves"),
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
    "The calibration registers as hexadecimal digits.",
    [
      .required("0x88", .hexadecimal, "0x88 to 0xA1 (26 bytes), on a BMP280 to 0x9F (24)"),
      .optional("0xE1", .hexadecimal, "0xE1 to 0xE7 (7 bytes), on a BME280 only"),
    ])

  static let calibrationFile = Section(
    "The calibration of one part.",
    [
      .required("device", .text, "a name for the part"),
      .required("chip", .word(Chip.allCases.map { "\($0.name)" }), "which chip"),
      .required("provenance", .text, "where the bytes come from"),
      .required("registers", .section(registers), "the bytes"),
    ])

  private static let selfHeating = Section(
    "How a part warms itself by measuring.",
    [
      .required(
        "rise", .quantity(.temperatureDifference), "the rise if it converted without a pause"),
      .optional("time_constant", .quantity(.duration), "how fast it warms; 1min unless given"),
    ])
}
