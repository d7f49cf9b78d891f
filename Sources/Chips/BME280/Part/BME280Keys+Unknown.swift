import BME280Model
import Schema

extension BME280Keys {
  /// The open questions of the chip, each with the switch of `UnknownBehaviour` that it sets.
  static let unknown = Section(
    "What is assumed where nobody knows the chip; the page Fidelity has the evidence.",
    [
      .optional(
        "copy_time_power_on", .quantity(.duration), "NVM copy at power-on; 2ms unless given"),
      .optional(
        "copy_time_reset", .quantity(.duration), "NVM copy after a reset; 1ms unless given"),
      .optional(
        "measuring_delay", .quantity(.duration),
        "how late 'measuring' rises; 0.2ms unless given"),
      .optional(
        "calibration_during_copy", words(UnknownBehaviour.Unreadable.self),
        "what the calibration reads before its copy; zeros unless given"),
      .optional(
        "calibration_before_conversion", words(UnknownBehaviour.CalibrationCopy.self),
        "what the calibration reads while it is copied again; clean unless given"),
      .optional(
        "writes_during_start", words(UnknownBehaviour.StartWrite.self),
        "what becomes of a write while the part starts; taken unless given"),
      .optional(
        "id_during_start", words(UnknownBehaviour.StartIdentity.self),
        "what the id reads while the part starts; right unless given"),
      .optional(
        "normal_mode_written_again", words(UnknownBehaviour.PendingMode.self),
        "how normal mode goes on when it is written in its measurement; restart unless given"),
      .optional(
        "pointer_after_reset", words(UnknownBehaviour.ResetPointer.self),
        "where the register pointer stands after a reset; kept unless given"),
      .optional(
        "pointer_after_pair", words(UnknownBehaviour.PairPointer.self),
        "where the register pointer stands after a written register; stays unless given"),
      .optional(
        "oversampling_while_measuring", words(UnknownBehaviour.OversamplingWrite.self),
        "when oversampling written in a conversion takes effect; wait unless given"),
      .optional(
        "config_in_normal_mode", words(UnknownBehaviour.Acceptance.self),
        "whether config is taken in normal mode; ignored unless given"),
      .optional(
        "config_while_measuring", words(UnknownBehaviour.Acceptance.self),
        "whether config is taken in a forced measurement; taken unless given"),
      .optional(
        "filter_rounding", words(UnknownBehaviour.Rounding.self),
        "how the filter drops bits; truncate unless given"),
      .optional(
        "filter_start", words(UnknownBehaviour.FilterStart.self),
        "what the filter starts from; first unless given"),
      .optional(
        "past_end", words(UnknownBehaviour.PastEnd.self),
        "where a read goes on behind 0xFF; wrap unless given"),
      .optional(
        "read_only_write", words(UnknownBehaviour.Acknowledgement.self),
        "whether data for read-only registers are acknowledged; ack unless given"),
      .optional(
        "status_bit_2", words(UnknownBehaviour.HiddenBit.self),
        "when status bit 2 reads 1; measured on a BME280, never on a BMP280 unless given"),
      .optional(
        "burst_end", words(UnknownBehaviour.BurstEnd.self),
        "what ends a burst; stop unless given"),
      .optional(
        "config_bit_1", words(UnknownBehaviour.ConfigBit.self),
        "what config bit 1 reads; zero unless given"),
    ])

  private static func words<Switch>(_ type: Switch.Type) -> Shape
  where Switch: CaseIterable & RawRepresentable<String> {
    .word(type.allCases.map(\.rawValue))
  }
}
