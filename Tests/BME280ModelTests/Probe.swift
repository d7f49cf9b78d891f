import BME280
import BME280Model
import Environment
import I2C
import TestSupport
import VirtualI2C

/// A virtual sensor on a bus, with the actions of a controller.
struct Probe {
  let clock = VirtualClock()
  let adapter: VirtualAdapter
  let sensor: VirtualBME280

  /// The calibration of a real part (fixtures/calibrations/periph-i2c.yaml).
  static let periph = "106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b" + "6e01001305001e"

  /// The calibration of a real BMP280 (fixtures/calibrations/bmp-orangepi.yaml).
  static let orangePi = "5c6e706818fc098e8ed6d00bac132b01f9ff8c3cf8c67017"

  /// Creates a sensor.
  ///
  /// Default: its start-up has finished.
  init(
    chip: Chip = .bme280, nvm: String? = nil, air: any AirSource, asleep: Bool = true,
    options: SensorOptions = SensorOptions(), seed: UInt64 = 1, frequency: UInt64 = 400_000
  ) throws {
    adapter = VirtualAdapter(clock: clock, frequency: frequency)
    let digits = nvm ?? (chip == .bme280 ? Self.periph : Self.orangePi)
    sensor = VirtualBME280(
      chip: chip, nvm: image(bytes(digits)), address: 0x76, air: air, options: options, seed: seed)
    try adapter.attach(sensor)
    if asleep { clock.wait(nanoseconds: 2_000_000) }
  }

  /// Creates a sensor in constant air.
  init(
    chip: Chip = .bme280, nvm: String? = nil, _ air: Air = .standard, asleep: Bool = true,
    options: SensorOptions = SensorOptions(), seed: UInt64 = 1, frequency: UInt64 = 400_000
  ) throws {
    try self.init(
      chip: chip, nvm: nvm, air: ScriptedAir(constant: air), asleep: asleep, options: options,
      seed: seed, frequency: frequency)
  }

  func write(_ register: UInt8, _ value: UInt8) throws {
    try adapter.writeRegister(register, value, at: 0x76)
  }

  func read(_ register: UInt8) throws -> UInt8 {
    try adapter.readRegister(register, at: 0x76)
  }

  func read(_ register: UInt8, count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    var buffer = bytes.mutableSpan
    try adapter.readRegisters(from: register, count: count, into: &buffer, at: 0x76)
    return bytes
  }

  func raw() throws -> RawMeasurement {
    let data = try read(Register.data, count: sensor.chip.dataLength)
    return RawMeasurement(registers: data.span)
  }

  func wait(milliseconds: Double) {
    clock.wait(nanoseconds: UInt64(milliseconds * 1e6))
  }

  /// Writes ctrl_meas for a forced measurement and waits for the maximum time.
  func force(_ temperature: Oversampling, _ pressure: Oversampling, humidity: Oversampling = .x1)
    throws
  {
    try write(0xF2, humidity.rawValue)
    let control = ControlMeasurement(temperature: temperature, pressure: pressure, mode: .forced)
    try write(0xF4, control.byte)
    clock.wait(
      nanoseconds: MeasurementTime.maximum(
        temperature: temperature, pressure: pressure, humidity: humidity))
  }
}

/// Returns the 33 bytes of an NVM; the image of a BMP280 fills the first 24.
func image(_ bytes: [UInt8]) -> InlineArray<33, UInt8> {
  var image = InlineArray<33, UInt8>(repeating: 0)
  for (index, byte) in bytes.enumerated() { image[index] = byte }
  return image
}
