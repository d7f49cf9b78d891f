public import VirtualI2C

/// Undocumented behavior of the chip: a switch for each open question, with the assumed answer as its default.
///
/// The page ModelFidelity lists the switches with the evidence for each default.
public struct UndocumentedBehavior: Hashable, Sendable {
  /// The value of the calibration registers before the first NVM copy has finished.
  public enum Unreadable: String, Hashable, Sendable, CaseIterable {
    /// The calibration registers read 0x00.
    case zeros
    /// The calibration registers read 0xFF.
    case ones
    /// The calibration registers cannot be read, because the part does not acknowledge its address.
    case nack
  }

  /// The response to a write during start-up, after power-on or a reset.
  public enum StartWrite: String, Hashable, Sendable, CaseIterable {
    /// A value written during start-up reads back and takes effect after start-up.
    case taken
    /// A write during start-up is acknowledged but has no effect.
    case lost
    /// A value written during start-up takes effect. If the part was reset in normal mode, however, a write to
    /// ctrl_meas makes the part hang: it does not measure until the next reset.
    case hang
  }

  /// The value of the id register during start-up.
  public enum StartIdentity: String, Hashable, Sendable, CaseIterable {
    /// The id register contains the chip id.
    case right
    /// The id register reads 0x00.
    case zeros
    /// The id register reads 0xFF.
    case ones
  }

  /// The value of the calibration registers while they are copied again before a conversion.
  public enum CalibrationCopy: String, Hashable, Sendable, CaseIterable {
    /// The calibration registers contain the calibration.
    case clean
    /// The calibration registers have the same value as during start-up.
    case unreadable
  }

  /// The reaction to a write of normal mode while a measurement of normal mode is running.
  public enum PendingMode: String, Hashable, Sendable, CaseIterable {
    /// The next measurement starts immediately after the running one.
    case restart
    /// The standby time starts after the running measurement, as it would have without the write.
    case standby
  }

  /// The register pointer after a reset.
  public enum ResetPointer: String, Hashable, Sendable, CaseIterable {
    /// The register pointer keeps its value from before the reset.
    case kept
    /// The register pointer is set to 0x00.
    case zero
  }

  /// The register pointer after a register was written.
  public enum PairPointer: String, Hashable, Sendable, CaseIterable {
    /// The register pointer contains the address of the register that was written.
    case stays
    /// The register pointer contains the address after that of the register that was written.
    case next
  }

  /// The time at which the oversampling bits of a write to ctrl_meas during a conversion take effect.
  public enum OversamplingWrite: String, Hashable, Sendable, CaseIterable {
    /// The oversampling bits take effect together with the mode, at the end of the conversion.
    case wait
    /// The oversampling bits take effect immediately: they read back and apply to the next conversion; the current
    /// conversion keeps its settings.
    case next
  }

  /// The response to a write.
  public enum Acceptance: String, Hashable, Sendable, CaseIterable {
    /// The write takes effect.
    case taken
    /// The write is acknowledged and has no effect.
    case ignored
  }

  /// The rounding of the filter.
  public enum Rounding: String, Hashable, Sendable, CaseIterable {
    /// Bits below the filter's word length are truncated.
    case truncate
    /// Bits below the filter's word length are rounded.
    case nearest
  }

  /// The initial value of the filter after a write to config.
  public enum FilterStart: String, Hashable, Sendable, CaseIterable {
    /// The filter starts with the first measured value, which it therefore returns unchanged (DS 3.4.4).
    case first
    /// The filter starts with the reset value 0x80000, as the readings of one user suggest.
    case reset
  }

  /// The register address that follows 0xFF in a read.
  public enum PastEnd: String, Hashable, Sendable, CaseIterable {
    /// The address after 0xFF is 0x00.
    case wrap
    /// The address after 0xFF is 0xFF again.
    case stay
  }

  /// The response to data bytes for a read-only or reserved register.
  public enum Acknowledgement: String, Hashable, Sendable, CaseIterable {
    /// The bytes are acknowledged.
    case ack
    /// The bytes are not acknowledged.
    case nack
  }

  /// The condition under which status bit 2 reads 1.
  public enum HiddenBit: String, Hashable, Sendable, CaseIterable {
    /// The bit never reads 1, as in the datasheet.
    case never
    /// The bit reads 1 from the first conversion after power-on or reset, as in transcripts and dumps.
    case measured
  }

  /// The event that ends a burst and makes new data visible.
  public enum BurstEnd: String, Hashable, Sendable, CaseIterable {
    /// Only a STOP ends a burst.
    case stop
    /// A STOP or a repeated START ends a burst.
    case start
  }

  /// The value of config bit 1.
  public enum ConfigBit: String, Hashable, Sendable, CaseIterable {
    /// Config bit 1 always reads 0.
    case zero
    /// Config bit 1 reads the value that was written.
    case kept
  }

  /// The duration of the NVM copy at power-on, in nanoseconds.
  public var powerOnCopyTime: UInt64 = 2_000_000
  /// The duration of the NVM copy after a soft reset, in nanoseconds.
  public var resetCopyTime: UInt64 = 1_000_000
  /// The time after the start of a conversion during which `measuring` reads 0 and `im_update` reads 1, in
  /// nanoseconds.
  ///
  /// Drivers that poll immediately fail at 400 kHz, where they read the status after 75 us, and work at 100 kHz, where
  /// they read it after 300 us. The default lies in between, not near any common bus speed.
  public var measuringDelay: UInt64 = 200_000
  /// The value of the calibration registers before the first NVM copy has finished.
  public var unreadable = Unreadable.zeros
  /// The response to a write during start-up.
  public var writesDuringStart = StartWrite.taken
  /// The value of the id register during start-up.
  public var identityDuringStart = StartIdentity.right
  /// The value of the calibration registers while they are copied again before a conversion.
  public var calibrationBeforeConversion = CalibrationCopy.clean
  /// The reaction to a write of normal mode while a measurement of normal mode is running.
  public var pendingMode = PendingMode.restart
  /// The register pointer after a reset.
  public var pointerAfterReset = ResetPointer.kept
  /// The register pointer after a register was written.
  public var pointerAfterPair = PairPointer.stays
  /// The time at which oversampling written during a conversion takes effect.
  public var oversamplingWrite = OversamplingWrite.wait
  /// The response to a write to config in normal mode.
  public var configInNormalMode = Acceptance.taken
  /// The response to a write to config during a forced measurement.
  public var configWhileMeasuring = Acceptance.taken
  /// The rounding of the filter.
  public var filterRounding = Rounding.truncate
  /// The initial value of the filter.
  public var filterStart = FilterStart.first
  /// The register address that follows 0xFF in a read.
  public var pastEnd = PastEnd.wrap
  /// The response to data bytes for a read-only or reserved register.
  public var readOnlyWrite = Acknowledgement.ack
  /// The condition under which status bit 2 reads 1.
  public var hiddenBit = HiddenBit.measured
  /// The event that ends a burst.
  public var burstEnd = BurstEnd.stop
  /// The value of config bit 1.
  public var configBit = ConfigBit.zero

  /// Creates the assumptions that the evidence supports best.
  public init() {}
}

extension UndocumentedBehavior: UndocumentedSwitches {
  /// The switches, each with its rig key and the evidence for its default.
  public static let assumptions: [Assumption<UndocumentedBehavior>] = [
    .duration(
      "copy_time_power_on", \.powerOnCopyTime, "the duration of the NVM copy at power-on",
      evidence: "no figure; start-up takes at most 2 ms (DS 1.1)",
      test: "the durations of the NVM copy are configurable"),
    .duration(
      "copy_time_reset", \.resetCopyTime, "the duration of the NVM copy after a reset",
      evidence: "no figure; drivers needed one to three polls, 1 ms sufficed",
      test: "the durations of the NVM copy are configurable", harsh: 2_000_000),
    .duration(
      "measuring_delay", \.measuringDelay, "the delay of the status bit 'measuring'",
      evidence:
        "drivers that poll immediately fail at 400 kHz (after 75 us) and work at 100 kHz (after 300 us)",
      test: "the delay of measuring is configurable, including 0", harsh: 300_000),
    .choice(
      "calibration_during_copy", \.unreadable, "the value of the calibration before the NVM copy",
      evidence: "drivers read 0x00 and 0xFF after a reset",
      test: "calibration during the copy: zeros, ones, or NACK", harsh: .ones),
    .choice(
      "calibration_before_conversion", \.calibrationBeforeConversion,
      "the value of the calibration while it is copied again",
      evidence: "the copy is documented (DS 5.4.4); no driver is known to read it wrong then",
      test: "calibration while it is copied before a conversion: correct, or as during start-up",
      harsh: .unreadable),
    .choice(
      "writes_during_start", \.writesDuringStart, "the response to a write during start-up",
      evidence:
        "Bosch's BMP2 code writes right after a reset; one part left in normal mode hung at 0x80000",
      test:
        "a write during start-up takes effect, is lost, or makes a part hang that was in normal mode",
      harsh: .lost
    ),
    .choice(
      "id_during_start", \.identityDuringStart, "the value of the id register during start-up",
      evidence: "one driver (Zephyr, pull request 92753) read a wrong id just after power-on",
      test: "the id during start-up: correct, zeros, or ones", harsh: .zeros),
    .choice(
      "normal_mode_written_again", \.pendingMode,
      "the continuation of normal mode when it is written during its measurement",
      evidence: "nothing is documented",
      test:
        "normal mode written during its own measurement: the next measurement or the standby time follows",
      harsh: .standby
    ),
    .choice(
      "pointer_after_reset", \.pointerAfterReset, "the register pointer after a reset",
      evidence: "nothing is documented",
      test: "the register pointer survives a reset or returns to 0", harsh: .zero),
    .choice(
      "pointer_after_pair", \.pointerAfterPair, "the register pointer after a register was written",
      evidence: "nothing is documented",
      test: "after a register write the pointer stays or is incremented", harsh: .next),
    .choice(
      "oversampling_while_measuring", \.oversamplingWrite,
      "the time at which oversampling written during a conversion takes effect",
      evidence: "only the mode is documented as pending (DS 3.3.1); Bosch's code resets first",
      test: "oversampling written during a conversion is pending, or reads back immediately",
      harsh: .next),
    .choice(
      "config_in_normal_mode", \.configInNormalMode,
      "the response to a write to config in normal mode",
      evidence:
        "confirmed by capture: a BME280 took 13 of 13 writes (fixtures/captures/register-tests.csv, "
        + "through SPI), a BMP280 one (F4 57, F5 90); \"may be ignored\" (DS 5.4.6), as two drivers "
        + "report: the benches of audit ignore it",
      test: "config in normal mode is ignored or takes effect", harsh: .ignored),
    .choice(
      "config_while_measuring", \.configWhileMeasuring,
      "the response to a write to config during a forced measurement",
      evidence: "nothing is documented",
      test: "config during a forced measurement takes effect or is ignored", harsh: .ignored),
    .choice(
      "filter_rounding", \.filterRounding, "the rounding of the filter",
      evidence: "nothing is documented; the model keeps eight bits below the converter's",
      test: "the filter truncates or rounds: a remaining step of one code is reached or not"),
    .choice(
      "filter_start", \.filterStart, "the initial value of the filter",
      evidence:
        "the first value passes (DS 3.4.4, figure 6); the readings of one user suggest otherwise",
      test: "the filter starts from the first value, or from the reset value", harsh: .reset),
    .choice(
      "past_end", \.pastEnd, "the address after 0xFF in a read",
      evidence: "nothing is documented",
      test: "a read after 0xFF wraps or stays", harsh: .stay),
    .choice(
      "read_only_write", \.readOnlyWrite, "the response to data bytes for a read-only register",
      evidence: "only an address mismatch is documented as a NACK",
      test: "data for a read-only register are acknowledged or not", harsh: .nack),
    .choice(
      "status_bit_2", \.hiddenBit, "the condition under which status bit 2 reads 1",
      evidence:
        "confirmed by capture: 0x0C in the first conversion and 0x04 after it on a BME280 and a BMP280 "
        + "(fixtures/captures/register-tests.csv), 0x00 before; undocumented",
      test: "status bit 2 is never set, or from the first conversion: 0x0C during it, 0x04 in sleep"
    ),
    .choice(
      "burst_end", \.burstEnd, "the event that ends a burst",
      evidence: "the stop is documented (DS 4.1), a repeated start is not",
      test: "a repeated start ends a burst or does not", harsh: .start),
    .choice(
      "config_bit_1", \.configBit, "the value of config bit 1",
      evidence: "nothing is documented",
      test: "config bit 1 reads 0 or the value written"),
  ]
}

/// The former name of `UndocumentedBehavior`.
@available(*, deprecated, renamed: "UndocumentedBehavior")
public typealias UnknownBehaviour = UndocumentedBehavior
