public import I2C

extension BME280Driver {
  /// Performs one measurement in forced mode.
  ///
  /// The driver waits for the datasheet's maximum time, then polls until the `measuring` bit is 0
  /// and the mode is sleep again. The bit alone is not sufficient, because it may still read 0
  /// before the conversion has started. The same burst reads the settings back. Without this check,
  /// a chip that has lost power, or whose settings another program has changed, would measure with
  /// the wrong settings and report no error.
  ///
  /// - Throws: ``BME280DriverError``.
  public func measure() throws(BME280DriverError) -> Measurement {
    try compensated(measureRaw())
  }

  /// Performs one measurement in forced mode like `measure()`, without compensation.
  ///
  /// Firmware that compensates the result with a formula of its choice does not have to link the
  /// other formulas.
  ///
  /// - Throws: ``BME280DriverError``.
  public func measureRaw() throws(BME280DriverError) -> RawMeasurement {
    guard let chip, calibration != nil else { throw BME280DriverError(.trigger, .notStarted) }
    try write(Register.controlMeasurement, control(.forced), .trigger)
    let start = clock.nanoseconds
    clock.wait(nanoseconds: settings.maximumMeasurementTime(on: chip))
    var state = InlineArray<33, UInt8>(repeating: 0)
    for _ in 0..<Self.pollLimit {
      // The registers are ctrl_hum, status, ctrl_meas and config.
      try read(Register.controlHumidity, count: 4, into: &state, .wait)
      let mode = ControlMeasurement(byte: state[2]).mode
      if mode == .sleep, !Status(rawValue: state[1]).contains(.measuring) {
        try checkSettings(controlHumidity: state[0], control: state[2], configuration: state[3])
        return try readRaw()
      }
      clock.wait(nanoseconds: Self.pollInterval)
    }
    throw BME280DriverError(
      .wait,
      .stillMeasuring(
        status: state[1], control: state[2], waited: clock.nanoseconds - start))
  }

  /// Throws if the settings read from the chip, which has returned to sleep, differ from those that
  /// the driver wrote.
  private func checkSettings(
    controlHumidity: UInt8, control: UInt8, configuration: UInt8
  ) throws(BME280DriverError) {
    let found: InlineArray<3, (register: UInt8, expected: UInt8, found: UInt8)> = [
      (Register.controlHumidity, settings.humidity.rawValue, controlHumidity),
      (Register.controlMeasurement, self.control(.sleep), control),
      (Register.configuration, self.configuration, configuration),
    ]
    for index in found.indices where found[index].expected != found[index].found {
      throw BME280DriverError(
        .wait,
        .settingsLost(
          register: found[index].register, expected: found[index].expected,
          found: found[index].found))
    }
  }

  /// Starts normal mode and waits for the first result.
  ///
  /// - Throws: `BME280DriverError`, for example if the adapter cannot read a result in one burst.
  public func startNormalMode() throws(BME280DriverError) {
    guard let chip, calibration != nil else { throw BME280DriverError(.trigger, .notStarted) }
    let limit = adapter.quirks.longestRegisterRead
    let length = dataLength(on: chip)
    guard length <= limit else {
      throw BME280DriverError(.trigger, .burstTooLong(needed: length, limit: limit))
    }
    try write(Register.controlMeasurement, control(.normal), .trigger)
    clock.wait(nanoseconds: settings.maximumMeasurementTime(on: chip) + Self.pollInterval)
  }

  /// Stops normal mode and waits until the current measurement has finished.
  ///
  /// - Throws: ``BME280DriverError``.
  public func stopNormalMode() throws(BME280DriverError) {
    guard let chip else { throw BME280DriverError(.trigger, .notStarted) }
    try write(Register.controlMeasurement, control(.sleep), .trigger)
    clock.wait(nanoseconds: settings.maximumMeasurementTime(on: chip) + Self.pollInterval)
  }

  /// Reads the latest result, which in normal mode is that of the last finished measurement.
  ///
  /// If the adapter supports the length, the driver reads the result in one burst, during which the
  /// chip does not update the data.
  ///
  /// - Throws: ``BME280DriverError``.
  public func readMeasurement() throws(BME280DriverError) -> Measurement {
    try compensated(readRaw())
  }

  /// Reads the latest result like `readMeasurement()`, without compensation.
  ///
  /// - Throws: ``BME280DriverError``.
  public func readRaw() throws(BME280DriverError) -> RawMeasurement {
    guard let chip, calibration != nil else { throw BME280DriverError(.read, .notStarted) }
    var data = InlineArray<33, UInt8>(repeating: 0)
    let length = dataLength(on: chip)
    try read(Register.data, count: length, into: &data, .read)
    return RawMeasurement(registers: data.span.extracting(first: length))
  }

  /// Returns the number of data registers to read, which excludes humidity if it is skipped.
  private func dataLength(on chip: Chip) -> Int {
    settings.humidity == .skipped ? Chip.bmp280.dataLength : chip.dataLength
  }

  private func compensated(_ raw: RawMeasurement) throws(BME280DriverError) -> Measurement {
    guard let calibration else { throw BME280DriverError(.read, .notStarted) }
    return Measurement(
      raw: raw, settings: settings,
      compensated: calibration.compensateSI(raw, variant: variant))
  }

  /// The value of the register config for the current settings.
  var configuration: UInt8 {
    Configuration(standby: settings.standby, filter: settings.filter).byte
  }

  /// Returns the value of the register ctrl_meas for the current settings and a mode.
  func control(_ mode: PowerMode) -> UInt8 {
    ControlMeasurement(
      temperature: settings.temperature, pressure: settings.pressure, mode: mode
    ).byte
  }
}

/// The settings of a measurement: the oversampling of each channel, the filter and the standby
/// time.
public struct MeasurementSettings: Hashable, Sendable {
  /// The oversampling of temperature; if temperature is skipped, no other channel can be
  /// compensated.
  public var temperature: Oversampling
  /// The oversampling of pressure.
  public var pressure: Oversampling
  /// The oversampling of humidity; not used for a BMP280.
  public var humidity: Oversampling
  /// The IIR filter on temperature and pressure.
  public var filter: Filter
  /// The standby time of normal mode.
  public var standby: Standby

  /// Creates settings.
  ///
  /// Default: one sample of each channel, no filter, and a standby time of 0.5 ms.
  public init(
    temperature: Oversampling = .x1, pressure: Oversampling = .x1, humidity: Oversampling = .x1,
    filter: Filter = .off, standby: Standby = Standby(rawValue: 0)
  ) {
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
    self.filter = filter
    self.standby = standby
  }

  /// Returns the maximum duration of one measurement on a chip, in nanoseconds.
  public func maximumMeasurementTime(on chip: Chip) -> UInt64 {
    MeasurementTime.maximum(
      temperature: temperature, pressure: pressure,
      humidity: chip.measuresHumidity ? humidity : .skipped)
  }
}

/// A measurement by the driver: the register values and the physical quantities.
public struct Measurement: Hashable, Sendable {
  /// The data register values.
  public let raw: RawMeasurement
  /// The settings of the measurement; humidity is always skipped on a BMP280.
  public let settings: MeasurementSettings
  /// The values of all channels in °C, Pa and %RH; those of skipped channels are meaningless.
  public let compensated: CompensatedMeasurement

  /// Creates a measurement from register values and the quantities computed from them.
  public init(
    raw: RawMeasurement, settings: MeasurementSettings, compensated: CompensatedMeasurement
  ) {
    self.raw = raw
    self.settings = settings
    self.compensated = compensated
  }

  /// The temperature in °C, or `nil` if it was skipped.
  public var celsius: Double? {
    settings.temperature == .skipped ? nil : compensated.temperature
  }

  /// The pressure in Pa, or `nil` if pressure was skipped, or temperature, which its compensation
  /// needs.
  public var pascals: Double? {
    settings.pressure == .skipped || settings.temperature == .skipped ? nil : compensated.pressure
  }

  /// The relative humidity in %, or `nil` if humidity was skipped, or temperature, which its
  /// compensation needs.
  public var relativeHumidity: Double? {
    settings.humidity == .skipped || settings.temperature == .skipped ? nil : compensated.humidity
  }
}
