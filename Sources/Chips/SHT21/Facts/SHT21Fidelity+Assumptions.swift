import VirtualParts

extension SHT21Fidelity {
  /// The open questions, each with its switch.
  static let assumptions = [
    FidelityLedger.Assumption(
      key: "start_time", answers: "15ms", evidence: "only the most is documented (DS 5.1)",
      test: "start-up and reset last as long as set"),
    FidelityLedger.Assumption(
      key: "reset_time", answers: "15ms",
      evidence: "only the most is documented (DS 5.5); Adafruit's driver of the HTU21D waits 10 ms",
      test: "start-up and reset last as long as set"),
    FidelityLedger.Assumption(
      key: "access_during_start", answers: "nack, taken", evidence: "nothing is documented",
      test: "while it starts its address is silent, or it answers"),
    FidelityLedger.Assumption(
      key: "unknown_command", answers: "nack, ack", evidence: "nothing is documented",
      test: "what is no command is acknowledged or not"),
    FidelityLedger.Assumption(
      key: "read_without_command", answers: "nack, ones",
      evidence: "it is not acknowledged while there is no result yet (DS 5.4)",
      test: "a read without a command is not acknowledged, or reads ones"),
    FidelityLedger.Assumption(
      key: "second_read", answers: "idle, again", evidence: "nothing is documented",
      test: "a result can be read once, or again"),
    FidelityLedger.Assumption(
      key: "command_while_measuring", answers: "nack, followed",
      evidence: "only the address for reading is documented not to be acknowledged (DS 5.4)",
      test: "during a measurement a command is not acknowledged, or followed"),
    FidelityLedger.Assumption(
      key: "reserved_bits", answers: "ones, zeros",
      evidence:
        "confirmed by capture: a real SHT21 reads 0x3A (fixtures/captures/sht21.csv), as the EEH210's "
        + "data sheet gives; they may differ from chip to chip (DS 5.6)",
      test: "reserved bits read 0 or 1"),
    FidelityLedger.Assumption(
      key: "reserved_bits_written", answers: "kept, taken",
      evidence: "they must not be changed (DS 5.6)",
      test: "reserved bits are kept, or read back as written"),
    FidelityLedger.Assumption(
      key: "unused_bits", answers: "zeros, measured",
      evidence: "the data sheet's example of 12 bits, 0x6352, has zeros",
      test: "below the resolution a result reads 0, or goes on"),
    FidelityLedger.Assumption(
      key: "reload_bit", answers: "reset, kept",
      evidence: "the entire settings are loaded (DS 5.6), of which the bit is one",
      test: "the reload bit returns with the reload, or stays"),
    FidelityLedger.Assumption(
      key: "past_end", answers: "ones, zeros", evidence: "nothing is documented",
      test: "behind the last byte a read gives ones or zeros"),
    FidelityLedger.Assumption(
      key: "serial_checksum", answers: "each, running",
      evidence:
        "confirmed by capture: 01 31 22 e4 d2 66 08 b9 (fixtures/captures/sht21.csv), as EIC names it; "
        + "the Si7021, with the same commands, counts on",
      test: "a checksum of the serial number counts for one byte, or for all so far"),
    FidelityLedger.Assumption(
      key: "heater_rise", answers: "1 °C", evidence: "0.5 to 1.5 °C (DS table 1)",
      test: "the heater's rise and time constant are settings"),
    FidelityLedger.Assumption(
      key: "heater_time_constant", answers: "10s", evidence: "nothing is documented",
      test: "the heater's rise and time constant are settings"),
  ]

  /// What the model leaves out.
  static let shortcuts = [
    FidelityLedger.Shortcut(
      statement: "the response time of humidity (8 s) and temperature (5 to 30 s)",
      consequence: "results follow the air at once"),
    FidelityLedger.Shortcut(
      statement: "hysteresis, and the offset of long stays in damp air",
      consequence: "humidity is as exact after a damp week as before"),
    FidelityLedger.Shortcut(
      statement: "the error's course over the range (DS figures 2 and 3)",
      consequence: "the error is one constant for each quantity"),
    FidelityLedger.Shortcut(
      statement: "what repeatability means statistically",
      consequence: "it is taken as three standard deviations, as Sensirion says of the SHT3x"),
    FidelityLedger.Shortcut(
      statement: "the air is sampled once, at the end of a measurement",
      consequence: "air that changes within a measurement is not smeared"),
    FidelityLedger.Shortcut(
      statement: "the warmth of measuring itself",
      consequence: "a part that measures without a pause does not warm itself"),
    FidelityLedger.Shortcut(
      statement: "the current, and what happens below 2.1 V",
      consequence: "no charge is counted; a part works at every supply but none"),
    FidelityLedger.Shortcut(
      statement: "the wait of 20 µs that is advised before the stop of a command without hold",
      consequence: "a stop at once does no harm"),
  ]
}
