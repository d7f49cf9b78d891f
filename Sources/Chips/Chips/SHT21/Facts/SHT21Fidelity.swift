public import VirtualI2C

/// The fidelity ledger of the SHT21 model: facts, assumptions and omissions.
public enum SHT21Fidelity {
  /// The ledger, from which the documentation page is generated.
  public static var ledger: FidelityLedger {
    FidelityLedger(
      title: "SHT21: fidelity",
      preface: [
        "Each fact names the test that fails if the model violates it. DS is Sensirion's data sheet of the",
        "SHT21 (version 4, May 2014), EIC its application note \"SHT2x Electronic Identification Code\"; the",
        "data sheet of the EEH210 (E+E Elektronik) describes a chip with the same commands.",
      ],
      chapters: [
        ("Commands and results", commands), ("Times", times), ("User register", register),
        ("Start, reset and supply", start), ("Serial number", serial), ("Error and noise", error),
      ],
      assumptions: assumptions, shortcuts: shortcuts)
  }

  private static let commands = [
    FidelityLedger.Fact(
      statement: "the only address is 0x40", source: "DS 5.2", test: "the chip responds at 0x40"),
    FidelityLedger.Fact(
      statement: "0xF3 and 0xF5 measure; the read address is not acknowledged meanwhile",
      source: "DS 5.4, figure 16",
      test: "a read during a no-hold measurement is not acknowledged"),
    FidelityLedger.Fact(
      statement: "0xE3 and 0xE5 measure and stretch the clock after the read address",
      source: "DS 5.4, figure 15",
      test: "a measurement with hold stretches the clock, after a repeated START or a STOP"),
    FidelityLedger.Fact(
      statement:
        "a result is two bytes, most significant first, and a checksum; bit 1 is set for humidity",
      source: "DS 5.4", test: "a result is two bytes and their checksum; bit 1 is set for humidity"),
    FidelityLedger.Fact(
      statement: "the checksum can be omitted", source: "DS figure 15",
      test: "the checksum may be omitted"),
    FidelityLedger.Fact(
      statement: "the checksum is CRC-8 with x^8 + x^5 + x^4 + 1, initial value 0",
      source: "DS 5.7, application note CRC",
      test: "the checksum is that of Sensirion's examples"),
    FidelityLedger.Fact(
      statement: "temperature is -46.85 + 175.72 code / 65536, humidity -6 + 125 code / 65536",
      source: "DS 6.1, 6.2", test: "codes have the values that another driver computes"),
    FidelityLedger.Fact(
      statement: "a driver computes the air to within half a step of the resolution",
      source: "DS 6", test: "the air is reproduced within half a step of the resolution"),
  ]

  private static let times = [
    FidelityLedger.Fact(
      statement: "a measurement takes 3 to 66 ms typically and 4 to 85 ms at most, by resolution",
      source: "DS table 7",
      test: "a read during a no-hold measurement is not acknowledged"),
    FidelityLedger.Fact(
      statement: "no part exceeds the maximum time", source: "DS table 7",
      test: "drawn times are specific to the part and never exceed the maximum"),
  ]

  private static let register = [
    FidelityLedger.Fact(
      statement: "the user register reads 0x02 after power-on, except for its reserved bits",
      source: "DS table 8", test: "the user register reads 0x02 after power-on"),
    FidelityLedger.Fact(
      statement: "bits 7 and 0 select the resolution", source: "DS table 8",
      test: "bits 7 and 0 of the user register select the resolution, the others are preserved"),
    FidelityLedger.Fact(
      statement: "a code is left-aligned at every resolution", source: "DS 6",
      test: "a code is left-aligned in 16 bits: bits below the resolution are 0"),
    FidelityLedger.Fact(
      statement: "bits 7, 2, 1 and 0 can be written, bit 6 cannot", source: "DS table 8",
      test: "resolution, heater and reload bits read back; the end of battery does not"),
    FidelityLedger.Fact(
      statement: "bit 6 is set if the supply is below 2.25 V and is updated with each measurement",
      source: "DS table 8 and its note",
      test: "bit 6 is set if the supply is below 2.25 V, from the next measurement on"),
    FidelityLedger.Fact(
      statement: "the heater warms the part by 0.5 to 1.5 °C, and humidity falls",
      source: "DS 5.6", test: "the heater warms the part, and the sensed humidity falls"),
    FidelityLedger.Fact(
      statement: "OTP reload loads the default settings except the heater before a measurement",
      source: "DS 5.6",
      test: "with OTP reload enabled, a measurement uses the default settings"),
  ]

  private static let start = [
    FidelityLedger.Fact(
      statement: "it is ready at most 15 ms after power-on", source: "DS 5.1",
      test: "the chip does not respond for 15 ms after power-on"),
    FidelityLedger.Fact(
      statement: "a soft reset restores the default settings except the heater within 15 ms",
      source: "DS 5.5",
      test:
        "a soft reset restores all settings except the heater, and the address is not acknowledged for 15 ms"
    ),
    FidelityLedger.Fact(
      statement: "a reset aborts a measurement", source: "DS 5.5",
      test: "a soft reset discards an unread result"),
    FidelityLedger.Fact(
      statement: "without supply it loses all state", source: "DS 5.1",
      test:
        "without supply the chip does not respond, and restarts with its default settings, heater off"
    ),
  ]

  private static let serial = [
    FidelityLedger.Fact(
      statement: "0xFA 0x0F and 0xFC 0xC9 return eight and six bytes of it", source: "EIC",
      test: "the serial number has two memory addresses, each byte or word with its checksum"),
    FidelityLedger.Fact(
      statement: "each part has its own", source: "EIC",
      test: "parts of different seeds have different serial numbers"),
  ]

  private static let error = [
    FidelityLedger.Fact(
      statement: "results repeat to 0.1 °C and 0.1 %", source: "DS table of performance",
      test:
        "noise has a standard deviation of a third of the repeatability, and is reproducible by seed"
    ),
    FidelityLedger.Fact(
      statement: "parts have a constant error, which drifts per year",
      source: "DS table of performance", test: "an error and a drift shift the results"),
  ]
}

extension SHT21Fidelity {
  /// The assumptions about undocumented behavior, each with the rig key that changes it.
  static var assumptions: [FidelityLedger.Assumption] {
    let defaults = SHT21UndocumentedBehavior()
    return SHT21UndocumentedBehavior.assumptions.map { $0.entry(defaults: defaults) }
  }

  /// The behavior of the chip that is not modelled, and the consequences.
  static let shortcuts = [
    FidelityLedger.Shortcut(
      statement: "the response time of humidity (8 s) and temperature (5 to 30 s)",
      consequence: "results follow the air immediately"),
    FidelityLedger.Shortcut(
      statement: "hysteresis, and the offset after long exposure to humid air",
      consequence: "humidity is as accurate after a humid week as before"),
    FidelityLedger.Shortcut(
      statement: "the variation of the error over the range (DS figures 2 and 3)",
      consequence: "the error is one constant for each quantity"),
    FidelityLedger.Shortcut(
      statement: "the statistical meaning of repeatability",
      consequence: "it is taken as three standard deviations, as Sensirion documents for the SHT3x"),
    FidelityLedger.Shortcut(
      statement: "the air is sampled once, at the end of a measurement",
      consequence: "changes of the air within a measurement are not averaged"),
    FidelityLedger.Shortcut(
      statement: "self-heating",
      consequence: "a part that measures continuously does not heat itself"),
    FidelityLedger.Shortcut(
      statement: "the current, and operation below 2.1 V",
      consequence: "no charge is counted; a part works at any supply voltage above 0"),
    FidelityLedger.Shortcut(
      statement: "the recommended wait of 20 µs before the STOP of a no-hold command",
      consequence: "an immediate STOP has no effect on the measurement"),
  ]
}
