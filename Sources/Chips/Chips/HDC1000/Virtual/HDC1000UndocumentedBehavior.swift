public import VirtualI2C

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

extension HDC1000UndocumentedBehavior: UndocumentedSwitches {
  /// The switches, each with its rig key and the evidence for its default.
  public static let assumptions: [Assumption<HDC1000UndocumentedBehavior>] = [
    .duration(
      "start_time", \.startTime, "the start-up time after power-on",
      evidence: "only the maximum is documented (DS 8.5.2)",
      test: "the durations of start-up and reset of an HDC1000 are configurable"),
    .duration(
      "reset_time", \.resetTime, "the duration of a soft reset",
      evidence: "nothing is documented; assumed to equal start-up",
      test: "the durations of start-up and reset of an HDC1000 are configurable"),
    .choice(
      "access_during_start", \.accessDuringStart,
      "the response to an access to configuration and results during start-up",
      evidence: "only the serial number registers are documented as readable (DS 8.5.2)",
      test: "during start-up configuration and results are not acknowledged, or they are"),
    .choice(
      "trigger", \.trigger, "the event that starts a measurement",
      evidence:
        "E2E 418467 reports no result without a STOP, E2E 391584 (HDC1008) the first byte of one",
      test: "the pointer starts a measurement, or the STOP after it", harsh: .stop),
    .choice(
      "stale_read", \.staleRead, "the response to a read of a result that was already read",
      evidence: "a read is not acknowledged if the contents were not updated (DS 8.5.2.3)",
      test: "a second read of a result is not acknowledged, or returns it again", harsh: .last),
    .choice(
      "write_while_measuring", \.writeWhileMeasuring,
      "the response to a write during a measurement",
      evidence: "nothing is documented",
      test: "a write during a measurement takes effect, or is not acknowledged", harsh: .nack),
    .choice(
      "humidity_pointer", \.humidityPointer,
      "the effect of the humidity pointer in the mode that measures both quantities",
      evidence:
        "DS 8.5.2.3 names only 0x00 for the mode that measures both; circuitpython-hdc1080 of PyPI relies on it",
      test: "in the mode that measures both, the humidity pointer measures it alone, or selects it",
      harsh: .selects),
    .choice(
      "low_bits", \.lowBits, "the bits of a result below its resolution",
      evidence:
        "a result always has 14 bits (DS 8.6.2); in humidity's mode of 8 E2E 597134 (HDC1080) saw more, "
        + "E2E 478340 (HDC1008) ten",
      test: "bits below the resolution are measured, or read 0"),
    .choice(
      "read_only_write", \.readOnlyWrite, "the response to data bytes for a read-only register",
      evidence: "nothing is documented",
      test: "data for a read-only register of an HDC1000 are acknowledged or not", harsh: .nack),
    .choice(
      "past_end", \.pastEnd, "the value of bytes after the last one",
      evidence: "E2E 553297 (HDC1080) reports ones, E2E 391584 (HDC1008) zeros",
      test: "a read after the last word returns ones or zeros", harsh: .zeros),
    .choice(
      "reserved_registers", \.reservedRegisters, "the value of reserved registers",
      evidence: "nothing is documented",
      test: "a reserved register reads zeros or ones", harsh: .ones),
    .number(
      "longest_time_factor", \.longestTimeFactor, .number(1...10),
      "the maximum conversion time as a multiple of the typical time",
      evidence:
        "no maximum time is documented; Linux (hdc100x) waits 1 ms longer than the typical 6.5 ms",
      test: "the maximum time is a multiple of the typical time"),
    .number(
      "heater_rise", \.heaterRise, .temperatureDifference,
      "the temperature rise caused by the heater in continuous measurement",
      evidence: "7.6 mA at 3 V (DS 7.5) and the 98 °C/W of the HDC1008's package",
      test: "the heater's temperature rise and time constant in an HDC1000 are configurable"),
    .duration(
      "heater_time_constant", \.heaterTimeConstant, "the time constant of the heater",
      evidence: "nothing is documented",
      test: "the heater's temperature rise and time constant in an HDC1000 are configurable"),
  ]
}

/// The former name of `HDC1000UndocumentedBehavior`.
@available(*, deprecated, renamed: "HDC1000UndocumentedBehavior")
public typealias HDC1000UnknownBehaviour = HDC1000UndocumentedBehavior
