import BME280
import BME280Model
import Parts
import Schema
import VirtualI2C

/// The keys of a BME280 or BMP280 in rigs and in calibration files.
package enum BME280Keys {
  static let device = KeyGroup("The keys of a BME280 or BMP280.", SensorOptions()) {
    [
      Key(
        .optional(
          "calibration",
          .either([.path, .section(registers), .section(words), .list(.integer(0...255))]),
          "a file or the name of a built-in calibration; or its bytes, a table of i2cdump, or its words; default: a typical part "
            + "(periph-i2c; for a BMP280 bmp-orangepi)"))
    ] + Key.deviations + [
      Key(
        "self_heating", \.selfHeating, .group(selfHeating), "the self-heating of the part",
        absent: nil),
      Key(
        .optional(
          "initial_registers", .section(initialRegisters),
          "registers written by an earlier program; default: the state after power-on"
        ).formerly("left")),
      .unknown(unknown),
    ]
  }

  static let driver = KeyGroup("The keys of the driver.", BME280Settings()) {
    [
      Key(
        "oversampling", \.measurement, .group(oversampling), "the oversampling of each channel",
        default: "x1"),
      Key(
        "filter", \.measurement.filter, .choice(of: Filter.allCases, by: coefficient),
        "the IIR filter coefficient", default: .remarked(" (off)")),
      Key(
        "mode", \.usesNormalMode,
        .choice(of: [false, true]) { $0 ? "normal" : "forced" }, "the power mode"),
      Key("standby", \.measurement.standby, .standby, "the standby time of normal mode"),
      Key(
        "variant", \.variant, .choice(of: CompensationVariant.allCases) { "\($0.name)" },
        "the compensation formulas"),
    ]
  }

  private static let coefficient: @Sendable (Filter) -> Int = {
    $0 == .off ? 0 : $0.coefficient
  }

  private static let oversampling = KeyGroup(
    "The oversampling of each channel; 0 skips the channel.", MeasurementSettings()
  ) {
    let samples = KeyFormat.choice(of: Oversampling.allCases, by: \.samples)
    return [
      Key("temperature", \.temperature, samples, ""),
      Key("pressure", \.pressure, samples, ""),
      Key("humidity", \.humidity, samples, ""),
    ]
  }

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

  private static let selfHeating = KeyGroup(
    "The self-heating of a part by measurements.", SensorOptions.SelfHeating(rise: 0)
  ) {
    [
      .required(
        "rise", \.rise, .quantity(.temperatureDifference),
        "the temperature rise in continuous conversion"),
      Key("time_constant", \.timeConstant, .duration, "the time constant"),
    ]
  }
}

extension BME280Keys {
  /// The keys that select the undocumented behavior.
  static let unknown = KeyGroup.unknown(UndocumentedBehavior(), UndocumentedBehavior.assumptions)
}

extension KeyFormat<Standby> {
  /// A standby time of normal mode that the BME280 has.
  fileprivate static let standby = KeyFormat(
    .quantity(.duration),
    text: { KeyFormat<UInt64>.duration.defaultText($0.nanoseconds(on: .bme280)) }
  ) { value throws(QuantityKind.FormatError) in
    guard let time = value.nanoseconds else { return nil }
    if let standby = Standby(nanoseconds: UInt64(time), on: .bme280) { return standby }
    throw QuantityKind.FormatError(
      message:
        "unsupported standby time (accepted: 0.5ms, 62.5ms, 125ms, 250ms, 500ms, 1s, 10ms, 20ms)")
  }
}

extension SensorOptions: PartOptions {}
