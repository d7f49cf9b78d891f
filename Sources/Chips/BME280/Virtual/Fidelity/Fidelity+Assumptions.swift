public import VirtualParts

extension Fidelity {
  /// The open questions, each with its switch.
  public static let assumptions = [
    Assumption(
      key: "copy_time_power_on", answers: "2ms",
      evidence: "no figure; start-up takes 2 ms at most (DS 1.1)",
      test: "the lengths of the NVM copy are settings"),
    Assumption(
      key: "copy_time_reset", answers: "1ms",
      evidence: "no figure; drivers saw one to three polls, 1 ms sufficed",
      test: "the lengths of the NVM copy are settings"),
    Assumption(
      key: "measuring_delay", answers: "0.2ms",
      evidence:
        "drivers that poll at once fail at 400 kHz (after 75 us) and work at 100 kHz (after 300 us)",
      test: "the delay of measuring is a setting, 0 as well"),
    Assumption(
      key: "calibration_during_copy", answers: "zeros, ones, nack",
      evidence: "drivers read 0x00 and 0xFF after a reset",
      test: "calibration during the copy: zeros, ones, or nobody answers"),
    Assumption(
      key: "calibration_before_conversion", answers: "clean, unreadable",
      evidence: "the copy is documented (DS 5.4.4); no driver was seen to read it wrong then",
      test: "calibration while it is copied before a conversion: clean, or as during the start"),
    Assumption(
      key: "writes_during_start", answers: "taken, lost, hang",
      evidence:
        "Bosch's BMP2 code writes right after a reset; one part left in normal mode hung at 0x80000",
      test:
        "a write while the part starts is taken, lost, or makes a part hang that was in normal mode"
    ),
    Assumption(
      key: "id_during_start", answers: "right, zeros, ones",
      evidence: "one driver (Zephyr, pull request 92753) met a wrong id just after power-on",
      test: "the id while the part starts: right, zeros, or ones"),
    Assumption(
      key: "normal_mode_written_again", answers: "restart, standby",
      evidence: "nothing is documented",
      test: "normal mode written in its own measurement: the next one, or the pause first"),
    Assumption(
      key: "pointer_after_reset", answers: "kept, zero", evidence: "nothing is documented",
      test: "the register pointer survives a reset or returns to 0"),
    Assumption(
      key: "pointer_after_pair", answers: "stays, next", evidence: "nothing is documented",
      test: "behind a written register the pointer stays or moves on"),
    Assumption(
      key: "oversampling_while_measuring", answers: "wait, next",
      evidence: "only the mode is documented to wait (DS 3.3.1); Bosch's code resets first",
      test: "oversampling written during a conversion waits, or is read back at once"),
    Assumption(
      key: "config_in_normal_mode", answers: "taken, ignored",
      evidence:
        "confirmed by capture: a BME280 took 13 of 13 writes (fixtures/captures/register-tests.csv, "
        + "through SPI), a BMP280 one (F4 57, F5 90); \"may be ignored\" (DS 5.4.6), as two drivers "
        + "report: the benches of audit ignore it",
      test: "config in normal mode is ignored or taken"),
    Assumption(
      key: "config_while_measuring", answers: "taken, ignored", evidence: "nothing is documented",
      test: "config during a forced measurement is taken or ignored"),
    Assumption(
      key: "filter_rounding", answers: "truncate, nearest",
      evidence: "nothing is documented; eight bits below the converter's are kept",
      test: "the filter truncates or rounds: a rest of one code is reached or not"),
    Assumption(
      key: "filter_start", answers: "first, reset",
      evidence:
        "the first value passes (DS 3.4.4, drawn in figure 6); one owner's readings look otherwise",
      test: "the filter starts from the first value, or from the reset value"),
    Assumption(
      key: "past_end", answers: "wrap, stay", evidence: "nothing is documented",
      test: "behind 0xFF a read wraps or stays"),
    Assumption(
      key: "read_only_write", answers: "ack, nack",
      evidence: "only an address mismatch is documented not to be acknowledged",
      test: "data for a read-only register are acknowledged or not"),
    Assumption(
      key: "status_bit_2", answers: "measured, never",
      evidence:
        "confirmed by capture: 0x0C in the first conversion and 0x04 after it on a BME280 and a BMP280 "
        + "(fixtures/captures/register-tests.csv), 0x00 before; undocumented",
      test: "status bit 2 never, or from the first conversion on: 0x0C in it, 0x04 in sleep"
    ),
    Assumption(
      key: "burst_end", answers: "stop, start",
      evidence: "the stop is documented (DS 4.1), a repeated start is not",
      test: "a repeated start ends a burst or does not"),
    Assumption(
      key: "config_bit_1", answers: "zero, kept", evidence: "nothing is documented",
      test: "config bit 1 reads 0 or what was written"),
  ]

  /// What the model leaves out.
  public static let shortcuts = [
    Shortcut(
      statement: "SPI",
      consequence: "the model speaks I2C only; spi3w_en reads back and does nothing"),
    Shortcut(
      statement: "CSB pulled low, which turns I2C off until power-on",
      consequence: "CSB is always high"),
    Shortcut(
      statement: "the ids 0x56 and 0x57 of BMP280 samples",
      consequence: "a virtual BMP280 answers 0x58; the driver takes all three"),
    Shortcut(
      statement: "registers that show internal state (0xBD, 0xBE, 0xC0 to 0xC2)",
      consequence: "they read as at power-on"),
    Shortcut(
      statement: "0x80 to 0x87, 0xA2 and 0xE8, in which parts differ",
      consequence: "they read as one real part's"),
    Shortcut(
      statement: "the air is sampled once, at the end of a conversion",
      consequence: "air that changes within milliseconds is not smeared over the three channels"),
    Shortcut(
      statement: "hysteresis and response time of humidity (1 s)",
      consequence: "humidity follows the air at once"),
    Shortcut(
      statement: "humidity outside its window of temperature",
      consequence: "it is as exact there as inside"),
    Shortcut(
      statement: "the supply's current while the part starts",
      consequence: "it counts as sleep"),
    Shortcut(
      statement: "noise of temperature in the pressure and humidity of the same result",
      consequence: "they are computed with the temperature that was read, noise included"),
    Shortcut(
      statement: "a BMP280's own figures of time, noise and current",
      consequence: "it has those of the BME280"),
    Shortcut(
      statement: "the humidity current of DS 9.5 (340 uA)",
      consequence: "330 uA, with which every figure of the table in DS 3.6 comes out"),
  ]
}
