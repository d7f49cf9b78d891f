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

/// The former name of `UndocumentedBehavior`.
@available(*, deprecated, renamed: "UndocumentedBehavior")
public typealias UnknownBehaviour = UndocumentedBehavior
