public import VirtualI2C

/// The fidelity ledger of the HDC1000 model, which contains its facts, assumptions and omissions.
public enum HDC1000Fidelity {
  /// The ledger from which the documentation page HDC1000ModelFidelity is generated.
  public static var ledger: FidelityLedger {
    FidelityLedger(
      title: "HDC1000: fidelity",
      preface: [
        "Each fact names the test that fails if the model violates it. DS is Texas Instruments' data sheet",
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
      statement: "two pins select one of four addresses, 0x40 to 0x43", source: "DS 8.5.1",
      test: "four parts share a bus, at the addresses selected by their pins"),
    FidelityLedger.Fact(
      statement: "0xFE reads 0x5449 and 0xFF 0x1000", source: "DS 8.6.5, 8.6.6",
      test: "the ids are those of Texas Instruments and the HDC1000"),
    FidelityLedger.Fact(
      statement: "the configuration reads 0x1000 after power-on", source: "DS table 1",
      test: "the configuration reads 0x1000 after power-on"),
    FidelityLedger.Fact(
      statement: "only heater, mode and resolutions of the configuration are writable",
      source: "DS table 4",
      test:
        "heater, mode and resolutions are writable, the battery status and reserved bits are not"),
    FidelityLedger.Fact(
      statement: "the fields lie at bits 13, 12, 11, 10, 9 and 8", source: "DS table 4",
      test: "a field of the configuration has its documented bits and preserves the others"),
    FidelityLedger.Fact(
      statement: "a register is written with two bytes, most significant first",
      source: "DS figure 10",
      test: "a word takes effect with its second byte"),
    FidelityLedger.Fact(
      statement: "a read uses the pointer that was last written; it is 0x00 after power-on",
      source: "DS 8.5.2.2, 8.6",
      test: "the pointer stays until it is written, and is 0x00 after power-on"),
    FidelityLedger.Fact(
      statement: "the serial number has 41 bits in 0xFB to 0xFD", source: "DS 8.6.4",
      test: "the serial number has 41 bits, left-aligned in three registers"),
    FidelityLedger.Fact(
      statement: "every part has its own serial number", source: "DS 8.6.4",
      test: "HDC1000 of different seeds have different serial numbers"),
  ]

  private static let measurements = [
    FidelityLedger.Fact(
      statement: "writing the pointer 0x00 or 0x01 measures: 6.35 or 3.65 ms, 6.5, 3.85 or 2.5 ms",
      source: "DS 7.5, 8.5.2.3",
      test:
        "writing a result pointer starts a measurement, and reads are not acknowledged until it has finished"
    ),
    FidelityLedger.Fact(
      statement: "a read is not acknowledged while results are not updated",
      source: "DS 8.5.2.3; TI in E2E 1346459 (HDC1080)",
      test: "a read directly after the pointer is not acknowledged, but the measurement runs"),
    FidelityLedger.Fact(
      statement: "in the mode that measures both, four bytes return temperature and humidity",
      source: "DS figure 14",
      test: "one read returns temperature and humidity, most significant bytes first"),
    FidelityLedger.Fact(
      statement: "in the mode that measures one, the pointer selects the quantity",
      source: "DS 8.5.2.3",
      test:
        "in the mode that measures one quantity, a read returns the one whose pointer was written"),
    FidelityLedger.Fact(
      statement: "temperature is code / 65536 x 165 - 40, humidity code / 65536 x 100, unsigned",
      source: "DS 8.6.1, 8.6.2", test: "words have the values that another driver computes"),
    FidelityLedger.Fact(
      statement: "a result has 14 bits; the two lowest are 0", source: "DS 8.6.1, 8.6.2",
      test: "the air is reproduced within half a step of 14 bits, and the two lowest bits are 0"),
    FidelityLedger.Fact(
      statement: "DRDYn is low while there is an unread result", source: "DS 8.5.2.3",
      test: "the pin DRDYn is low from the end of a measurement until the result is read"),
    FidelityLedger.Fact(
      statement: "the heater heats only while the chip measures", source: "DS 8.3.3",
      test: "the heater warms the part only while it measures"),
  ]

  private static let start = [
    FidelityLedger.Fact(
      statement: "it can measure 15 ms after power-on; until then only 0xFB to 0xFF can be read",
      source: "DS 8.5.2", test: "start-up takes 15 ms; the id registers can be read before"),
    FidelityLedger.Fact(
      statement: "bit 15 resets the chip and clears itself", source: "DS table 4",
      test: "the reset bit restores the configuration and the results, and reads 0"),
    FidelityLedger.Fact(
      statement:
        "bit 11 is set if the supply is below 2.8 V, updated after power-on and with each measurement",
      source: "DS 8.3.2", test: "bit 11 is set if the supply is below 2.8 V, from start-up on"),
    FidelityLedger.Fact(
      statement: "without supply it loses all state", source: "DS 8.5.2",
      test: "without supply the chip does not respond, and restarts with its default settings"),
  ]

  private static let error = [
    FidelityLedger.Fact(
      statement: "results repeat to 0.1 °C and 0.1 %", source: "DS 7.5",
      test: "the noise of an HDC1000 has a standard deviation of a third of the repeatability"),
    FidelityLedger.Fact(
      statement: "parts have a constant error, which drifts per year", source: "DS 7.5",
      test: "an error and a drift shift the results of an HDC1000"),
    FidelityLedger.Fact(
      statement: "a part has one clock", source: "DS 8.2",
      test: "drawn times are specific to an HDC1000 and never exceed the maximum"),
  ]
}

extension HDC1000Fidelity {
  /// The assumptions about undocumented behavior, each with the rig key that changes it.
  static var assumptions: [FidelityLedger.Assumption] {
    let defaults = HDC1000UndocumentedBehavior()
    return HDC1000UndocumentedBehavior.assumptions.map { $0.entry(defaults: defaults) }
  }

  /// The behavior that is not modelled, with the consequence of each omission.
  static let shortcuts = [
    FidelityLedger.Shortcut(
      statement: "the response time of humidity (15 s)",
      consequence: "results follow the air immediately"),
    FidelityLedger.Shortcut(
      statement: "hysteresis, and the offset after long exposure to humid air",
      consequence: "humidity is as accurate after a humid week as before"),
    FidelityLedger.Shortcut(
      statement: "the coarser noise of a short measurement",
      consequence: "the noise is that of 14 bits at every resolution"),
    FidelityLedger.Shortcut(
      statement: "the statistical meaning of repeatability",
      consequence: "it is taken as three standard deviations"),
    FidelityLedger.Shortcut(
      statement: "the air is sampled once, at the end of a measurement",
      consequence: "temperature and humidity are those of one time"),
    FidelityLedger.Shortcut(
      statement: "the unassigned value 11 of the humidity resolution",
      consequence: "it measures in 8 bits and reads back"),
    FidelityLedger.Shortcut(
      statement: "the current, and operation below 2.7 V",
      consequence: "no charge is counted; a part works at any supply voltage above 0"),
  ]
}
