import BME280

/// The settings of a conversion, decoded once when it starts and in force until its end.
///
/// What is written meanwhile belongs to the next conversion.
struct ConversionSettings {
  /// The registers that the settings come from: ctrl_meas without its mode, ctrl_hum in force, config.
  let registers: SIMD3<UInt8>
  let temperature, pressure, humidity: Oversampling
  let filter: Filter
  /// The distances between two codes before the filter.
  let temperatureStep, pressureStep: Int32
  /// How long the conversion takes, in nanoseconds.
  let time: UInt64
  /// The longest time that the datasheet allows it, in nanoseconds.
  let longestTime: UInt64
  /// What the conversion draws, in uA s.
  let charge: Double
  /// The standard deviations of the codes before the filter, in C, Pa and %RH.
  let temperatureNoise, pressureNoise, humidityNoise: Double

  init(
    _ registers: SIMD3<UInt8>, on chip: Chip, oscillator: Oscillator, noise factor: Double
  ) {
    let control = ControlMeasurement(byte: registers[0])
    self.registers = registers
    (temperature, pressure) = (control.temperature, control.pressure)
    humidity = chip.measuresHumidity ? Oversampling(bits: registers[1]) : .skipped
    filter = Configuration(byte: registers[2]).filter
    temperatureStep = Self.step(of: temperature, filter, on: chip)
    pressureStep = Self.step(of: pressure, filter, on: chip)
    longestTime = MeasurementTime.maximum(
      temperature: temperature, pressure: pressure, humidity: humidity)
    let typical = MeasurementTime.typical(
      temperature: temperature, pressure: pressure, humidity: humidity)
    time = oscillator.conversionTime(typical: typical, longest: longestTime)
    charge = Current.charge(temperature: temperature, pressure: pressure, humidity: humidity)
    temperatureNoise = factor * Noise.temperature(temperature)
    pressureNoise = factor * Noise.pressureBeforeFilter(pressure, filter: filter)
    humidityNoise = factor * Noise.humidity(humidity)
  }

  /// The distance between two codes: by oversampling, and on the BME280 always 1 while the filter is
  /// on (DS 3.4.1).
  private static func step(of oversampling: Oversampling, _ filter: Filter, on chip: Chip) -> Int32
  {
    if oversampling == .skipped || (filter != .off && chip == .bme280) { return 1 }
    return 1 << Int32(20 - oversampling.resolutionBits)
  }
}
