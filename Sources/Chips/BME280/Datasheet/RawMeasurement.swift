/// The uncompensated codes of one measurement, as in the data registers.
public struct RawMeasurement: Hashable, Sendable {
  /// Temperature, 20 bits.
  public var temperature: Int32
  /// Pressure, 20 bits.
  public var pressure: Int32
  /// Humidity, 16 bits.
  public var humidity: Int32

  /// The code of temperature and pressure after a reset, or if the channel is skipped.
  ///
  /// A measured channel may also read this code; only the oversampling setting tells whether the channel was skipped.
  @inlinable public static var skipped20: Int32 { 0x80000 }
  /// The code of humidity after a reset, or if humidity is skipped.
  @inlinable public static var skipped16: Int32 { 0x8000 }

  /// Creates a measurement from register values.
  ///
  /// Default: the skip codes.
  @inlinable
  public init(
    temperature: Int32 = skipped20, pressure: Int32 = skipped20, humidity: Int32 = skipped16
  ) {
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
  }

  /// Decodes the data registers starting at 0xF7: 8 bytes from a BME280 or 6 from a BMP280.
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

/// A compensated measurement, either in C, Pa and %RH or in the native units of a variant.
public struct CompensatedMeasurement: Hashable, Sendable {
  /// The fine temperature in 1/5120 C; the double variants store only its integer part.
  public var fineTemperature: Int32
  /// The temperature.
  public var temperature: Double
  /// The pressure.
  public var pressure: Double
  /// The relative humidity.
  public var humidity: Double

  /// Creates a measurement.
  @inlinable
  public init(fineTemperature: Int32, temperature: Double, pressure: Double, humidity: Double) {
    self.fineTemperature = fineTemperature
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
  }

  /// Returns the measurement in C, Pa and %RH, converted from the native units of a variant.
  @inlinable
  public func converted(from variant: CompensationVariant) -> CompensatedMeasurement {
    CompensatedMeasurement(
      fineTemperature: fineTemperature,
      temperature: temperature / variant.temperatureScale,
      pressure: pressure / variant.pressureScale,
      humidity: humidity / variant.humidityScale)
  }
}
