public import BME280
public import I2C

/// The firmware side: reads a BME280 or BMP280 over any adapter.
///
/// It never blocks for ever and retries nothing: every wait is bounded, every failed transfer is
/// thrown with what happened on the wire. A typical use is ``start(_:)`` once, then
/// ``measure()`` for each reading, which runs the chip in forced mode.
public final class BME280Driver {
  /// The chip's address.
  public let address: I2CAddress
  /// Which chip it is, known once it was identified.
  public internal(set) var chip: Chip?
  /// The chip's calibration, known once it was read.
  public internal(set) var calibration: Calibration?
  /// What is measured and how finely.
  public internal(set) var settings = MeasurementSettings()
  /// The formulas that turn register values into physical ones.
  public var variant: CompensationVariant

  let adapter: any I2CAdapter
  let clock: any I2CClock

  /// How long a driver waits between two looks at a status, in nanoseconds.
  static var pollInterval: UInt64 { 1_000_000 }
  /// How many looks at a status it takes before it gives up: more time than any settings need,
  /// which another program may have changed.
  static var pollLimit: Int { 150 }

  /// Creates a driver that has not touched the bus yet.
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
  /// It first waits the 2 ms that a chip may take after power-on. Afterwards the chip sleeps.
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

  /// Reads the id register and tells BME280, BMP280 and strangers apart.
  ///
  /// - Throws: ``BME280DriverError``.
  @discardableResult
  public func identify() throws(BME280DriverError) -> Chip {
    let identifier = try read(Register.id, .identify)
    guard let chip = Chip(identifier: identifier) else {
      throw BME280DriverError(.identify, .stranger(identifier: identifier))
    }
    self.chip = chip
    return chip
  }

  /// Resets the chip and waits until its calibration has been copied from the NVM.
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

  /// Writes the settings of a sleeping chip, in the order that makes them effective.
  ///
  /// Humidity comes first: it waits for the write to ctrl_meas.
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
