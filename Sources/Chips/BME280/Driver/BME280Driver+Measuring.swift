public import BME280
import I2C

extension BME280Driver {
  /// Makes one measurement in forced mode and waits for it.
  ///
  /// It waits the datasheet's longest time, then looks at `measuring` and at the mode, which
  /// returns to sleep: `measuring` alone may still read 0 before the conversion has begun. The
  /// settings are read with them: a chip that lost power, or that another program has set
  /// otherwise, would measure something else without a word.
  ///
  /// - Throws: ``BME280DriverError``.
  public func measure() throws(BME280DriverError) -> Measurement {
    try compensated(measureRaw())
  }

  /// Makes one measurement in forced mode, as ``measure()`` does, and leaves it uncompensated.
  ///
  /// Firmware that computes one formula itself does not carry the others.
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

  /// Starts normal mode and waits until the first result is there.
  ///
  /// - Throws: ``BME280DriverError``, also when the adapter cannot read a result in one burst.
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

  /// Ends normal mode and waits until the running measurement is over.
  ///
  /// - Throws: ``BME280DriverError``.
  public func stopNormalMode() throws(BME280DriverError) {
    guard let chip else { throw BME280DriverError(.trigger, .notStarted) }
    try write(Register.controlMeasurement, control(.sleep), .trigger)
    clock.wait(nanoseconds: settings.maximumMeasurementTime(on: chip) + Self.pollInterval)
  }

  /// Reads the latest result: in normal mode that of the last finished measurement.
  ///
  /// One burst, during which the chip holds the data still, where the adapter allows one.
  ///
  /// - Throws: ``BME280DriverError``.
  public func readMeasurement() throws(BME280DriverError) -> Measurement {
    try compensated(readRaw())
  }

  /// Reads the latest result, as ``readMeasurement()`` does, and leaves it uncompensated.
  ///
  /// - Throws: ``BME280DriverError``.
  public func readRaw() throws(BME280DriverError) -> RawMeasurement {
    guard let chip, calibration != nil else { throw BME280DriverError(.read, .notStarted) }
    var data = InlineArray<33, UInt8>(repeating: 0)
    let length = dataLength(on: chip)
    try read(Register.data, count: length, into: &data, .read)
    return RawMeasurement(registers: data.span.extracting(first: length))
  }

  /// How many data registers the settings fill: humidity that is skipped is not read.
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
