package import VirtualI2C

/// What data sheets often leave open about a described part: a switch for each question, with the assumed answer as its
/// default.
///
/// A part file states the answers that its data sheet gives, in `documented`; harsh parts keep those.
package struct DescribedBehavior: Hashable, UndocumentedSwitches {
  /// The response to an access during start-up.
  package enum StartAccess: String, CaseIterable, Sendable {
    /// The part does not acknowledge its address.
    case nack
    /// The part responds as if it had started.
    case taken
  }

  /// The event with which a requested measurement starts.
  package enum Trigger: String, CaseIterable, Sendable {
    /// It starts with the last byte of the request.
    case byte
    /// It starts with the STOP condition after the request; a measurement that stretches the clock starts with the last
    /// byte nevertheless, because the read with which it begins comes before the STOP.
    case stop
  }

  /// The response to a second read of the result of a command.
  package enum SecondRead: String, CaseIterable, Sendable {
    /// The part responds as to a read without a command.
    case idle
    /// The part returns the result again.
    case again
  }

  /// The response to a read without a command that has a response.
  package enum IdleRead: String, CaseIterable, Sendable {
    /// The part does not acknowledge its address.
    case nack
    /// The part acknowledges its address and returns bytes without content, as `pastEnd` selects.
    case empty
  }

  /// The response to data bytes for a register of which no bit can be written.
  package enum ReadOnlyWrite: String, CaseIterable, Sendable {
    /// The bytes are acknowledged but have no effect.
    case ack
    /// The bytes are not acknowledged.
    case nack
  }

  /// The effect of a write on the bits of a writable register that are reserved: those that cannot be written and belong
  /// to no field.
  package enum ReservedWrite: String, CaseIterable, Sendable {
    /// The bits keep their value.
    case kept
    /// The bits read back as written.
    case taken
  }

  /// A value for bytes without content.
  package enum Emptiness: String, CaseIterable, Sendable {
    /// All bits read 1.
    case ones
    /// All bits read 0.
    case zeros

    /// The byte.
    var byte: UInt8 { self == .ones ? 0xFF : 0x00 }
  }

  /// The response to an access during start-up.
  package var accessDuringStart = StartAccess.nack
  /// The event with which a requested measurement starts.
  package var trigger = Trigger.byte
  /// The response to a second read of the result of a command.
  package var secondRead = SecondRead.idle
  /// The response to a read without a command that has a response.
  package var idleRead = IdleRead.nack
  /// The response to data bytes for a register of which no bit can be written.
  package var readOnlyWrite = ReadOnlyWrite.ack
  /// The effect of a write on reserved bits.
  package var reservedWrite = ReservedWrite.kept
  /// The value of registers that the part file does not contain.
  package var reservedRegisters = Emptiness.ones
  /// The value of the bytes after the last one of a response or of the last register.
  package var pastEnd = Emptiness.ones

  /// Creates the default answers.
  package init() {}

  private static let unknown = "data sheets differ, or say nothing"

  /// The switches, each with its rig key, which is also the key in a part file.
  package static let assumptions: [Assumption<DescribedBehavior>] = [
    .choice(
      "access_during_start", \.accessDuringStart, "the response to an access during start-up",
      evidence: unknown,
      test: "during start-up a described part does not acknowledge its address, or it does"),
    .choice(
      "trigger", \.trigger, "the event with which a requested measurement starts",
      evidence: unknown,
      test: "a measurement starts with the last byte of its command, or with the STOP after it",
      harsh: .stop),
    .choice(
      "second_read", \.secondRead, "the response to a second read of the result of a command",
      evidence: unknown, test: "the result of a command can be read once, or again", harsh: .again),
    .choice(
      "read_without_command", \.idleRead, "the response to a read without a command",
      evidence: unknown,
      test: "a read without a command is not acknowledged, or returns ones or zeros", harsh: .empty),
    .choice(
      "read_only_write", \.readOnlyWrite, "the response to data bytes for a read-only register",
      evidence: unknown,
      test: "data for a read-only register of a described part are acknowledged or not",
      harsh: .nack),
    .choice(
      "reserved_bits_written", \.reservedWrite, "the effect of a write on reserved bits",
      evidence: unknown,
      test: "reserved bits of a described part keep their value, or read back as written",
      harsh: .taken),
    .choice(
      "reserved_registers", \.reservedRegisters, "the value of registers that the file lacks",
      evidence: unknown,
      test:
        "a register that the file lacks reads ones or zeros, and so do the bytes after the last one",
      harsh: .zeros),
    .choice(
      "past_end", \.pastEnd, "the value of bytes after the last one", evidence: unknown,
      test:
        "a register that the file lacks reads ones or zeros, and so do the bytes after the last one",
      harsh: .zeros),
  ]
}
