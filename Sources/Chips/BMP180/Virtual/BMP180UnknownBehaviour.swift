/// What nobody knows of the BMP180: a switch for each open question, with what is assumed.
///
/// The page BMP180ModelFidelity lists them with the evidence.
public struct BMP180UnknownBehaviour: Hashable, Sendable {
  /// What becomes of an access while the chip starts.
  public enum StartAccess: String, Hashable, Sendable, CaseIterable {
    /// Its address is not acknowledged.
    case refused
    /// The chip answers as if it had started.
    case taken
  }

  /// What the registers of the result read during a conversion.
  public enum DataWhileConverting: String, Hashable, Sendable, CaseIterable {
    /// The result before.
    case last
    /// What they read after power-on.
    case reset
  }

  /// What becomes of a command during a conversion.
  public enum CommandWhileConverting: String, Hashable, Sendable, CaseIterable {
    /// It has no effect.
    case ignored
    /// The conversion is given up, and another begins.
    case followed
  }

  /// What the lowest byte of the result reads after a conversion of the temperature, which has 16 bits.
  public enum LowByte: String, Hashable, Sendable, CaseIterable {
    /// 0.
    case zeros
    /// What it read before.
    case last
  }

  /// What becomes of further bytes of a write.
  public enum FurtherBytes: String, Hashable, Sendable, CaseIterable {
    /// They are acknowledged, and have no effect.
    case ignored
    /// They are pairs of register and value.
    case pairs
  }

  /// Whether data are acknowledged that are written to a register that cannot be written.
  public enum ReadOnlyWrite: String, Hashable, Sendable, CaseIterable {
    /// They are, and have no effect.
    case ack
    /// They are not.
    case nack
  }

  /// What the registers read that the data sheet does not describe.
  public enum Emptiness: String, Hashable, Sendable, CaseIterable {
    /// What two dumps of real parts agree on.
    case real
    /// Ones.
    case ones
    /// Zeros.
    case zeros
  }

  /// How long a soft reset lasts, in nanoseconds.
  public var resetTime = BMP180Figures.startTime
  /// What becomes of an access while the chip starts.
  public var accessDuringStart = StartAccess.refused
  /// What the registers of the result read during a conversion.
  public var dataWhileConverting = DataWhileConverting.last
  /// What becomes of a command during a conversion.
  public var commandWhileConverting = CommandWhileConverting.ignored
  /// What the lowest byte reads after a conversion of the temperature.
  public var lowByte = LowByte.zeros
  /// What becomes of further bytes of a write.
  public var furtherBytes = FurtherBytes.ignored
  /// Whether data for read-only registers are acknowledged.
  public var readOnlyWrite = ReadOnlyWrite.ack
  /// What a reserved register reads.
  public var reservedRegisters = Emptiness.real

  /// Creates the assumptions that the evidence speaks for.
  public init() {}
}
