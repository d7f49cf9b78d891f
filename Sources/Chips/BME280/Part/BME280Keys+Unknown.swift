import BME280Model
import Parts
import Schema

extension BME280Keys {
  /// The open questions of the chip, each with the switch that it sets.
  static var unknown: [AssumptionKey<UnknownBehaviour>] {
    [
      .time("copy_time_power_on", \.powerOnCopyTime, "NVM copy at power-on"),
      .time("copy_time_reset", \.resetCopyTime, "NVM copy after a reset"),
      .time("measuring_delay", \.measuringDelay, "how late 'measuring' rises"),
      .word("calibration_during_copy", \.unreadable, "what the calibration reads before its copy"),
      .word(
        "calibration_before_conversion", \.calibrationBeforeConversion,
        "what the calibration reads while it is copied again"),
      .word(
        "writes_during_start", \.writesDuringStart, "what becomes of a write while the part starts"),
      .word("id_during_start", \.identityDuringStart, "what the id reads while the part starts"),
      .word(
        "normal_mode_written_again", \.pendingMode,
        "how normal mode goes on when it is written in its measurement"),
      .word(
        "pointer_after_reset", \.pointerAfterReset,
        "where the register pointer stands after a reset"),
      .word(
        "pointer_after_pair", \.pointerAfterPair,
        "where the register pointer stands after a written register"),
      .word(
        "oversampling_while_measuring", \.oversamplingWrite,
        "when oversampling written in a conversion takes effect"),
      .word(
        "config_in_normal_mode", \.configInNormalMode, "whether config is taken in normal mode"),
      .word(
        "config_while_measuring", \.configWhileMeasuring,
        "whether config is taken in a forced measurement"),
      .word("filter_rounding", \.filterRounding, "how the filter drops bits"),
      .word("filter_start", \.filterStart, "what the filter starts from"),
      .word("past_end", \.pastEnd, "where a read goes on behind 0xFF"),
      .word(
        "read_only_write", \.readOnlyWrite, "whether data for read-only registers are acknowledged"),
      .word("status_bit_2", \.hiddenBit, "when status bit 2 reads 1"),
      .word("burst_end", \.burstEnd, "what ends a burst"),
      .word("config_bit_1", \.configBit, "what config bit 1 reads"),
    ]
  }
}

extension UnknownBehaviour: AssumedBehaviour {}
