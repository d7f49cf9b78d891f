public import BME280
import I2C

extension BME280Driver {
  /// Performs one measurement in forced mode.
  ///
  /// Waits for the datasheet's maximum time, then polls the `measuring` bit and the mode, which returns to sleep:
  /// `measuring` alone may still read 0 before the conversion has started. The settings are read in the same burst: a
  /// chip that lost power, or whose settings another program has changed, would otherwise silently measure something
  /// else.
  ///
  /// - Throws: ``BME280DriverError``.
  public func measure() throws(BME280DriverError) -> Measurement {
    try compensated(measureRaw())
  }

  /// Performs one measurement in forced mode like ``measure()``, without compensation.
  ///
  /// Firmware that uses a single formula of its own does not have to link the others.
  ///
  /// - Throws: ``BME280DriverError``.
  public func measureRaw() throws(BME280DriverError) -> RawMeasurement {
    guard let chip, calibration != nil else { throw BME280DriverError(.trigger, .notStarted) }
    try write(Register.controlMeasurement, control(.forced), .trigger)
    let start = clock.nanoseconds
    clock.wait(nanoseconds: settings.maximumMeasurementTime(on: chip))
    var state = InlineArray<33, UInt8>(repeating: 0)
    for _ in 0..<Self.pollLimit {
      // ctrl_hum, status, ctrl_meas, config.
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

  /// Compares the settings of a chip that has returned to sleep with those that were written.
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
  /// - Throws: ``BME280DriverError``, also if the adapter cannot read a result in one burst.
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

  /// Reads the latest result; in normal mode that of the last finished measurement.
  ///
  /// Reads it in one burst, during which the chip does not update the data, if the adapter supports that length.
  ///
  /// - Throws: ``BME280DriverError``.
  public func readMeasurement() throws(BME280DriverError) -> Measurement {
    try compensated(readRaw())
  }

  /// Reads the latest result like ``readMeasurement()``, without compensation.
  ///
  /// - Throws: ``BME280DriverError``.
  public func readRaw() throws(BME280DriverError) -> RawMeasurement {
    guard let chip, calibration != nil else { throw BME280DriverError(.read, .notStarted) }
    var data = InlineArray<33, UInt8>(repeating: 0)
    let length = dataLength(on: chip)
    try read(Register.data, count: length, into: &data, .read)
    return RawMeasurement(registers: data.span.extracting(first: length))
  }

  /// Returns the number of data registers to read; skipped humidity is not read.
  private func dataLength(on chip: Chip) -> Int {
    settings.humidity == .skipped ? Chip.bmp280.dataLength : chip.dataLength
  }

  private func compensated(_ raw: RawMeasurement) throws(BME280DriverError) -> Measurement {
    guard let calibration else { throw BME280DriverError(.read, .notStarted) }
    return Measurement(
      raw: raw, settings: settings,
      compensated: calibration.compensateSI(raw, variant: variant))
  }

  /// The value of config for the settings.
  var configuration: UInt8 {
    Configuration(standby: settings.standby, filter: settings.filter).byte
  }

  /// The value of ctrl_meas for the settings and a mode.
  func control(_ mode: PowerMode) -> UInt8 {
    ControlMeasurement(
      temperature: settings.temperature, pressure: settings.pressure, mode: mode
    ).byte
  }
}

/// The channels, oversampling and filter of a measurement.
public struct MeasurementSettings: Hashable, Sendable {
  /// Oversampling of temperature; if it is skipped, no other channel can be compensated.
  public var temperature: Oversampling
  /// Oversampling of pressure.
  public var pressure: Oversampling
  /// Oversampling of humidity; ignored by a BMP280.
  public var humidity: Oversampling
  /// The IIR filter on temperature and pressure.
  public var filter: Filter
  /// The standby time of normal mode.
  public var standby: Standby

  /// Creates settings.
  ///
  /// Default: one sample of each channel, no filter.
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

/// A measurement of the driver: register values and physical quantities.
public struct Measurement: Hashable, Sendable {
  /// The register values.
  public let raw: RawMeasurement
  /// The channels that were measured; humidity is skipped on a BMP280.
  public let settings: MeasurementSettings
  /// All channels in C, Pa and %RH, including skipped ones, whose values are meaningless.
  public let compensated: CompensatedMeasurement

  /// Creates a measurement.
  public init(
    raw: RawMeasurement, settings: MeasurementSettings, compensated: CompensatedMeasurement
  ) {
    self.raw = raw
    self.settings = settings
    self.compensated = compensated
  }

  /// The temperature in C, or `nil` if it was skipped.
  public var celsius: Double? {
    settings.temperature == .skipped ? nil : compensated.temperature
  }

  /// The pressure in Pa, or `nil` if pressure or temperature, on which it depends, was skipped.
  public var pascals: Double? {
    settings.pressure == .skipped || settings.temperature == .skipped ? nil : compensated.pressure
  }

  /// The relative humidity in %, or `nil` if humidity or temperature was skipped.
  public var relativeHumidity: Double? {
    settings.humidity == .skipped || settings.temperature == .skipped ? nil : compensated.humidity
  }
}
