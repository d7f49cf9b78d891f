public import VirtualParts

/// What the model of the SHT21 claims of the chip, assumes and leaves out.
public enum SHT21Fidelity {
  /// The ledger, from which its page in the documentation is printed.
  public static var ledger: FidelityLedger {
    FidelityLedger(
      title: "SHT21: fidelity",
      preface: [
        "Each fact names the test that fails when the model breaks it. DS is Sensirion's data sheet of the",
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
      statement: "it has one address, 0x40", source: "DS 5.2", test: "it answers at 0x40"),
    FidelityLedger.Fact(
      statement: "0xF3 and 0xF5 measure; the address is not acknowledged for reading meanwhile",
      source: "DS 5.4, figure 16",
      test: "a measurement without hold is not acknowledged until it is over"),
    FidelityLedger.Fact(
      statement: "0xE3 and 0xE5 measure and hold the clock behind the read address",
      source: "DS 5.4, figure 15",
      test: "a measurement with hold stretches the clock, after a repeated start or a stop"),
    FidelityLedger.Fact(
      statement: "a result is two bytes, the high one first, and a checksum; bit 1 tells humidity",
      source: "DS 5.4", test: "a result is two bytes and their checksum; bit 1 tells humidity"),
    FidelityLedger.Fact(
      statement: "the checksum can be left out", source: "DS figure 15",
      test: "the checksum may be left out"),
    FidelityLedger.Fact(
      statement: "the checksum is CRC-8 with x^8 + x^5 + x^4 + 1 from 0",
      source: "DS 5.7, application note CRC",
      test: "the checksum is that of Sensirion's examples"),
    FidelityLedger.Fact(
      statement: "temperature is -46.85 + 175.72 code / 65536, humidity -6 + 125 code / 65536",
      source: "DS 6.1, 6.2", test: "codes mean what another driver computes of them"),
    FidelityLedger.Fact(
      statement: "what a driver computes is the air, to half a step of the resolution",
      source: "DS 6", test: "the air comes back within half a step of the resolution"),
  ]

  private static let times = [
    FidelityLedger.Fact(
      statement: "a measurement takes 3 to 66 ms as a rule and 4 to 85 ms at most, by resolution",
      source: "DS table 7",
      test: "a measurement without hold is not acknowledged until it is over"),
    FidelityLedger.Fact(
      statement: "no part takes longer than the longest time", source: "DS table 7",
      test: "drawn times are one part's own, and never longer than the longest"),
  ]

  private static let register = [
    FidelityLedger.Fact(
      statement: "the user register reads 0x02 after power-on, its reserved bits aside",
      source: "DS table 8", test: "the user register reads 0x02 after power-on"),
    FidelityLedger.Fact(
      statement: "bits 7 and 0 choose the resolution", source: "DS table 8",
      test: "bits 7 and 0 of the user register choose the resolution, and the others stay"),
    FidelityLedger.Fact(
      statement: "a code is aligned to the left at every resolution", source: "DS 6",
      test: "a code fills its 16 bits from the left: below the resolution it is 0"),
    FidelityLedger.Fact(
      statement: "bits 7, 2, 1 and 0 can be written, bit 6 cannot", source: "DS table 8",
      test: "resolution, heater and reload bits read back; the end of battery does not"),
    FidelityLedger.Fact(
      statement: "bit 6 tells a supply below 2.25 V and changes with each measurement",
      source: "DS table 8 and its note",
      test: "bit 6 tells a supply below 2.25 V, from the next measurement on"),
    FidelityLedger.Fact(
      statement: "the heater warms the part by 0.5 to 1.5 °C, and humidity falls",
      source: "DS 5.6", test: "the heater warms the part, and the humidity that it senses falls"),
    FidelityLedger.Fact(
      statement: "OTP reload loads the default settings, heater aside, before a measurement",
      source: "DS 5.6",
      test: "with OTP reload enabled a measurement starts from the default settings"),
  ]

  private static let start = [
    FidelityLedger.Fact(
      statement: "it is ready 15 ms after power-on at the latest", source: "DS 5.1",
      test: "it starts for 15 ms after power-on, silent"),
    FidelityLedger.Fact(
      statement: "a soft reset restores the default settings but the heater within 15 ms",
      source: "DS 5.5",
      test: "a soft reset restores everything but the heater, and the address is silent for 15 ms"),
    FidelityLedger.Fact(
      statement: "a reset ends what was going on", source: "DS 5.5",
      test: "a soft reset forgets a result that was not read"),
    FidelityLedger.Fact(
      statement: "without its supply it forgets everything", source: "DS 5.1",
      test: "without its supply it is silent, and comes back with its default settings, heater off"),
  ]

  private static let serial = [
    FidelityLedger.Fact(
      statement: "0xFA 0x0F and 0xFC 0xC9 give eight and six bytes of it", source: "EIC",
      test: "the serial number lies in two places, each byte or word with its checksum"),
    FidelityLedger.Fact(
      statement: "every part has its own", source: "EIC",
      test: "parts of different seeds have different serial numbers"),
  ]

  private static let error = [
    FidelityLedger.Fact(
      statement: "results repeat to 0.1 °C and 0.1 %", source: "DS table of performance",
      test: "noise has a third of the repeatability as its standard deviation, and is the seed's"),
    FidelityLedger.Fact(
      statement: "parts are off by a constant error, which drifts by the year",
      source: "DS table of performance", test: "an error and a drift move the results"),
  ]
}
