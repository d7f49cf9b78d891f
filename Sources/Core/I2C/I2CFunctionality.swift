/// What an adapter can do, with the bits that `I2C_FUNCS` answers.
public struct I2CFunctionality: OptionSet, Hashable, Sendable {
  /// The kernel's `I2C_FUNC_*` bits.
  public let rawValue: UInt32

  /// Creates a set from the kernel's bits.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Plain and combined transfers (`I2C_FUNC_I2C`).
  @inlinable public static var i2c: I2CFunctionality { .init(rawValue: 0x0000_0001) }
  /// Ten-bit addresses (`I2C_FUNC_10BIT_ADDR`).
  @inlinable public static var tenBitAddresses: I2CFunctionality { .init(rawValue: 0x0000_0002) }
  /// `I2C_M_IGNORE_NAK` and its kin (`I2C_FUNC_PROTOCOL_MANGLING`).
  @inlinable public static var protocolMangling: I2CFunctionality { .init(rawValue: 0x0000_0004) }
  /// Packet error checking (`I2C_FUNC_SMBUS_PEC`).
  @inlinable public static var packetErrorChecking: I2CFunctionality {
    .init(rawValue: 0x0000_0008)
  }
  /// Messages without a start (`I2C_FUNC_NOSTART`).
  @inlinable public static var noStart: I2CFunctionality { .init(rawValue: 0x0000_0010) }
  /// SMBus block reads, whose length the target says (`I2C_FUNC_SMBUS_READ_BLOCK_DATA`).
  @inlinable public static var smbusReadBlock: I2CFunctionality { .init(rawValue: 0x0100_0000) }
  /// What the kernel can emulate of SMBus over plain transfers, PEC included
  /// (`I2C_FUNC_SMBUS_EMUL`).
  @inlinable public static var smbusEmulated: I2CFunctionality { .init(rawValue: 0x0EFF_0008) }

  /// What most adapters answer: I2C and emulated SMBus, 0x0eff0009.
  @inlinable public static var standard: I2CFunctionality { [.i2c, .smbusEmulated] }
}
