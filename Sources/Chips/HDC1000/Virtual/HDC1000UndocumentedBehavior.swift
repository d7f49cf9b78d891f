/// Undocumented behavior of the HDC1000: a switch for each open question, with the assumed answer as its default.
///
/// The page HDC1000ModelFidelity lists the switches, with the evidence for each default.
public struct HDC1000UndocumentedBehavior: Hashable, Sendable {
  /// The response during start-up to an access to the configuration register or a result register.
  public enum StartAccess: String, Hashable, Sendable, CaseIterable {
    /// Reads of these registers are not acknowledged. Writes neither change the configuration nor start a measurement.
    case refused
    /// The chip responds as if start-up had finished.
    case taken
  }

  /// The event that starts a measurement.
  public enum Trigger: String, Hashable, Sendable, CaseIterable {
    /// A measurement starts with the pointer byte.
    case pointer
    /// A measurement starts with the STOP condition after the pointer byte.
    case stop
  }

  /// The response to a read of a result that was already read or never measured.
  public enum StaleRead: String, Hashable, Sendable, CaseIterable {
    /// The address is not acknowledged by the chip.
    case nack
    /// The chip returns the last result, or 0 if nothing has been measured.
    case last
  }

  /// The response to a write during a measurement.
  public enum WriteWhileMeasuring: String, Hashable, Sendable, CaseIterable {
    /// The write takes effect; writing the address of a result register to the pointer starts a new measurement.
    case followed
    /// The chip does not acknowledge its address.
    case nack
  }

  /// The effect of writing the address of the humidity register to the pointer, in the mode that measures both
  /// quantities.
  public enum HumidityPointer: String, Hashable, Sendable, CaseIterable {
    /// Writing the pointer starts a measurement of humidity only.
    case measures
    /// Writing the pointer only selects the humidity that was measured together with the temperature.
    case selects
  }

  /// The value of the result bits below the selected resolution.
  public enum LowBits: String, Hashable, Sendable, CaseIterable {
    /// The bits are measured, because a result always has 14 bits.
    case measured
    /// The bits read 0.
    case zeros
  }

  /// The response to data bytes for a read-only register.
  public enum ReadOnlyWrite: String, Hashable, Sendable, CaseIterable {
    /// The bytes are acknowledged but have no effect.
    case ack
    /// The bytes are not acknowledged.
    case nack
  }

  /// A value for bytes without content: those read after the last byte of a register, or those of reserved registers.
  public enum Emptiness: String, Hashable, Sendable, CaseIterable {
    /// All bits read 1.
    case ones
    /// All bits read 0.
    case zeros
  }

  /// The start-up time after power-on, in nanoseconds.
  public var startTime = HDC1000Figures.startTime
  /// The duration of a soft reset, in nanoseconds.
  public var resetTime = HDC1000Figures.startTime
  /// The response during start-up to an access to the configuration register or a result register.
  public var accessDuringStart = StartAccess.refused
  /// The event that starts a measurement.
  public var trigger = Trigger.pointer
  /// The response to a read of a result that was already read or never measured.
  public var staleRead = StaleRead.nack
  /// The response to a write during a measurement.
  public var writeWhileMeasuring = WriteWhileMeasuring.followed
  /// The effect of writing the address of the humidity register to the pointer, in the mode that measures both
  /// quantities.
  public var humidityPointer = HumidityPointer.measures
  /// The value of the result bits below the selected resolution.
  public var lowBits = LowBits.measured
  /// The response to data bytes for a read-only register.
  public var readOnlyWrite = ReadOnlyWrite.ack
  /// The value of the bytes that are read after the last byte of a register.
  public var pastEnd = Emptiness.ones
  /// The value of reserved registers.
  public var reservedRegisters = Emptiness.zeros
  /// The maximum conversion time, as a multiple of the typical time.
  public var longestTimeFactor = 1.15
  /// The temperature rise that the heater would reach if the chip measured continuously, in °C.
  public var heaterRise = 2.2
  /// The time constant of the heater, in nanoseconds.
  public var heaterTimeConstant: UInt64 = 10_000_000_000

  /// Creates the default assumptions, which are those that the evidence supports best.
  public init() {}
}

/// The former name of `HDC1000UndocumentedBehavior`.
@available(*, deprecated, renamed: "HDC1000UndocumentedBehavior")
public typealias HDC1000UnknownBehaviour = HDC1000UndocumentedBehavior
