public import VirtualI2C

/// The assumptions about the behavior of the SHT21 that its datasheet does not document.
///
/// Each property selects one of the possible behaviors; its default is the assumed one. The page
/// SHT21ModelFidelity gives the evidence for each default.
public struct SHT21UndocumentedBehavior: Hashable, Sendable {
  /// The response to an access during start-up, after power-on or a soft reset.
  public enum StartAccess: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge its address.
    case nack
    /// The chip responds as if it had started.
    case taken
  }

  /// The response to an unknown command.
  public enum UnknownCommand: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge the command.
    case nack
    /// The chip acknowledges the command, which has no effect.
    case ack
  }

  /// The response to a read without a preceding command.
  public enum IdleRead: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge its address.
    case nack
    /// The chip acknowledges its address and returns 0xFF, or 0x00 if `pastEnd` is `zeros`.
    case ones
  }

  /// The response to a second read of the same result.
  public enum SecondRead: String, Hashable, Sendable, CaseIterable {
    /// The chip responds as to a read without a preceding command, as `idleRead` selects.
    case idle
    /// The chip returns the result again.
    case again
  }

  /// The response to a command during a measurement.
  public enum CommandWhileMeasuring: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge its address, either for writing or for reading.
    case nack
    /// The chip aborts the measurement without a result and executes the command.
    case followed
  }

  /// The value of the reserved bits in the user register.
  public enum ReservedBits: String, Hashable, Sendable, CaseIterable {
    /// The reserved bits are 1, so the register reads 0x3A after reset.
    case ones
    /// The reserved bits are 0, so the register reads 0x02 after reset.
    case zeros
  }

  /// The effect of a write on the reserved bits of the user register.
  public enum ReservedWrite: String, Hashable, Sendable, CaseIterable {
    /// The reserved bits keep their value.
    case kept
    /// The reserved bits read back as written.
    case taken
  }

  /// The value of the result bits below the selected resolution.
  public enum UnusedBits: String, Hashable, Sendable, CaseIterable {
    /// The bits are 0.
    case zeros
    /// The bits are measured, so the result has 14 bits at every resolution, with the noise of a
    /// short measurement.
    case measured
  }

  /// The value of the bit "disable OTP reload" after a measurement has reloaded the settings.
  public enum ReloadBit: String, Hashable, Sendable, CaseIterable {
    /// The bit is 1 again, as after reset, so the next measurement does not reload the settings.
    case reset
    /// The bit stays 0, so every further measurement reloads the settings.
    case kept
  }

  /// The value of bytes read after the last byte of a response.
  public enum PastEnd: String, Hashable, Sendable, CaseIterable {
    /// The chip releases SDA, so the bytes are 0xFF.
    case ones
    /// The chip holds SDA low, so the bytes are 0x00.
    case zeros
  }

  /// The data that a checksum of the serial number covers.
  public enum SerialChecksum: String, Hashable, Sendable, CaseIterable {
    /// The checksum covers only the preceding byte or word.
    case each
    /// The checksum covers all bytes read from the memory address so far.
    case running
  }

  /// The start-up time after power-on, in nanoseconds.
  public var startTime = SHT21Figures.startTime
  /// The duration of a soft reset, in nanoseconds.
  public var resetTime = SHT21Figures.resetTime
  /// The response to an access during start-up.
  public var accessDuringStart = StartAccess.nack
  /// The response to an unknown command.
  public var unknownCommand = UnknownCommand.nack
  /// The response to a read without a preceding command.
  public var idleRead = IdleRead.nack
  /// The response to a second read of the same result.
  public var secondRead = SecondRead.idle
  /// The response to a command during a measurement.
  public var commandWhileMeasuring = CommandWhileMeasuring.nack
  /// The value of the reserved bits in the user register.
  public var reservedBits = ReservedBits.ones
  /// The effect of a write on the reserved bits of the user register.
  public var reservedWrite = ReservedWrite.kept
  /// The value of the result bits below the selected resolution.
  public var unusedBits = UnusedBits.zeros
  /// The value of the bit "disable OTP reload" after a measurement has reloaded the settings.
  public var reloadBit = ReloadBit.reset
  /// The value of bytes read after the last byte of a response.
  public var pastEnd = PastEnd.ones
  /// The data that a checksum of the serial number covers.
  public var serialChecksum = SerialChecksum.each
  /// The final temperature rise caused by the heater, in °C.
  public var heaterRise = 1.0
  /// The time constant with which the heater warms the part, in nanoseconds.
  public var heaterTimeConstant: UInt64 = 10_000_000_000

  /// Creates the assumptions that the evidence supports best.
  public init() {}
}

extension SHT21UndocumentedBehavior: UndocumentedSwitches {
  /// The switches, each with its rig key and the evidence for its default.
  public static let assumptions: [Assumption<SHT21UndocumentedBehavior>] = [
    .duration(
      "start_time", \.startTime, "the start-up time after power-on",
      evidence: "only the maximum is documented (DS 5.1)",
      test: "the durations of start-up and reset are configurable"),
    .duration(
      "reset_time", \.resetTime, "the duration of a soft reset",
      evidence:
        "only the maximum is documented (DS 5.5); Adafruit's driver of the HTU21D waits 10 ms",
      test: "the durations of start-up and reset are configurable"),
    .choice(
      "access_during_start", \.accessDuringStart, "the response to an access during start-up",
      evidence: "nothing is documented",
      test: "during start-up the address is not acknowledged, or it is"),
    .choice(
      "unknown_command", \.unknownCommand, "the response to an unknown command",
      evidence: "nothing is documented",
      test: "an unknown command is acknowledged or not"),
    .choice(
      "read_without_command", \.idleRead, "the response to a read without a command",
      evidence: "it is not acknowledged until there is a result (DS 5.4)",
      test: "a read without a command is not acknowledged, or reads ones", harsh: .ones),
    .choice(
      "second_read", \.secondRead, "the response to a second read of a result",
      evidence: "nothing is documented",
      test: "a result can be read once, or again", harsh: .again),
    .choice(
      "command_while_measuring", \.commandWhileMeasuring,
      "the response to a command during a measurement",
      evidence: "only the address for reading is documented not to be acknowledged (DS 5.4)",
      test: "a command during a measurement is not acknowledged, or takes effect"),
    .choice(
      "reserved_bits", \.reservedBits, "the reserved bits of the user register",
      evidence:
        "confirmed by capture: a real SHT21 reads 0x3A (fixtures/captures/sht21.csv), as the EEH210's "
        + "data sheet gives; they may differ from chip to chip (DS 5.6)",
      test: "reserved bits read 0 or 1", harsh: .zeros),
    .choice(
      "reserved_bits_written", \.reservedWrite, "the effect of a write on the reserved bits",
      evidence: "they must not be changed (DS 5.6)",
      test: "reserved bits are preserved, or read back as written", harsh: .taken),
    .choice(
      "unused_bits", \.unusedBits, "the bits of a result below its resolution",
      evidence: "the data sheet's 12-bit example, 0x6352, has zeros",
      test: "bits below the resolution read 0, or are measured", harsh: .measured),
    .choice(
      "reload_bit", \.reloadBit, "the reload bit after a reload",
      evidence: "all settings are loaded (DS 5.6), including this bit",
      test: "a reload restores the reload bit, or preserves it"),
    .choice(
      "past_end", \.pastEnd, "the value of bytes after the last one",
      evidence: "nothing is documented",
      test: "a read after the last byte returns ones or zeros", harsh: .zeros),
    .choice(
      "serial_checksum", \.serialChecksum, "the data that a checksum of the serial number covers",
      evidence:
        "confirmed by capture: 01 31 22 e4 d2 66 08 b9 (fixtures/captures/sht21.csv), as EIC specifies; "
        + "the Si7021, with the same commands, continues the checksum over all bytes",
      test: "a checksum of the serial number covers one byte, or all so far"),
    .number(
      "heater_rise", \.heaterRise, .temperatureDifference,
      "the temperature rise caused by the heater",
      evidence: "0.5 to 1.5 °C (DS table 1)",
      test: "the heater's temperature rise and time constant are configurable", harsh: 1.5),
    .duration(
      "heater_time_constant", \.heaterTimeConstant, "the time constant of the heater",
      evidence: "nothing is documented",
      test: "the heater's temperature rise and time constant are configurable"),
  ]
}

/// The former name of `SHT21UndocumentedBehavior`.
@available(*, deprecated, renamed: "SHT21UndocumentedBehavior")
public typealias SHT21UnknownBehaviour = SHT21UndocumentedBehavior
