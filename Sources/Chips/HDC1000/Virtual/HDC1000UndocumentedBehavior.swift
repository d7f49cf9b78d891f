/// Undocumented behavior of the HDC1000: a switch for each open question, with the assumed answer as its default.
///
/// The page HDC1000ModelFidelity lists them with the evidence.
public struct HDC1000UndocumentedBehavior: Hashable, Sendable {
  /// The response to an access to configuration and results during start-up.
  public enum StartAccess: String, Hashable, Sendable, CaseIterable {
    /// Reads of the address are not acknowledged, and writes to the configuration have no effect.
    case refused
    /// The chip responds as if it had started.
    case taken
  }

  /// The event that starts a measurement.
  public enum Trigger: String, Hashable, Sendable, CaseIterable {
    /// The pointer byte.
    case pointer
    /// The STOP after the pointer byte.
    case stop
  }

  /// The response to a read of a result that was already read, or was never measured.
  public enum StaleRead: String, Hashable, Sendable, CaseIterable {
    /// The address is not acknowledged.
    case nack
    /// The last result; initially 0.
    case last
  }

  /// The response to a write during a measurement.
  public enum WriteWhileMeasuring: String, Hashable, Sendable, CaseIterable {
    /// The write takes effect; the pointer of a result starts a new measurement.
    case followed
    /// The chip does not acknowledge its address.
    case nack
  }

  /// The effect of the humidity pointer in the mode that measures both quantities.
  public enum HumidityPointer: String, Hashable, Sendable, CaseIterable {
    /// It starts a measurement of humidity only.
    case measures
    /// It only selects the humidity that was measured together with the temperature.
    case selects
  }

  /// The bits of a result below its resolution.
  public enum LowBits: String, Hashable, Sendable, CaseIterable {
    /// Measured bits: a result always has 14 bits.
    case measured
    /// 0.
    case zeros
  }

  /// The response to data bytes for a read-only register.
  public enum ReadOnlyWrite: String, Hashable, Sendable, CaseIterable {
    /// They are acknowledged and have no effect.
    case ack
    /// They are not acknowledged.
    case nack
  }

  /// The value of bytes after the last one, or of unassigned registers.
  public enum Emptiness: String, Hashable, Sendable, CaseIterable {
    /// Ones.
    case ones
    /// Zeros.
    case zeros
  }

  /// The start-up time after power-on, in nanoseconds.
  public var startTime = HDC1000Figures.startTime
  /// The duration of a soft reset, in nanoseconds.
  public var resetTime = HDC1000Figures.startTime
  /// The response to an access to configuration and results during start-up.
  public var accessDuringStart = StartAccess.refused
  /// The event that starts a measurement.
  public var trigger = Trigger.pointer
  /// The response to a read of a stale result.
  public var staleRead = StaleRead.nack
  /// The response to a write during a measurement.
  public var writeWhileMeasuring = WriteWhileMeasuring.followed
  /// The effect of the humidity pointer in the mode that measures both quantities.
  public var humidityPointer = HumidityPointer.measures
  /// The bits of a result below its resolution.
  public var lowBits = LowBits.measured
  /// The response to data bytes for a read-only register.
  public var readOnlyWrite = ReadOnlyWrite.ack
  /// The value of bytes after the last one.
  public var pastEnd = Emptiness.ones
  /// The value of reserved registers.
  public var reservedRegisters = Emptiness.zeros
  /// The maximum conversion time, as a multiple of the typical time.
  public var longestTimeFactor = 1.15
  /// The temperature rise that the heater would reach if the chip measured continuously, in °C.
  public var heaterRise = 2.2
  /// The time constant of the heater, in nanoseconds.
  public var heaterTimeConstant: UInt64 = 10_000_000_000

  /// Creates the assumptions that the evidence supports best.
  public init() {}
}

/// The former name of ``HDC1000UndocumentedBehavior``.
@available(*, deprecated, renamed: "HDC1000UndocumentedBehavior")
public typealias HDC1000UnknownBehaviour = HDC1000UndocumentedBehavior
