import I2C

extension Clause {
  /// The contract: a session with the BME280 of the built-in rig at 0x76, alone on its bus.
  ///
  /// Its calibration begins with `10 6e 6c 66 32 00 5d 95` (fixtures/calibrations/periph-i2c.yaml); its identity, its
  /// register pointer and the address-value pairs of a long write follow the data sheet (4.3, 6.2.1, 6.2.2).
  public static let all: [Clause] = [
    Clause(
      "a register is read after a repeated start", [.write(1, to: part), .read(1, from: part)],
      writing: [0xD0], .reads([0x60])),
    Clause(
      "several bytes are read in order", [.write(1, to: part), .read(8, from: part)],
      writing: [0x88], .reads([0x10, 0x6E, 0x6C, 0x66, 0x32, 0x00, 0x5D, 0x95])),
    Clause("a write alone is a transfer", [.write(1, to: part)], writing: [0x8A], .reads([])),
    Clause(
      "a read alone continues at the register pointer", [.read(2, from: part)],
      .reads([0x6C, 0x66])),
    Clause("a register is written", [.write(2, to: part)], writing: [0xF5, 0xA0], .reads([])),
    config(is: 0xA0, "the written value is read back"),
    Clause(
      "all bytes of a write arrive", [.write(4, to: part)], writing: [0xF2, 0x01, 0xF5, 0x80],
      .reads([])),
    config(is: 0x80, "the last byte of a write takes effect too"),
    Clause(
      "an address without a target is a NACK", [.write(1, to: missing), .read(1, from: missing)],
      writing: [0xD0], .fails(message: 0)),
    config(is: 0x80, "after a failure the bus is usable"),
    Clause(
      "the messages before a failure take effect",
      [.write(2, to: part), .read(1, from: missing)], writing: [0xF5, 0x40], needs: .anyMessages,
      .fails(message: 1)),
    config(is: 0x40, "the write before the failure took effect", needs: .anyMessages),
    Clause(
      "the messages after a failure are not sent",
      [.write(1, to: missing), .write(2, to: part)], writing: [0x00, 0xF5, 0x60],
      needs: .anyMessages, .fails(message: 0)),
    config(is: 0x40, "the write after the failure was not sent", needs: .anyMessages),
    Clause(
      "several writes and reads are one transfer",
      [
        .write(2, to: part), .write(1, to: part), .read(1, from: part), .write(1, to: part),
        .read(2, from: part),
      ], writing: [0xF5, 0x20, 0xF5, 0x89], needs: .anyMessages, .reads([0x20, 0x6E, 0x6C])),
    Clause(
      "an address alone is acknowledged", [.write(0, to: part)], needs: .emptyMessages, .reads([])),
    Clause(
      "an empty write to an address without a target is a NACK", [.write(0, to: missing)],
      needs: .emptyMessages, .fails(message: 0)),
  ]

  private static let part: I2CAddress = 0x76
  private static let missing: I2CAddress = 0x55

  /// Reads the register that the contract writes.
  private static func config(
    is value: UInt8, _ title: String, needs: Capabilities = []
  ) -> Clause {
    Clause(
      title, [.write(1, to: part), .read(1, from: part)], writing: [0xF5], needs: needs,
      .reads([value]))
  }
}
