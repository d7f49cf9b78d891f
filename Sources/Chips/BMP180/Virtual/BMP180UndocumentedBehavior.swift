/// Undocumented behavior of the BMP180: a switch for each open question, with the assumed answer as its default.
///
/// The page BMP180ModelFidelity lists them with the evidence.
public struct BMP180UndocumentedBehavior: Hashable, Sendable {
  /// The response to an access during start-up.
  public enum StartAccess: String, Hashable, Sendable, CaseIterable {
    /// The chip does not acknowledge its address.
    case refused
    /// The chip responds as if it had started.
    case taken
  }

  /// The value of the result registers during a conversion.
  public enum DataWhileConverting: String, Hashable, Sendable, CaseIterable {
    /// The previous result.
    case last
    /// The value after power-on.
    case reset
  }

  /// The response to a command during a conversion.
  public enum CommandWhileConverting: String, Hashable, Sendable, CaseIterable {
    /// The command has no effect.
    case ignored
    /// The conversion is aborted, and a new one starts.
    case followed
  }

  /// The value of the lowest result byte after a temperature conversion, which has 16 bits.
  public enum LowByte: String, Hashable, Sendable, CaseIterable {
    /// 0.
    case zeros
    /// The previous value.
    case last
  }

  /// The effect of further bytes of a write.
  public enum FurtherBytes: String, Hashable, Sendable, CaseIterable {
    /// They are acknowledged, and have no effect.
    case ignored
    /// They are pairs of register and value.
    case pairs
  }

  /// The response to data bytes for a read-only register.
  public enum ReadOnlyWrite: String, Hashable, Sendable, CaseIterable {
    /// They are acknowledged and have no effect.
    case ack
    /// They are not acknowledged.
    case nack
  }

  /// The value of registers that the data sheet does not describe.
  public enum Emptiness: String, Hashable, Sendable, CaseIterable {
    /// The values on which two dumps of real parts agree.
    case real
    /// Ones.
    case ones
    /// Zeros.
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
  /// The effect of further bytes of a write.
  public var furtherBytes = FurtherBytes.ignored
  /// The response to data bytes for a read-only register.
  public var readOnlyWrite = ReadOnlyWrite.ack
  /// The value of reserved registers.
  public var reservedRegisters = Emptiness.real

  /// Creates the assumptions that the evidence supports best.
  public init() {}
}

/// The former name of ``BMP180UndocumentedBehavior``.
@available(*, deprecated, renamed: "BMP180UndocumentedBehavior")
public typealias BMP180UnknownBehaviour = BMP180UndocumentedBehavior
