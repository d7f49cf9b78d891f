/// Undocumented behavior of the BMP180: a switch for each open question, with the assumed answer as its default.
///
/// The page BMP180ModelFidelity lists the switches, with the evidence for each default.
public struct BMP180UndocumentedBehavior: Hashable, Sendable {
  /// The response to an access during start-up.
  public enum StartAccess: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge its address.
    case refused
    /// The chip responds as if start-up had finished.
    case taken
  }

  /// The value of the result registers during a conversion.
  public enum DataWhileConverting: String, Hashable, Sendable, CaseIterable {
    /// The registers keep the previous result.
    case last
    /// The registers read their power-on value, 0x80 0x00 0x00.
    case reset
  }

  /// The response to a command during a conversion.
  public enum CommandWhileConverting: String, Hashable, Sendable, CaseIterable {
    /// The command has no effect.
    case ignored
    /// The running conversion is aborted, and the commanded conversion starts.
    case followed
  }

  /// The value of the lowest result byte after a temperature conversion, which has 16 bits.
  public enum LowByte: String, Hashable, Sendable, CaseIterable {
    /// The byte reads 0x00.
    case zeros
    /// The byte keeps its previous value.
    case last
  }

  /// The effect of the bytes that follow the first register value in a write.
  public enum FurtherBytes: String, Hashable, Sendable, CaseIterable {
    /// The bytes are acknowledged but have no effect.
    case ignored
    /// The bytes are pairs of a register address and a value for that register.
    case pairs
  }

  /// The response to data bytes for a read-only register.
  public enum ReadOnlyWrite: String, Hashable, Sendable, CaseIterable {
    /// The bytes are acknowledged but have no effect.
    case ack
    /// The bytes are not acknowledged.
    case nack
  }

  /// The value of registers that the datasheet does not describe.
  public enum Emptiness: String, Hashable, Sendable, CaseIterable {
    /// The registers read as in the register dumps of two real parts.
    case real
    /// The registers read 0xFF.
    case ones
    /// The registers read 0x00.
    case zeros
  }

  /// The duration of a soft reset, in nanoseconds.
  public var resetTime = BMP180Figures.startTime
  /// The response to an access during start-up.
  public var accessDuringStart = StartAccess.refused
  /// The value of the result registers during a conversion.
  public var dataWhileConverting = DataWhileConverting.last
  /// The response to a command during a conversion.
  public var commandWhileConverting = CommandWhileConverting.ignored
  /// The value of the lowest result byte after a temperature conversion.
  public var lowByte = LowByte.zeros
  /// The effect of the bytes that follow the first register value in a write.
  public var furtherBytes = FurtherBytes.ignored
  /// The response to data bytes for a read-only register.
  public var readOnlyWrite = ReadOnlyWrite.ack
  /// The value of registers that the datasheet does not describe.
  public var reservedRegisters = Emptiness.real

  /// Creates the default assumptions, which are those that the evidence supports best.
  public init() {}
}

/// The former name of `BMP180UndocumentedBehavior`.
@available(*, deprecated, renamed: "BMP180UndocumentedBehavior")
public typealias BMP180UnknownBehaviour = BMP180UndocumentedBehavior
