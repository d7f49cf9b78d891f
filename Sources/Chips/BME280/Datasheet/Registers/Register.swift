/// The addresses of the registers (DS 5.3).
public enum Register {
  /// First of the calibration words for temperature and pressure, 0x88...0xA1.
  @inlinable public static var calibrationLower: UInt8 { 0x88 }
  /// Chip identity.
  @inlinable public static var id: UInt8 { 0xD0 }
  /// Soft reset: 0xB6 runs the power-on procedure.
  @inlinable public static var reset: UInt8 { 0xE0 }
  /// First of the calibration words for humidity, 0xE1...0xE7.
  @inlinable public static var calibrationUpper: UInt8 { 0xE1 }
  /// Humidity oversampling, effective after the next write to ``controlMeasurement``.
  @inlinable public static var controlHumidity: UInt8 { 0xF2 }
  /// Measuring and NVM copy in progress.
  @inlinable public static var status: UInt8 { 0xF3 }
  /// Oversampling of temperature and pressure, power mode.
  @inlinable public static var controlMeasurement: UInt8 { 0xF4 }
  /// Standby time, filter, 3-wire SPI.
  @inlinable public static var configuration: UInt8 { 0xF5 }
  /// First of the data registers: pressure, temperature, humidity, most significant byte first.
  @inlinable public static var data: UInt8 { 0xF7 }

  /// What a write to ``reset`` must carry to have an effect.
  @inlinable public static var resetCommand: UInt8 { 0xB6 }
}
