/// What nobody knows of the chip: a switch for each open question, with what is assumed.
///
/// The page Fidelity lists them with the evidence.
public struct UnknownBehaviour: Hashable, Sendable {
  /// What the calibration reads before its first copy from the NVM has ended.
  public enum Unreadable: String, Hashable, Sendable, CaseIterable {
    /// 0x00.
    case zeros
    /// 0xFF.
    case ones
    /// Nothing: the part does not acknowledge its address.
    case nack
  }

  /// What becomes of a write while the part starts, after power-on or a reset.
  public enum StartWrite: String, Hashable, Sendable, CaseIterable {
    /// It reads back, and is followed when the start is over.
    case taken
    /// It is acknowledged and has no effect.
    case lost
    /// It is taken; but a part that was reset in normal mode never measures after a write to
    /// ctrl_meas, until it is reset again.
    case hang
  }

  /// What the id reads while the part starts.
  public enum StartIdentity: String, Hashable, Sendable, CaseIterable {
    /// The chip's id.
    case right
    /// 0x00.
    case zeros
    /// 0xFF.
    case ones
  }

  /// What the calibration reads while it is copied again before a conversion.
  public enum CalibrationCopy: String, Hashable, Sendable, CaseIterable {
    /// The calibration.
    case clean
    /// What it reads while the part starts.
    case unreadable
  }

  /// How normal mode goes on when it was written again during its own measurement.
  public enum PendingMode: String, Hashable, Sendable, CaseIterable {
    /// With the next measurement.
    case restart
    /// With the pause that was due.
    case standby
  }

  /// Where the register pointer stands after a reset.
  public enum ResetPointer: String, Hashable, Sendable, CaseIterable {
    /// Where it was.
    case kept
    /// At 0x00.
    case zero
  }

  /// Where the register pointer stands after a register was written.
  public enum PairPointer: String, Hashable, Sendable, CaseIterable {
    /// At that register.
    case stays
    /// At the one behind it.
    case next
  }

  /// When the oversampling bits of a write to ctrl_meas take effect during a conversion.
  public enum OversamplingWrite: String, Hashable, Sendable, CaseIterable {
    /// With the mode, at the end of the conversion.
    case wait
    /// At once for reading, and with the next conversion; the running one keeps its own.
    case next
  }

  /// Whether a write is taken.
  public enum Acceptance: String, Hashable, Sendable, CaseIterable {
    /// The write has its effect.
    case taken
    /// The write is acknowledged and has no effect.
    case ignored
  }

  /// How the filter drops bits.
  public enum Rounding: String, Hashable, Sendable, CaseIterable {
    /// What is below its word is dropped.
    case truncate
    /// What is below its word is rounded.
    case nearest
  }

  /// What the filter starts from after a write to config.
  public enum FilterStart: String, Hashable, Sendable, CaseIterable {
    /// The first value, which passes unchanged (DS 3.4.4).
    case first
    /// The reset value 0x80000, as one owner's readings look.
    case reset
  }

  /// Where a read goes on behind 0xFF.
  public enum PastEnd: String, Hashable, Sendable, CaseIterable {
    /// At 0x00.
    case wrap
    /// At 0xFF again.
    case stay
  }

  /// Whether data written to a read-only or reserved register are acknowledged.
  public enum Acknowledgement: String, Hashable, Sendable, CaseIterable {
    /// They are.
    case ack
    /// They are not.
    case nack
  }

  /// When status bit 2 reads 1.
  public enum HiddenBit: String, Hashable, Sendable, CaseIterable {
    /// Never, as the datasheet draws it.
    case never
    /// From the first conversion after power-on or reset, as transcripts and dumps show.
    case measured
  }

  /// What ends a burst and lets new data be seen.
  public enum BurstEnd: String, Hashable, Sendable, CaseIterable {
    /// The stop only.
    case stop
    /// A repeated start as well.
    case start
  }

  /// What config bit 1 reads.
  public enum ConfigBit: String, Hashable, Sendable, CaseIterable {
    /// Always 0.
    case zero
    /// What was written.
    case kept
  }

  /// How long the NVM copy lasts at power-on, in nanoseconds.
  public var powerOnCopyTime: UInt64 = 2_000_000
  /// How long the NVM copy lasts after a soft reset, in nanoseconds.
  public var resetCopyTime: UInt64 = 1_000_000
  /// How long after the start of a conversion `measuring` reads 0 and `im_update` 1, in nanoseconds.
  ///
  /// Drivers that poll at once fail at 400 kHz, where they look after 75 us, and work at 100 kHz, where
  /// they look after 300 us: the default lies between, on the edge of no usual speed.
  public var measuringDelay: UInt64 = 200_000
  /// What the calibration reads before its first copy has ended.
  public var unreadable = Unreadable.zeros
  /// What becomes of a write while the part starts.
  public var writesDuringStart = StartWrite.taken
  /// What the id reads while the part starts.
  public var identityDuringStart = StartIdentity.right
  /// What the calibration reads while it is copied again before a conversion.
  public var calibrationBeforeConversion = CalibrationCopy.clean
  /// How normal mode goes on when it was written again during its own measurement.
  public var pendingMode = PendingMode.restart
  /// Where the register pointer stands after a reset.
  public var pointerAfterReset = ResetPointer.kept
  /// Where the register pointer stands after a register was written.
  public var pointerAfterPair = PairPointer.stays
  /// When oversampling written during a conversion takes effect.
  public var oversamplingWrite = OversamplingWrite.wait
  /// Whether config is taken in normal mode.
  public var configInNormalMode = Acceptance.taken
  /// Whether config is taken during a forced measurement.
  public var configWhileMeasuring = Acceptance.taken
  /// How the filter drops bits.
  public var filterRounding = Rounding.truncate
  /// What the filter starts from.
  public var filterStart = FilterStart.first
  /// Where a read goes on behind 0xFF.
  public var pastEnd = PastEnd.wrap
  /// Whether data for read-only and reserved registers are acknowledged.
  public var readOnlyWrite = Acknowledgement.ack
  /// When status bit 2 reads 1.
  public var hiddenBit = HiddenBit.measured
  /// What ends a burst.
  public var burstEnd = BurstEnd.stop
  /// What config bit 1 reads.
  public var configBit = ConfigBit.zero

  /// Creates the assumptions that the evidence speaks for.
  public init() {}
}
