/// Undocumented behavior of the SHT21: a switch for each open question, with the assumed response as its default.
///
/// The page SHT21ModelFidelity lists them with the evidence.
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
    /// The command is not acknowledged.
    case nack
    /// The command is acknowledged and has no effect.
    case ack
  }

  /// The response to a read without a preceding command.
  public enum IdleRead: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge its address.
    case nack
    /// Ones.
    case ones
  }

  /// The response to a second read of one result.
  public enum SecondRead: String, Hashable, Sendable, CaseIterable {
    /// The same response as to a read without a command.
    case idle
    /// The chip returns the result again.
    case again
  }

  /// The response to a command during a measurement.
  public enum CommandWhileMeasuring: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge its address, neither for writing nor for reading.
    case nack
    /// The measurement is aborted without a result, and the command takes effect.
    case followed
  }

  /// The reserved bits of the user register.
  public enum ReservedBits: String, Hashable, Sendable, CaseIterable {
    /// 1: the register reads 0x3A after reset.
    case ones
    /// 0: the register reads 0x02 after reset.
    case zeros
  }

  /// The effect of a write on the reserved bits of the user register.
  public enum ReservedWrite: String, Hashable, Sendable, CaseIterable {
    /// None.
    case kept
    /// They read back as written.
    case taken
  }

  /// The bits of a result below its resolution.
  public enum UnusedBits: String, Hashable, Sendable, CaseIterable {
    /// 0.
    case zeros
    /// Measured bits: the result has 14 bits, with the noise of a short measurement.
    case measured
  }

  /// The bit "disable OTP reload" after the settings were reloaded.
  public enum ReloadBit: String, Hashable, Sendable, CaseIterable {
    /// The bit is 1 again, as after reset: one measurement reloads, the next does not.
    case reset
    /// The bit stays 0.
    case kept
  }

  /// The value of bytes after the last byte of a response.
  public enum PastEnd: String, Hashable, Sendable, CaseIterable {
    /// Ones: the chip releases SDA.
    case ones
    /// Zeros.
    case zeros
  }

  /// The data that a checksum of the serial number covers.
  public enum SerialChecksum: String, Hashable, Sendable, CaseIterable {
    /// The preceding byte or word.
    case each
    /// All bytes read from the memory address so far.
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
  /// The response to a second read of one result.
  public var secondRead = SecondRead.idle
  /// The response to a command during a measurement.
  public var commandWhileMeasuring = CommandWhileMeasuring.nack
  /// The reserved bits of the user register.
  public var reservedBits = ReservedBits.ones
  /// The effect of a write on the reserved bits.
  public var reservedWrite = ReservedWrite.kept
  /// The bits of a result below its resolution.
  public var unusedBits = UnusedBits.zeros
  /// The reload bit after the settings were reloaded.
  public var reloadBit = ReloadBit.reset
  /// The value of bytes after the last one.
  public var pastEnd = PastEnd.ones
  /// The data that a checksum of the serial number covers.
  public var serialChecksum = SerialChecksum.each
  /// The final temperature rise by the heater, in °C.
  public var heaterRise = 1.0
  /// The time constant of the heater, in nanoseconds.
  public var heaterTimeConstant: UInt64 = 10_000_000_000

  /// Creates the assumptions that the evidence supports best.
  public init() {}
}

/// The former name of ``SHT21UndocumentedBehavior``.
@available(*, deprecated, renamed: "SHT21UndocumentedBehavior")
public typealias SHT21UnknownBehaviour = SHT21UndocumentedBehavior
