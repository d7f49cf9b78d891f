public import I2C

/// The firmware side: reads a BMP180 or a BMP085 over any adapter.
///
/// It never blocks for ever and retries no failed transfer: every wait is bounded, and what
/// happened on the wire is thrown. A typical use is ``start()`` once, then ``measure(_:)`` for each
/// reading.
public final class BMP180Driver {
  /// The chip's address, 0x77.
  public let address: I2CAddress
  /// The calibration; `nil` until it was read.
  public private(set) var calibration: BMP180Calibration?

  let adapter: any I2CAdapter
  let clock: any I2CClock

  /// How long the driver waits between two questions whether a result is there, in nanoseconds.
  static var pollInterval: UInt64 { 1_000_000 }
  /// How often it asks before it gives up.
  static var pollLimit: Int { 50 }

  /// Creates a driver that has not touched the bus yet.
  public init(adapter: any I2CAdapter, clock: any I2CClock, address: I2CAddress = 0x77) {
    self.adapter = adapter
    self.clock = clock
    self.address = address
  }

  /// Waits for the chip after power-on, identifies it, and reads its calibration.
  ///
  /// - Throws: ``BMP180DriverError``.
  public func start() throws(BMP180DriverError) {
    clock.wait(nanoseconds: BMP180Figures.startTime)
    try identify()
    calibration = try readCalibration()
  }

  /// Reads which chip it is, and tells strangers.
  ///
  ///     S  77 W A  D0 A  Sr  77 R A  [id] N  P
  ///
  /// - Throws: ``BMP180DriverError``.
  public func identify() throws(BMP180DriverError) {
    let id: UInt8
    do throws(I2CError) {
      id = try adapter.readRegister(BMP180Register.id, at: address)
    } catch {
      throw BMP180DriverError(.identify, .bus(error))
    }
    guard id == BMP180Register.idValue else {
      throw BMP180DriverError(.identify, .stranger(id: id))
    }
  }

  /// Resets the chip and waits as long as a start takes.
  ///
  ///     S  77 W A  E0 A  B6 A  P
  ///
  /// - Throws: ``BMP180DriverError``.
  public func reset() throws(BMP180DriverError) {
    try write(BMP180Register.reset, BMP180Register.resetCommand, .reset)
    clock.wait(nanoseconds: BMP180Figures.startTime)
  }

  /// Reads the 22 bytes of the calibration.
  ///
  ///     S  77 W A  AA A  Sr  77 R A  [AC1 msb] A ... [MD lsb] N  P
  ///
  /// - Throws: ``BMP180DriverError``.
  public func readCalibration() throws(BMP180DriverError) -> BMP180Calibration {
    var data = InlineArray<22, UInt8>(repeating: 0)
    do throws(I2CError) {
      var bytes = data.mutableSpan
      try adapter.readRegisters(
        from: BMP180Register.calibration, count: BMP180Calibration.byteCount, into: &bytes,
        at: address)
    } catch {
      throw BMP180DriverError(.calibrate, .bus(error))
    }
    let calibration = BMP180Calibration(bytes: data.span)
    guard calibration.isSound else { throw BMP180DriverError(.calibrate, .unsoundCalibration) }
    return calibration
  }

  /// Writes a register; a failure says at which step.
  func write(
    _ register: UInt8, _ value: UInt8, _ step: BMP180DriverError.Step
  ) throws(BMP180DriverError) {
    let bytes: InlineArray<2, UInt8> = [register, value]
    do throws(I2CError) {
      try adapter.write(bytes.span, to: address)
    } catch {
      throw BMP180DriverError(step, .bus(error))
    }
  }
}
