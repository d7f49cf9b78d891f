public import VirtualI2C

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

extension BMP180UndocumentedBehavior: UndocumentedSwitches {
  /// The switches, each with its rig key and the evidence for its default.
  public static let assumptions: [Assumption<BMP180UndocumentedBehavior>] = [
    .duration(
      "reset_time", \.resetTime, "the duration of a soft reset",
      evidence: "the sequence is that of power-on (DS 4), which takes 10 ms; no time is given",
      test: "the duration of a soft reset of a BMP180 is configurable"),
    .choice(
      "access_during_start", \.accessDuringStart, "the response to an access during start-up",
      evidence:
        "the first communication is 10 ms after power-on (DS table 1); earlier accesses are not documented",
      test: "during start-up of a BMP180 its address is not acknowledged, or it is"),
    .choice(
      "data_while_converting", \.dataWhileConverting,
      "the value of the result registers during a conversion",
      evidence:
        "SCO is cleared once the data registers are filled (DS 4); their earlier value is not documented",
      test: "during a conversion the result is the previous one, or that after power-on"),
    .choice(
      "command_while_converting", \.commandWhileConverting,
      "the response to a command during a conversion",
      evidence: "nothing is documented",
      test: "a command during a conversion is ignored, or takes effect", harsh: .followed),
    .choice(
      "low_byte", \.lowByte, "the value of the lowest result byte after a temperature conversion",
      evidence: "the temperature has two bytes (DS figure 4); the third is not documented",
      test: "after a temperature conversion the lowest byte is 0, or unchanged", harsh: .last),
    .choice(
      "further_bytes", \.furtherBytes, "the effect of further bytes of a write",
      evidence: "the data sheet shows only writes of one register (DS 5.3)",
      test: "further bytes of a write are ignored, or pairs"),
    .choice(
      "read_only_write", \.readOnlyWrite, "the response to data bytes for a read-only register",
      evidence: "nothing is documented",
      test: "data for a read-only register of a BMP180 are acknowledged or not", harsh: .nack),
    .choice(
      "reserved_registers", \.reservedRegisters, "the value of reserved registers",
      evidence:
        "confirmed by capture: two dumps (fixtures/captures/bmp180-dumps.csv) agree on 0xD1 = 0x02, "
        + "0xD2 = 0x06, 0xC2 = 0xBC 0x33, 0xCB = 0x10, 0xCF = 0x03 and 0x80 to 0x9F = 0xA0 to 0xBF; "
        + "0xA2, 0xA4 and 0xA6 to 0xA9 are one part's",
      test: "undocumented registers of a BMP180 read as in two dumps of real parts, ones or zeros"),
  ]
}

/// The former name of `BMP180UndocumentedBehavior`.
@available(*, deprecated, renamed: "BMP180UndocumentedBehavior")
public typealias BMP180UnknownBehaviour = BMP180UndocumentedBehavior
