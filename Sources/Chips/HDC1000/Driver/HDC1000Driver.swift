public import I2C

/// The firmware side: reads an HDC1000 or one of its later relatives over any adapter.
///
/// It never blocks for ever and retries no failed transfer: every wait is bounded, and what
/// happened on the wire is thrown. A typical use is ``start(_:)`` once, then ``measure()`` for each
/// reading.
public final class HDC1000Driver {
  /// The chip's address, 0x40...0x43.
  public let address: I2CAddress
  /// What the register device reads, known once the chip was identified.
  public internal(set) var device: UInt16?
  /// The settings that were written last.
  public internal(set) var configuration = HDC1000Configuration.afterReset

  let adapter: any I2CAdapter
  let clock: any I2CClock

  /// How long the driver waits between two questions whether a result is there, in nanoseconds.
  static var pollInterval: UInt64 { 1_000_000 }
  /// How often it asks before it gives up.
  static var pollLimit: Int { 50 }

  /// Creates a driver that has not touched the bus yet.
  public init(adapter: any I2CAdapter, clock: any I2CClock, address: I2CAddress = 0x40) {
    self.adapter = adapter
    self.clock = clock
    self.address = address
  }

  /// Waits for the chip after power-on, identifies and resets it, and writes settings.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func start(
    _ configuration: HDC1000Configuration = HDC1000Configuration()
  ) throws(HDC1000DriverError) {
    clock.wait(nanoseconds: HDC1000Figures.startTime)
    try identify()
    try reset()
    try configure(configuration)
  }

  /// Reads which chip it is and who made it, and tells strangers.
  ///
  /// The device comes first: 0xFE, the register of the manufacturer, is the command that resets an
  /// SHT21, which has the same address and does not know 0xFF.
  ///
  /// - Throws: ``HDC1000DriverError``.
  @discardableResult
  public func identify() throws(HDC1000DriverError) -> UInt16 {
    let device = try read(HDC1000Register.device, .identify)
    let manufacturer = try read(HDC1000Register.manufacturer, .identify)
    guard manufacturer == HDC1000Figures.manufacturer,
      device == HDC1000Figures.device || device == HDC1000Figures.laterDevice
    else {
      throw HDC1000DriverError(.identify, .stranger(manufacturer: manufacturer, device: device))
    }
    self.device = device
    return device
  }

  /// Resets the chip and waits the 15 ms that a start may take.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func reset() throws(HDC1000DriverError) {
    try write(HDC1000Configuration.resetBit, .reset)
    clock.wait(nanoseconds: HDC1000Figures.startTime)
    configuration = .afterReset
  }

  /// Writes settings and reads them back.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func configure(_ configuration: HDC1000Configuration) throws(HDC1000DriverError) {
    let mask = HDC1000Configuration.writableMask
    try write(configuration.rawValue & mask, .configure)
    let found = try read(HDC1000Register.configuration, .configure)
    guard (found ^ configuration.rawValue) & mask == 0 else {
      throw HDC1000DriverError(
        .configure, .settingsRefused(expected: configuration.rawValue & mask, found: found))
    }
    self.configuration = HDC1000Configuration(rawValue: found & mask)
  }

  /// Switches the heater on or off; it heats only while the chip measures.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func setHeater(_ isOn: Bool) throws(HDC1000DriverError) {
    var changed = configuration
    changed.isHeaterOn = isOn
    try configure(changed)
  }

  /// Whether the supply was below 2.8 V at the last measurement.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func isBatteryLow() throws(HDC1000DriverError) -> Bool {
    let word = try read(HDC1000Register.configuration, .configure)
    return HDC1000Configuration(rawValue: word).isBatteryLow
  }

  /// Reads the serial number, 41 bits.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func readSerialNumber() throws(HDC1000DriverError) -> HDC1000SerialNumber {
    HDC1000SerialNumber(
      try read(HDC1000Register.serial, .identify),
      try read(HDC1000Register.serial + 1, .identify),
      try read(HDC1000Register.serial + 2, .identify))
  }
}
