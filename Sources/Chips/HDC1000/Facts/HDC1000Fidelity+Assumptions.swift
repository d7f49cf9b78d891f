import VirtualParts

extension HDC1000Fidelity {
  /// The open questions, each with its switch.
  static let assumptions = [
    FidelityLedger.Assumption(
      key: "start_time", answers: "15ms", evidence: "only the most is documented (DS 8.5.2)",
      test: "start-up and reset of an HDC1000 last as long as set"),
    FidelityLedger.Assumption(
      key: "reset_time", answers: "15ms", evidence: "nothing is documented; it is taken as a start",
      test: "start-up and reset of an HDC1000 last as long as set"),
    FidelityLedger.Assumption(
      key: "access_during_start", answers: "refused, taken",
      evidence: "only the serial number's registers can be read then (DS 8.5.2), how is not said",
      test: "while it starts settings and results are refused, or it answers"),
    FidelityLedger.Assumption(
      key: "trigger", answers: "pointer, stop",
      evidence:
        "E2E 418467 saw no result without a stop, E2E 391584 (HDC1008) the first byte of one",
      test: "the pointer starts a measurement, or the stop behind it"),
    FidelityLedger.Assumption(
      key: "stale_read", answers: "nack, last",
      evidence: "a read is refused when the contents were not updated (DS 8.5.2.3)",
      test: "a result that was read is not acknowledged, or reads again"),
    FidelityLedger.Assumption(
      key: "write_while_measuring", answers: "followed, nack", evidence: "nothing is documented",
      test: "a write during a measurement is followed, or not acknowledged"),
    FidelityLedger.Assumption(
      key: "humidity_pointer", answers: "measures, selects",
      evidence:
        "DS 8.5.2.3 names 0x00 only for the mode of both; circuitpython-hdc1080 of PyPI relies on it",
      test: "with both measured, the pointer to humidity measures it alone, or selects it"),
    FidelityLedger.Assumption(
      key: "low_bits", answers: "measured, zeros",
      evidence:
        "a result always has 14 bits (DS 8.6.2); in humidity's mode of 8 E2E 597134 (HDC1080) saw more, "
        + "E2E 478340 (HDC1008) ten",
      test: "below the resolution a result goes on, or reads 0"),
    FidelityLedger.Assumption(
      key: "read_only_write", answers: "ack, nack", evidence: "nothing is documented",
      test: "data for a read-only register of an HDC1000 are acknowledged or not"),
    FidelityLedger.Assumption(
      key: "past_end", answers: "ones, zeros",
      evidence: "E2E 553297 (HDC1080) read ones, E2E 391584 (HDC1008) zeros",
      test: "behind the last word a read gives ones or zeros"),
    FidelityLedger.Assumption(
      key: "reserved_registers", answers: "zeros, ones", evidence: "nothing is documented",
      test: "a reserved register reads zeros or ones"),
    FidelityLedger.Assumption(
      key: "longest_time_factor", answers: "1.15",
      evidence:
        "no longest time is documented; Linux (hdc100x) waits 1 ms more than the typical 6.5 ms",
      test: "the longest time is a multiple of the typical one"),
    FidelityLedger.Assumption(
      key: "heater_rise", answers: "2.2 °C",
      evidence: "7.6 mA at 3 V (DS 7.5) and the 98 °C/W of the HDC1008's package",
      test: "the heater's rise and time constant in an HDC1000 are settings"),
    FidelityLedger.Assumption(
      key: "heater_time_constant", answers: "10s", evidence: "nothing is documented",
      test: "the heater's rise and time constant in an HDC1000 are settings"),
  ]

  /// What the model leaves out.
  static let shortcuts = [
    FidelityLedger.Shortcut(
      statement: "the response time of humidity (15 s)",
      consequence: "results follow the air at once"),
    FidelityLedger.Shortcut(
      statement: "hysteresis, and the offset of long stays in damp air",
      consequence: "humidity is as exact after a damp week as before"),
    FidelityLedger.Shortcut(
      statement: "the coarser noise of a short measurement",
      consequence: "the noise is that of 14 bits at every resolution"),
    FidelityLedger.Shortcut(
      statement: "what repeatability means statistically",
      consequence: "it is taken as three standard deviations"),
    FidelityLedger.Shortcut(
      statement: "the air is sampled once, at the end of a measurement",
      consequence: "temperature and humidity are of one moment"),
    FidelityLedger.Shortcut(
      statement: "the value 11 of the resolution of humidity, which is not assigned",
      consequence: "it measures in 8 bits and reads back"),
    FidelityLedger.Shortcut(
      statement: "the current, and what happens below 2.7 V",
      consequence: "no charge is counted; a part works at every supply but none"),
  ]
}
