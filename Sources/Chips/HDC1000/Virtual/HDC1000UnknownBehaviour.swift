/// What nobody knows of the HDC1000: a switch for each open question, with what is assumed.
///
/// The page HDC1000Fidelity lists them with the evidence.
public struct HDC1000UnknownBehaviour: Hashable, Sendable {
  /// What becomes of an access to settings and results while the chip starts.
  public enum StartAccess: String, Hashable, Sendable, CaseIterable {
    /// Its address is not acknowledged for reading, and settings have no effect.
    case refused
    /// The chip answers as if it had started.
    case taken
  }

  /// What starts a measurement.
  public enum Trigger: String, Hashable, Sendable, CaseIterable {
    /// The byte of the pointer.
    case pointer
    /// The stop behind it.
    case stop
  }

  /// What a read of a result gives that was read already, or never measured.
  public enum StaleRead: String, Hashable, Sendable, CaseIterable {
    /// The address is not acknowledged.
    case nack
    /// The last result, 0 at first.
    case last
  }

  /// What becomes of a write during a measurement.
  public enum WriteWhileMeasuring: String, Hashable, Sendable, CaseIterable {
    /// It is followed; a pointer of a result starts anew.
    case followed
    /// The chip does not acknowledge its address.
    case nack
  }

  /// What the pointer to humidity does in the mode that measures both quantities.
  public enum HumidityPointer: String, Hashable, Sendable, CaseIterable {
    /// It starts a measurement of humidity alone.
    case measures
    /// It only selects the humidity that was measured with the temperature.
    case selects
  }

  /// What the bits of a result below its resolution read.
  public enum LowBits: String, Hashable, Sendable, CaseIterable {
    /// The value goes on: a result always has 14 bits.
    case measured
    /// 0.
    case zeros
  }

  /// Whether data are acknowledged that are written to a register that cannot be written.
  public enum ReadOnlyWrite: String, Hashable, Sendable, CaseIterable {
    /// They are, and have no effect.
    case ack
    /// They are not.
    case nack
  }

  /// What reads behind the last byte, or of a register that is not there, give.
  public enum Emptiness: String, Hashable, Sendable, CaseIterable {
    /// Ones.
    case ones
    /// Zeros.
    case zeros
  }

  /// How long the chip starts after power-on, in nanoseconds.
  public var startTime = HDC1000Figures.startTime
  /// How long a soft reset lasts, in nanoseconds.
  public var resetTime = HDC1000Figures.startTime
  /// What becomes of an access to settings and results while the chip starts.
  public var accessDuringStart = StartAccess.refused
  /// What starts a measurement.
  public var trigger = Trigger.pointer
  /// What a read of a stale result gives.
  public var staleRead = StaleRead.nack
  /// What becomes of a write during a measurement.
  public var writeWhileMeasuring = WriteWhileMeasuring.followed
  /// What the pointer to humidity does in the mode that measures both.
  public var humidityPointer = HumidityPointer.measures
  /// What the bits below the resolution read.
  public var lowBits = LowBits.measured
  /// Whether data for read-only registers are acknowledged.
  public var readOnlyWrite = ReadOnlyWrite.ack
  /// What a read behind the last byte gives.
  public var pastEnd = Emptiness.ones
  /// What a reserved register reads.
  public var reservedRegisters = Emptiness.zeros
  /// The longest time of a conversion, as a multiple of the typical one.
  public var longestTimeFactor = 1.15
  /// By how much the heater would warm the chip if it measured without a pause, in °C.
  public var heaterRise = 2.2
  /// How fast it would, as a time constant in nanoseconds.
  public var heaterTimeConstant: UInt64 = 10_000_000_000

  /// Creates the assumptions that the evidence speaks for.
  public init() {}
}
