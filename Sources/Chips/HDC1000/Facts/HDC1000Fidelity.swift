public import VirtualParts

/// What the model of the HDC1000 claims of the chip, assumes and leaves out.
public enum HDC1000Fidelity {
  /// The ledger, from which its page in the documentation is printed.
  public static var ledger: FidelityLedger {
    FidelityLedger(
      title: "HDC1000: fidelity",
      preface: [
        "Each fact names the test that fails when the model breaks it. DS is Texas Instruments' data sheet",
        "SNAS643 of the HDC1000, revision B; E2E is a thread of TI's forum of that number. The later chips",
        "HDC1010, HDC1050 and HDC1080 have the same registers (TI application note SBOA631).",
      ],
      chapters: [
        ("Registers", registers), ("Measurements", measurements),
        ("Start, reset and supply", start), ("Error and noise", error),
      ],
      assumptions: assumptions, shortcuts: shortcuts)
  }

  private static let registers = [
    FidelityLedger.Fact(
      statement: "two pins choose one of four addresses, 0x40 to 0x43", source: "DS 8.5.1",
      test: "four parts share a bus, at the addresses that their pins choose"),
    FidelityLedger.Fact(
      statement: "0xFE reads 0x5449 and 0xFF 0x1000", source: "DS 8.6.5, 8.6.6",
      test: "the identities are Texas Instruments and HDC1000"),
    FidelityLedger.Fact(
      statement: "the configuration reads 0x1000 after power-on", source: "DS table 1",
      test: "the configuration reads 0x1000 after power-on"),
    FidelityLedger.Fact(
      statement: "heater, mode and resolutions can be written, nothing else of the configuration",
      source: "DS table 4",
      test:
        "heater, mode and resolutions can be written, the battery's status and reserved bits not"),
    FidelityLedger.Fact(
      statement: "the fields lie at bits 13, 12, 11, 10, 9 and 8", source: "DS table 4",
      test: "the fields of the configuration lie at their bits, and leave the others alone"),
    FidelityLedger.Fact(
      statement: "a register is written by two bytes, the high one first", source: "DS figure 10",
      test: "a word counts with its second byte"),
    FidelityLedger.Fact(
      statement: "a read takes the pointer that was written last; it is 0x00 after power-on",
      source: "DS 8.5.2.2, 8.6",
      test: "the pointer stays until it is written, and is 0x00 after power-on"),
    FidelityLedger.Fact(
      statement: "the serial number has 41 bits in 0xFB to 0xFD", source: "DS 8.6.4",
      test: "the serial number has 41 bits in three registers, from the left"),
    FidelityLedger.Fact(
      statement: "every part has its own serial number", source: "DS 8.6.4",
      test: "HDC1000 of different seeds have different serial numbers"),
  ]

  private static let measurements = [
    FidelityLedger.Fact(
      statement: "writing the pointer 0x00 or 0x01 measures: 6.35 or 3.65 ms, 6.5, 3.85 or 2.5 ms",
      source: "DS 7.5, 8.5.2.3",
      test: "writing its pointer measures, and reads are not acknowledged until it is over"),
    FidelityLedger.Fact(
      statement: "a read is not acknowledged while results are not updated",
      source: "DS 8.5.2.3; TI in E2E 1346459 (HDC1080)",
      test: "a pointer and a read without a wait are not acknowledged, and measure all the same"),
    FidelityLedger.Fact(
      statement: "in the mode of both, four bytes give temperature and humidity",
      source: "DS figure 14",
      test: "one read gives temperature and humidity, the high bytes first"),
    FidelityLedger.Fact(
      statement: "in the mode of one, the pointer chooses which", source: "DS 8.5.2.3",
      test: "in the mode of one quantity a read gives the one whose pointer was written"),
    FidelityLedger.Fact(
      statement: "temperature is code / 65536 x 165 - 40, humidity code / 65536 x 100, unsigned",
      source: "DS 8.6.1, 8.6.2", test: "words mean what another driver computes of them"),
    FidelityLedger.Fact(
      statement: "a result has 14 bits; the two lowest are 0", source: "DS 8.6.1, 8.6.2",
      test: "the air comes back within half a step of 14 bits, and the two lowest bits are 0"),
    FidelityLedger.Fact(
      statement: "DRDYn is low while a result waits", source: "DS 8.5.2.3",
      test: "the pin DRDYn is low from the end of a measurement until the result is read"),
    FidelityLedger.Fact(
      statement: "the heater heats only while the chip measures", source: "DS 8.3.3",
      test: "the heater warms the part only while it measures"),
  ]

  private static let start = [
    FidelityLedger.Fact(
      statement: "it can measure 15 ms after power-on; until then only 0xFB to 0xFF answer",
      source: "DS 8.5.2", test: "it starts for 15 ms after power-on; its identities answer before"),
    FidelityLedger.Fact(
      statement: "bit 15 resets the chip and clears itself", source: "DS table 4",
      test: "the reset bit restores the configuration and the results, and reads 0"),
    FidelityLedger.Fact(
      statement: "bit 11 tells a supply below 2.8 V, after power-on and with each measurement",
      source: "DS 8.3.2", test: "bit 11 tells a supply below 2.8 V, from the start on"),
    FidelityLedger.Fact(
      statement: "without its supply it forgets everything", source: "DS 8.5.2",
      test: "without its supply it is silent, and comes back with its default settings"),
  ]

  private static let error = [
    FidelityLedger.Fact(
      statement: "results repeat to 0.1 °C and 0.1 %", source: "DS 7.5",
      test: "the noise of an HDC1000 has a third of the repeatability as its standard deviation"),
    FidelityLedger.Fact(
      statement: "parts are off by a constant error, which drifts by the year", source: "DS 7.5",
      test: "an error and a drift move the results of an HDC1000"),
    FidelityLedger.Fact(
      statement: "a part has one clock", source: "DS 8.2",
      test: "drawn times are one HDC1000's own, and never longer than the longest"),
  ]
}
