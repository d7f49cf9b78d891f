/// The numbers that a bus can have: N in /dev/i2c-N.
public enum I2CBusNumber {
  /// As many as Linux has minor numbers: `I2C_MINORS` is `MINORMASK + 1` (drivers/i2c/i2c-dev.c).
  @inlinable public static var all: ClosedRange<Int> { 0...0xF_FFFF }
}
