/// The clock frequencies of SCL.
public enum I2CBusFrequency {
  /// Standard mode (UM10204, 5.1), in Hz: the default of every bus here, as of a Raspberry Pi.
  @inlinable public static var standard: UInt64 { 100_000 }

  /// The default as a rig writes it.
  @inlinable public static var standardText: String { "\(standard / 1000)kHz" }
}
