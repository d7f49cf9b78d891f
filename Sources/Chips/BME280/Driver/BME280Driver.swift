public import I2C

/// A driver for the BME280 and the BMP280 that works with any I2C adapter.
///
/// The driver never blocks indefinitely, because every wait has a limit. It does not retry failed
/// transfers, but throws an error. Call `start(_:)` once, then `measure()` for each reading,
/// which measures in forced mode.
public final class BME280Driver {
  /// The I2C address.
  public let address: I2CAddress
  /// The type of the chip; `nil` until the driver has identified it.
  public internal(set) var chip: Chip?
  /// The calibration; `nil` until the driver has read it.
  public internal(set) var calibration: Calibration?
  /// The measurement settings that were last written.
  public internal(set) var settings = MeasurementSettings()
  /// The variant of the compensation formulas that the driver uses.
  public var variant: CompensationVariant

  let adapter: any I2CAdapter
  let clock: any I2CClock

  /// The polling interval in nanoseconds.
  static var pollInterval: UInt64 { 1_000_000 }
  /// The maximum number of polls for a result.
  ///
  /// It suffices for all settings, because another program may have changed them.
  static var pollLimit: Int { 150 }

  /// Creates a driver without accessing the bus.
  public init(
    adapter: any I2CAdapter, clock: any I2CClock, address: I2CAddress = 0x76,
    variant: CompensationVariant = .datasheetInt64
  ) {
    self.adapter = adapter
    self.clock = clock
    self.address = address
    self.variant = variant
  }

  /// Identifies and resets the chip, reads its calibration and writes the settings.
  ///
  /// The driver first waits 2 ms, the maximum start-up time after power-on. It leaves the chip in
  /// sleep mode.
  ///
  /// - Throws: ``BME280DriverError``.
  public func start(
    _ settings: MeasurementSettings = MeasurementSettings()
  ) throws(BME280DriverError) {
    clock.wait(nanoseconds: MeasurementTime.startup)
    try identify()
    try reset()
    try readCalibration()
    try configure(settings)
  }

  /// Reads the chip id, and throws if it is neither that of a BME280 nor that of a BMP280.
  ///
  /// - Throws: ``BME280DriverError``.
  @discardableResult
  public func identify() throws(BME280DriverError) -> Chip {
    let identifier = try read(Register.id, .identify)
    guard let chip = Chip(identifier: identifier) else {
      throw BME280DriverError(.identify, .unexpectedDevice(identifier: identifier))
    }
    self.chip = chip
    return chip
  }

  /// Resets the chip and waits until it has copied its calibration from the NVM.
  ///
  /// - Throws: ``BME280DriverError``.
  public func reset() throws(BME280DriverError) {
    try write(Register.reset, Register.resetCommand, .reset)
    let start = clock.nanoseconds
    clock.wait(nanoseconds: MeasurementTime.startup)
    var status: UInt8 = 0
    for _ in 0..<Self.pollLimit {
      status = try read(Register.status, .reset)
      if !Status(rawValue: status).contains(.imageUpdate) { return }
      clock.wait(nanoseconds: Self.pollInterval)
    }
    throw BME280DriverError(
      .reset, .notReady(status: status, waited: clock.nanoseconds - start))
  }

  /// Writes the settings to the chip, which must be in sleep mode.
  ///
  /// The oversampling of humidity is written first, because it takes effect only with the write to
  /// ctrl_meas.
  ///
  /// - Throws: ``BME280DriverError``.
  public func configure(_ settings: MeasurementSettings) throws(BME280DriverError) {
    guard let chip else { throw BME280DriverError(.configure, .notStarted) }
    var settings = settings
    if chip.measuresHumidity {
      try write(Register.controlHumidity, settings.humidity.rawValue, .configure)
    } else {
      settings.humidity = .skipped
    }
    self.settings = settings
    try write(Register.configuration, configuration, .configure)
    try write(Register.controlMeasurement, control(.sleep), .configure)
  }
}

extension BME280Driver {
  /// Writes one register; `step` is the step that an error reports.
  func write(
    _ register: UInt8, _ value: UInt8, _ step: BME280DriverError.Step
  ) throws(BME280DriverError) {
    do throws(I2CError) {
      try adapter.writeRegister(register, value, at: address)
    } catch {
      throw BME280DriverError(step, .bus(error))
    }
  }

  /// Reads one register; `step` is the step that an error reports.
  func read(
    _ register: UInt8, _ step: BME280DriverError.Step
  ) throws(BME280DriverError) -> UInt8 {
    do throws(I2CError) {
      return try adapter.readRegister(register, at: address)
    } catch {
      throw BME280DriverError(step, .bus(error))
    }
  }

  /// Reads registers into a buffer, in bursts no longer than the adapter supports.
  ///
  /// Data read in several bursts can be torn if the chip finishes a measurement between them. Some
  /// adapters, such as those of Linux, do not report their limit but reject longer reads; the
  /// driver then halves the burst length.
  func read(
    _ register: UInt8, count: Int, into buffer: inout InlineArray<33, UInt8>, at offset: Int = 0,
    _ step: BME280DriverError.Step
  ) throws(BME280DriverError) {
    var limit = adapter.quirks.longestRegisterRead
    var done = 0
    while done < count {
      let length = min(count - done, limit)
      do throws(I2CError) {
        try readBurst(register + UInt8(done), count: length, into: &buffer, at: offset + done)
      } catch {
        guard error.kind == .unsupported, length > 1 else {
          throw BME280DriverError(step, .bus(error))
        }
        limit = length / 2
        continue
      }
      done += length
    }
  }

  /// Reads registers in one burst and stores them at an offset in a buffer.
  private func readBurst(
    _ register: UInt8, count: Int, into buffer: inout InlineArray<33, UInt8>, at offset: Int
  ) throws(I2CError) {
    guard offset > 0 else {
      var bytes = buffer.mutableSpan
      return try adapter.readRegisters(from: register, count: count, into: &bytes, at: address)
    }
    var burst = InlineArray<33, UInt8>(repeating: 0)
    var bytes = burst.mutableSpan
    try adapter.readRegisters(from: register, count: count, into: &bytes, at: address)
    for index in 0..<count { buffer[offset + index] = burst[index] }
  }
}

extension BME280Driver {
  /// Reads the calibration, in bursts no longer than the adapter supports.
  ///
  /// - Throws: `BME280DriverError`, also if all bytes from 0x88 to 0x9F are equal, as on no real
  ///   part.
  public func readCalibration() throws(BME280DriverError) {
    guard let chip else { throw BME280DriverError(.calibrate, .notStarted) }
    var image = InlineArray<33, UInt8>(repeating: 0)
    let lower = chip.measuresHumidity ? Calibration.lowerLength : Calibration.bmp280Length
    try read(Register.calibrationLower, count: lower, into: &image, .calibrate)
    if chip.measuresHumidity {
      try read(
        Register.calibrationUpper, count: Calibration.upperLength, into: &image, at: lower,
        .calibrate)
    }
    let length = Calibration.length(on: chip)
    var alike = true
    for index in 0..<Calibration.bmp280Length where image[index] != image[0] { alike = false }
    guard !alike, let calibration = Calibration(bytes: image.span.extracting(first: length)) else {
      throw BME280DriverError(.calibrate, .blankCalibration(byte: image[0]))
    }
    self.calibration = calibration
  }
}

/// An error of the BME280's driver, which names the step that failed and the cause.
public typealias BME280DriverError = DriverError<BME280DriverCause>

/// The reason why a step of the BME280's driver failed.
public enum BME280DriverCause: DriverCause {
  /// A transfer failed.
  case bus(I2CError)
  /// The chip id is neither that of a BME280 nor that of a BMP280.
  case unexpectedDevice(identifier: UInt8)
  /// The NVM copy did not end within `waited` nanoseconds of the reset.
  case notReady(status: UInt8, waited: UInt64)
  /// All bytes of the calibration are equal, as they are before the NVM copy or on a floating
  /// bus.
  case blankCalibration(byte: UInt8)
  /// The measurement did not end within `waited` nanoseconds of its start.
  case stillMeasuring(status: UInt8, control: UInt8, waited: UInt64)
  /// A settings register differs from the value that the driver wrote, for example after a loss
  /// of power.
  case settingsLost(register: UInt8, expected: UInt8, found: UInt8)
  /// The adapter cannot read a measurement in one burst, so the data could be torn.
  case burstTooLong(needed: Int, limit: Int)
  /// A function that needs the chip's type or calibration was called before
  /// `start(_:)`.
  case notStarted
}

extension BME280DriverCause: CustomStringConvertible {
  /// The cause as a phrase for error messages.
  public var description: String {
    switch self {
    case .bus(let error):
      error.description
    case .unexpectedDevice(let identifier):
      "chip id \(hex(identifier)) is neither a BME280 (0x60) nor a BMP280 (0x58)"
    case .notReady(let status, let waited):
      "the NVM copy did not end within \(milliseconds(waited)) (status \(hex(status)))"
    case .blankCalibration(let byte):
      "every byte of the calibration reads \(hex(byte)); the NVM copy has not ended"
    case .stillMeasuring(let status, let control, let waited):
      "no result within \(milliseconds(waited)) "
        + "(status \(hex(status)), ctrl_meas \(hex(control)))"
    case .settingsLost(let register, let expected, let found):
      "register \(hex(register)) reads \(hex(found)) instead of \(hex(expected)); the chip has "
        + "lost its settings, or another program has changed them"
    case .burstTooLong(let needed, let limit):
      "a measurement of \(needed) bytes can tear on an adapter that reads \(limit) at once"
    case .notStarted:
      "the driver was not started"
    }
  }

  private func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16)
  }

  private func milliseconds(_ nanoseconds: UInt64) -> String { "\(nanoseconds / 1_000_000) ms" }
}

extension BME280DriverCause {
  /// The former name of `unexpectedDevice(identifier:)`.
  @available(*, deprecated, renamed: "unexpectedDevice(identifier:)")
  public static func stranger(identifier: UInt8) -> Self {
    .unexpectedDevice(identifier: identifier)
  }
}
