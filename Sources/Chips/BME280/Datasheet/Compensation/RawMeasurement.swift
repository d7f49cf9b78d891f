/// The uncompensated output of one measurement, as the data registers hold it.
public struct RawMeasurement: Hashable, Sendable {
  /// Temperature, 20 bits.
  public var temperature: Int32
  /// Pressure, 20 bits.
  public var pressure: Int32
  /// Humidity, 16 bits.
  public var humidity: Int32

  /// What temperature and pressure read after reset, and whenever they are skipped.
  ///
  /// It is also a legal reading: what was skipped is known from the settings, not from this code.
  @inlinable public static var skipped20: Int32 { 0x80000 }
  /// What humidity reads after reset, and whenever it is skipped.
  @inlinable public static var skipped16: Int32 { 0x8000 }

  /// Creates a measurement from register values, the skip codes unless said.
  @inlinable
  public init(
    temperature: Int32 = skipped20, pressure: Int32 = skipped20, humidity: Int32 = skipped16
  ) {
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
  }

  /// Decodes the data registers from 0xF7 on: 8 bytes, or the 6 of a BMP280.
  @inlinable
  public init(registers: Span<UInt8>) {
    precondition(registers.count >= 6, "a measurement has at least six bytes")
    func word20(_ index: Int) -> Int32 {
      Int32(registers[index]) << 12 | Int32(registers[index + 1]) << 4
        | Int32(registers[index + 2]) >> 4
    }
    pressure = word20(0)
    temperature = word20(3)
    humidity =
      registers.count >= 8
      ? Int32(registers[6]) << 8 | Int32(registers[7]) : RawMeasurement.skipped16
  }

  /// The data registers 0xF7...0xFE.
  @inlinable public var registers: InlineArray<8, UInt8> {
    func byte(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: value) }
    return [
      byte(pressure >> 12), byte(pressure >> 4), byte(pressure << 4),
      byte(temperature >> 12), byte(temperature >> 4), byte(temperature << 4),
      byte(humidity >> 8), byte(humidity),
    ]
  }
}
