import VirtualParts

extension BMP180Fidelity {
  /// The open questions, each with its switch.
  static let assumptions = [
    FidelityLedger.Assumption(
      key: "reset_time", answers: "10ms",
      evidence: "the sequence is that of power-on (DS 4), which takes 10 ms; no time is given",
      test: "a soft reset of a BMP180 lasts as long as set"),
    FidelityLedger.Assumption(
      key: "access_during_start", answers: "refused, taken",
      evidence:
        "the first communication comes 10 ms after power-on (DS table 1), what is before it is not said",
      test: "while a BMP180 starts its address is refused, or taken"),
    FidelityLedger.Assumption(
      key: "data_while_converting", answers: "last, reset",
      evidence:
        "SCO falls once the data registers are filled (DS 4); what they read before is not said",
      test: "during a conversion the result is the last one, or that of power-on"),
    FidelityLedger.Assumption(
      key: "command_while_converting", answers: "ignored, followed",
      evidence: "nothing is documented",
      test: "a command during a conversion is ignored, or followed"),
    FidelityLedger.Assumption(
      key: "low_byte", answers: "zeros, last",
      evidence: "the temperature has two bytes (DS figure 4), the third is not mentioned",
      test: "behind a temperature the lowest byte is 0, or what it was"),
    FidelityLedger.Assumption(
      key: "further_bytes", answers: "ignored, pairs",
      evidence: "the data sheet shows writes of one register alone (DS 5.3)",
      test: "further bytes of a write are ignored, or pairs"),
    FidelityLedger.Assumption(
      key: "read_only_write", answers: "ack, nack", evidence: "nothing is documented",
      test: "data for a read-only register of a BMP180 are acknowledged or not"),
    FidelityLedger.Assumption(
      key: "reserved_registers", answers: "real, ones, zeros",
      evidence:
        "confirmed by capture: two dumps (fixtures/captures/bmp180-dumps.csv) agree on 0xD1 = 0x02, "
        + "0xD2 = 0x06, 0xC2 = 0xBC 0x33, 0xCB = 0x10, 0xCF = 0x03 and 0x80 to 0x9F = 0xA0 to 0xBF; "
        + "0xA2, 0xA4 and 0xA6 to 0xA9 are one part's",
      test: "undescribed registers of a BMP180 read as two real parts' dumps, ones or zeros"),
  ]

  /// What the model leaves out.
  static let shortcuts = [
    FidelityLedger.Shortcut(
      statement: "values of the control register that the data sheet does not name",
      consequence: "they start nothing, and read back"),
    FidelityLedger.Shortcut(
      statement: "noise of the temperature, for which no figure is given",
      consequence: "its codes are exact"),
    FidelityLedger.Shortcut(
      statement: "the current", consequence: "no charge is counted"),
    FidelityLedger.Shortcut(
      statement: "the air is sampled once, at the end of a conversion",
      consequence: "the readings that a pressure adds up are of one moment"),
    FidelityLedger.Shortcut(
      statement: "air beyond what the codes can express",
      consequence: "the last code stands for it, and no event tells of it"),
  ]
}
