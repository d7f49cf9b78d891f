public import VirtualI2C

/// The fidelity ledger of the BMP180 model, which contains its facts, assumptions and omissions.
public enum BMP180Fidelity {
  /// The ledger from which the documentation page BMP180ModelFidelity is generated.
  public static var ledger: FidelityLedger {
    FidelityLedger(
      title: "BMP180: fidelity",
      preface: [
        "Each fact names the test that fails if the model violates it. DS is Bosch's data sheet",
        "BST-BMP180-DS000 of the BMP180, revision 2.5. A BMP085 has the same registers and formulas; its",
        "pins EOC and XCLR are not modelled.",
      ],
      chapters: [
        ("Registers", registers), ("Conversions", conversions), ("Start and supply", start),
        ("Error and noise", error),
      ],
      assumptions: assumptions, shortcuts: shortcuts)
  }

  private static let registers = [
    FidelityLedger.Fact(
      statement: "the only address is 0x77", source: "DS 5.2",
      test: "a BMP180 responds only at 0x77, and its id is 0x55"),
    FidelityLedger.Fact(
      statement: "0xD0 reads 0x55", source: "DS 4",
      test: "a BMP180 responds only at 0x77, and its id is 0x55"),
    FidelityLedger.Fact(
      statement: "0xAA to 0xBF contain eleven calibration words, most significant byte first",
      source: "DS 3.4, table 5",
      test: "the calibration is at 0xAA to 0xBF, most significant bytes first"),
    FidelityLedger.Fact(
      statement: "the result reads 0x80 0x00 0x00 and the control register 0x00 after power-on",
      source: "DS 4", test: "after power-on the result is 0x80 0x00 0x00, the control register 0x00"
    ),
    FidelityLedger.Fact(
      statement: "a read increments the register address", source: "DS 5.4",
      test: "the calibration is at 0xAA to 0xBF, most significant bytes first"),
  ]

  private static let conversions = [
    FidelityLedger.Fact(
      statement: "0x2E converts the temperature in 3 ms typically, 4.5 ms at most",
      source: "DS table 1, table 8", test: "conversions take the times of the data sheet"),
    FidelityLedger.Fact(
      statement:
        "0x34 + (oss << 6) converts the pressure in 3, 5, 9 or 17 ms typically, 4.5, 7.5, 13.5 or 25.5 ms at most",
      source: "DS table 1, table 8", test: "conversions take the times of the data sheet"),
    FidelityLedger.Fact(
      statement: "bit 5 of the control register, SCO, is set until the conversion has finished",
      source: "DS 4", test: "SCO is set only during a conversion"),
    FidelityLedger.Fact(
      statement: "a temperature has 16 bits, a pressure 16 + oss, left-aligned in three bytes",
      source: "DS 3.5, figure 4", test: "the formulas of the data sheet reproduce the air"),
    FidelityLedger.Fact(
      statement: "the formulas give 15.0 °C and 69964 Pa for the example of the data sheet",
      source: "DS figure 4", test: "the data sheet's example is reproduced, step by step"),
    FidelityLedger.Fact(
      statement: "each pressure is compensated with a temperature", source: "DS 3.5",
      test: "the formulas of the data sheet reproduce the air"),
  ]

  private static let start = [
    FidelityLedger.Fact(
      statement: "start-up takes 10 ms after power-on", source: "DS table 1",
      test: "start-up of a BMP180 takes 10 ms"),
    FidelityLedger.Fact(
      statement: "0xB6 written to 0xE0 has the effect of a power-on", source: "DS 4",
      test: "a soft reset of a BMP180 restores the registers of power-on"),
    FidelityLedger.Fact(
      statement: "without supply it loses all state", source: "DS 4",
      test: "without supply a BMP180 does not respond, and restarts as after power-on"),
  ]

  private static let error = [
    FidelityLedger.Fact(
      statement: "the pressure noise is 6, 5, 4 or 3 Pa, by oversampling",
      source: "DS table 1", test: "the noise of a pressure depends on its oversampling"),
    FidelityLedger.Fact(
      statement: "parts have a constant error, which drifts per year",
      source: "DS table 1", test: "an error and a drift shift the results of a BMP180"),
    FidelityLedger.Fact(
      statement: "a part has one clock", source: "DS 3.1",
      test: "drawn times are specific to a BMP180 and never exceed the maximum"),
  ]
}

extension BMP180Fidelity {
  /// The assumptions about undocumented behavior, each with the rig key that changes it.
  static var assumptions: [FidelityLedger.Assumption] {
    let defaults = BMP180UndocumentedBehavior()
    return BMP180UndocumentedBehavior.assumptions.map { $0.entry(defaults: defaults) }
  }

  /// The behavior that is not modelled, with the consequence of each omission.
  static let shortcuts = [
    FidelityLedger.Shortcut(
      statement: "values of the control register that the data sheet does not list",
      consequence: "they start no conversion, and read back"),
    FidelityLedger.Shortcut(
      statement: "noise of the temperature, for which there is no figure",
      consequence: "its codes are without noise"),
    FidelityLedger.Shortcut(
      statement: "the current", consequence: "no charge is counted"),
    FidelityLedger.Shortcut(
      statement: "the air is sampled once, at the end of a conversion",
      consequence: "all samples of a pressure are those of one time"),
    FidelityLedger.Shortcut(
      statement: "air outside the range of the codes",
      consequence: "the last code is used, and no event reports it"),
  ]
}
