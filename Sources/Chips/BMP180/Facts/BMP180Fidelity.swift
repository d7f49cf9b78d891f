public import VirtualParts

/// What the model of the BMP180 claims of the chip, assumes and leaves out.
public enum BMP180Fidelity {
  /// The ledger, from which its page in the documentation is printed.
  public static var ledger: FidelityLedger {
    FidelityLedger(
      title: "BMP180: fidelity",
      preface: [
        "Each fact names the test that fails when the model breaks it. DS is Bosch's data sheet",
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
      statement: "it answers at 0x77, and nowhere else", source: "DS 5.2",
      test: "a BMP180 answers at 0x77 alone, and its id is 0x55"),
    FidelityLedger.Fact(
      statement: "0xD0 reads 0x55", source: "DS 4",
      test: "a BMP180 answers at 0x77 alone, and its id is 0x55"),
    FidelityLedger.Fact(
      statement: "0xAA to 0xBF hold eleven words of calibration, the high byte first",
      source: "DS 3.4, table 5", test: "the calibration stands at 0xAA to 0xBF, high bytes first"),
    FidelityLedger.Fact(
      statement: "the result reads 0x80 0x00 0x00 and the control register 0x00 after power-on",
      source: "DS 4", test: "after power-on the result is 0x80 0x00 0x00, the control register 0x00"
    ),
    FidelityLedger.Fact(
      statement: "a read goes on to the next register", source: "DS 5.4",
      test: "the calibration stands at 0xAA to 0xBF, high bytes first"),
  ]

  private static let conversions = [
    FidelityLedger.Fact(
      statement: "0x2E converts the temperature in 3 ms, in 4.5 ms at most",
      source: "DS table 1, table 8", test: "conversions take the times of the data sheet"),
    FidelityLedger.Fact(
      statement:
        "0x34 + (oss << 6) converts the pressure in 3, 5, 9 or 17 ms, in 4.5, 7.5, 13.5 or 25.5 ms at most",
      source: "DS table 1, table 8", test: "conversions take the times of the data sheet"),
    FidelityLedger.Fact(
      statement: "bit 5 of the control register, SCO, is set until the result is there",
      source: "DS 4", test: "SCO is set while the chip converts, and no longer"),
    FidelityLedger.Fact(
      statement: "a temperature has 16 bits, a pressure 16 + oss, from the left of three bytes",
      source: "DS 3.5, figure 4", test: "the air comes back through the formulas of the data sheet"),
    FidelityLedger.Fact(
      statement: "the formulas give 15.0 °C and 69964 Pa for the example of the data sheet",
      source: "DS figure 4", test: "the data sheet's example comes out, step by step"),
    FidelityLedger.Fact(
      statement: "each pressure is compensated with a temperature", source: "DS 3.5",
      test: "the air comes back through the formulas of the data sheet"),
  ]

  private static let start = [
    FidelityLedger.Fact(
      statement: "it starts for 10 ms after power-on", source: "DS table 1",
      test: "a BMP180 starts for 10 ms"),
    FidelityLedger.Fact(
      statement: "0xB6 to 0xE0 does what power-on does", source: "DS 4",
      test: "a soft reset of a BMP180 brings back the registers of power-on"),
    FidelityLedger.Fact(
      statement: "without its supply it forgets everything", source: "DS 4",
      test: "without its supply a BMP180 is silent, and comes back as from power-on"),
  ]

  private static let error = [
    FidelityLedger.Fact(
      statement: "a pressure has a noise of 6, 5, 4 or 3 Pa by its oversampling",
      source: "DS table 1", test: "the noise of a pressure is that of its oversampling"),
    FidelityLedger.Fact(
      statement: "parts are off by a constant error, which drifts by the year",
      source: "DS table 1", test: "an error and a drift move the results of a BMP180"),
    FidelityLedger.Fact(
      statement: "a part has one clock", source: "DS 3.1",
      test: "drawn times are one BMP180's own, and never longer than the longest"),
  ]
}
