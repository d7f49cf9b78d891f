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

/// The former name of `SHT21UndocumentedBehavior`.
@available(*, deprecated, renamed: "SHT21UndocumentedBehavior")
public typealias SHT21UnknownBehaviour = SHT21UndocumentedBehavior
