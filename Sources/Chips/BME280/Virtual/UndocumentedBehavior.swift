/// Undocumented behavior of the chip: a switch for each open question, with the assumed answer as its default.
///
/// The page ModelFidelity lists them with the evidence.
public struct UndocumentedBehavior: Hashable, Sendable {
  /// The value of the calibration registers before the first NVM copy has finished.
  public enum Unreadable: String, Hashable, Sendable, CaseIterable {
    /// 0x00.
    case zeros
    /// 0xFF.
    case ones
    /// None: the part does not acknowledge its address.
    case nack
  }

  /// The response to a write during start-up, after power-on or a reset.
  public enum StartWrite: String, Hashable, Sendable, CaseIterable {
    /// The value reads back and takes effect after start-up.
    case taken
    /// It is acknowledged and has no effect.
    case lost
    /// The value takes effect; but a part that was reset in normal mode hangs after a write to ctrl_meas until the
    /// next reset: it never measures.
    case hang
  }

  /// The value of the id register during start-up.
  public enum StartIdentity: String, Hashable, Sendable, CaseIterable {
    /// The chip id.
    case right
    /// 0x00.
    case zeros
    /// 0xFF.
    case ones
  }

  /// The value of the calibration registers while they are copied again before a conversion.
  public enum CalibrationCopy: String, Hashable, Sendable, CaseIterable {
    /// The calibration.
    case clean
    /// The value during start-up.
    case unreadable
  }

  /// The continuation of normal mode after it was written again during its own measurement.
  public enum PendingMode: String, Hashable, Sendable, CaseIterable {
    /// The next measurement starts.
    case restart
    /// The standby time that was due starts.
    case standby
  }

  /// The register pointer after a reset.
  public enum ResetPointer: String, Hashable, Sendable, CaseIterable {
    /// Its previous value.
    case kept
    /// 0x00.
    case zero
  }

  /// The register pointer after a register was written.
  public enum PairPointer: String, Hashable, Sendable, CaseIterable {
    /// The address of that register.
    case stays
    /// The address of the next register.
    case next
  }

  /// The time at which the oversampling bits of a write to ctrl_meas during a conversion take effect.
  public enum OversamplingWrite: String, Hashable, Sendable, CaseIterable {
    /// Together with the mode, at the end of the conversion.
    case wait
    /// Immediately for reads, and for the next conversion; the current conversion keeps its settings.
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
    /// Bits below its word length are truncated.
    case truncate
    /// Bits below its word length are rounded.
    case nearest
  }

  /// The initial value of the filter after a write to config.
  public enum FilterStart: String, Hashable, Sendable, CaseIterable {
    /// The first value, which is returned unchanged (DS 3.4.4).
    case first
    /// The reset value 0x80000, as the readings of one user suggest.
    case reset
  }

  /// The address after 0xFF in a read.
  public enum PastEnd: String, Hashable, Sendable, CaseIterable {
    /// 0x00.
    case wrap
    /// 0xFF.
    case stay
  }

  /// The response to data bytes for a read-only or reserved register.
  public enum Acknowledgement: String, Hashable, Sendable, CaseIterable {
    /// They are acknowledged.
    case ack
    /// They are not acknowledged.
    case nack
  }

  /// The condition under which status bit 2 reads 1.
  public enum HiddenBit: String, Hashable, Sendable, CaseIterable {
    /// Never, as in the datasheet.
    case never
    /// From the first conversion after power-on or reset, as in transcripts and dumps.
    case measured
  }

  /// The event that ends a burst and makes new data visible.
  public enum BurstEnd: String, Hashable, Sendable, CaseIterable {
    /// Only a STOP.
    case stop
    /// A STOP or a repeated START.
    case start
  }

  /// The value of config bit 1.
  public enum ConfigBit: String, Hashable, Sendable, CaseIterable {
    /// Always 0.
    case zero
    /// The value written.
    case kept
  }

  /// The duration of the NVM copy at power-on, in nanoseconds.
  public var powerOnCopyTime: UInt64 = 2_000_000
  /// The duration of the NVM copy after a soft reset, in nanoseconds.
  public var resetCopyTime: UInt64 = 1_000_000
  /// The time from the start of a conversion during which `measuring` reads 0 and `im_update` 1, in nanoseconds.
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
  /// The continuation of normal mode after it was written again during its own measurement.
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
  /// The address after 0xFF in a read.
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

/// The former name of ``UndocumentedBehavior``.
@available(*, deprecated, renamed: "UndocumentedBehavior")
public typealias UnknownBehaviour = UndocumentedBehavior
