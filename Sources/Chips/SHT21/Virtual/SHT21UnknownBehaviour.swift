/// What nobody knows of the SHT21: a switch for each open question, with what is assumed.
///
/// The page SHT21Fidelity lists them with the evidence.
public struct SHT21UnknownBehaviour: Hashable, Sendable {
  /// What becomes of an access while the chip starts, after power-on or a soft reset.
  public enum StartAccess: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge its address.
    case nack
    /// The chip answers as if it had started.
    case taken
  }

  /// Whether a byte is acknowledged that is no command.
  public enum UnknownCommand: String, Hashable, Sendable, CaseIterable {
    /// It is not.
    case nack
    /// It is, and has no effect.
    case ack
  }

  /// What a read gives for which no command was sent.
  public enum IdleRead: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge its address.
    case nack
    /// Ones.
    case ones
  }

  /// What a second read of one result gives.
  public enum SecondRead: String, Hashable, Sendable, CaseIterable {
    /// What a read without a command gives.
    case idle
    /// The result again.
    case again
  }

  /// What becomes of a command during a measurement.
  public enum CommandWhileMeasuring: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge its address, as it does not for reading.
    case nack
    /// The measurement ends without a result, and the command is followed.
    case followed
  }

  /// What the reserved bits of the user register read.
  public enum ReservedBits: String, Hashable, Sendable, CaseIterable {
    /// 1: the register reads 0x3A after a reset.
    case ones
    /// 0: the register reads 0x02 after a reset.
    case zeros
  }

  /// What a write does to the reserved bits of the user register.
  public enum ReservedWrite: String, Hashable, Sendable, CaseIterable {
    /// Nothing.
    case kept
    /// They read back as written.
    case taken
  }

  /// What the bits below the resolution of a result read.
  public enum UnusedBits: String, Hashable, Sendable, CaseIterable {
    /// 0.
    case zeros
    /// The value goes on in 14 bits, with the noise of a short measurement.
    case measured
  }

  /// What becomes of the bit "disable OTP reload" when the settings are reloaded.
  public enum ReloadBit: String, Hashable, Sendable, CaseIterable {
    /// It is 1 again, as after a reset: one measurement reloads, the next does not.
    case reset
    /// It stays 0.
    case kept
  }

  /// What a read gives behind the last byte of an answer.
  public enum PastEnd: String, Hashable, Sendable, CaseIterable {
    /// Ones: the chip lets go of SDA.
    case ones
    /// Zeros.
    case zeros
  }

  /// What a checksum of the serial number counts for.
  public enum SerialChecksum: String, Hashable, Sendable, CaseIterable {
    /// The byte or word before it.
    case each
    /// All bytes of the place so far.
    case running
  }

  /// How long the chip starts after power-on, in nanoseconds.
  public var startTime = SHT21Figures.startTime
  /// How long a soft reset lasts, in nanoseconds.
  public var resetTime = SHT21Figures.resetTime
  /// What becomes of an access while the chip starts.
  public var accessDuringStart = StartAccess.nack
  /// Whether a byte is acknowledged that is no command.
  public var unknownCommand = UnknownCommand.nack
  /// What a read gives for which no command was sent.
  public var idleRead = IdleRead.nack
  /// What a second read of one result gives.
  public var secondRead = SecondRead.idle
  /// What becomes of a command during a measurement.
  public var commandWhileMeasuring = CommandWhileMeasuring.nack
  /// What the reserved bits of the user register read.
  public var reservedBits = ReservedBits.ones
  /// What a write does to the reserved bits.
  public var reservedWrite = ReservedWrite.kept
  /// What the bits below the resolution read.
  public var unusedBits = UnusedBits.zeros
  /// What becomes of the reload bit when the settings are reloaded.
  public var reloadBit = ReloadBit.reset
  /// What a read gives behind the last byte.
  public var pastEnd = PastEnd.ones
  /// What a checksum of the serial number counts for.
  public var serialChecksum = SerialChecksum.each
  /// By how much the heater warms the chip in the end, in °C.
  public var heaterRise = 1.0
  /// How fast it does, as a time constant in nanoseconds.
  public var heaterTimeConstant: UInt64 = 10_000_000_000

  /// Creates the assumptions that the evidence speaks for.
  public init() {}
}
