public import I2C

/// A driver for the BMP180 and the BMP085 over any adapter.
///
/// Every wait has a limit, so the driver never blocks indefinitely. It throws bus errors and does not retry failed
/// transfers. Call `start()` once, then `measure(_:)` for each reading.
public final class BMP180Driver {
  /// The I2C address, 0x77.
  public let address: I2CAddress
  /// The calibration, or `nil` until `start()` has read it.
  public private(set) var calibration: BMP180Calibration?

  let adapter: any I2CAdapter
  let clock: any I2CClock

  /// The polling interval while a conversion is running, in nanoseconds.
  static var pollInterval: UInt64 { 1_000_000 }
  /// The maximum number of polls.
  static var pollLimit: Int { 50 }

  /// Creates a driver without accessing the bus.
  public init(adapter: any I2CAdapter, clock: any I2CClock, address: I2CAddress = 0x77) {
    self.adapter = adapter
    self.clock = clock
    self.address = address
  }

  /// Waits for the chip to start after power-on, identifies it, and reads its calibration.
  ///
  /// - Throws: ``BMP180DriverError``.
  public func start() throws(BMP180DriverError) {
    clock.wait(nanoseconds: BMP180Figures.startTime)
    try identify()
    calibration = try readCalibration()
  }

  /// Reads the chip id, and throws if it is not 0x55.
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
      throw BMP180DriverError(.identify, .unexpectedDevice(id: id))
    }
  }

  /// Resets the chip and waits for the start-up time.
  ///
  ///     S  77 W A  E0 A  B6 A  P
  ///
  /// - Throws: ``BMP180DriverError``.
  public func reset() throws(BMP180DriverError) {
    try write(BMP180Register.reset, BMP180Register.resetCommand, .reset)
    clock.wait(nanoseconds: BMP180Figures.startTime)
  }

  /// Reads the 22 calibration bytes.
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

  /// Writes a register; a thrown error names `step` as the failed step.
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

extension BMP180Driver {
  /// Measures temperature, then pressure.
  ///
  /// - Parameter oversampling: the oversampling of the pressure.
  /// - Returns: the temperature and the pressure, with their raw codes.
  /// - Throws: ``BMP180DriverError``.
  public func measure(
    _ oversampling: BMP180Oversampling = .x1
  ) throws(BMP180DriverError) -> BMP180Measurement {
    if calibration == nil { try start() }
    let temperature = try convert(.temperature)
    let pressure = try convert(.pressure(oversampling))
    guard let calibration,
      let measurement = BMP180Measurement(
        rawTemperature: temperature, rawPressure: pressure, oversampling, calibration)
    else { throw BMP180DriverError(.calibrate, .unsoundCalibration) }
    return measurement
  }

  /// Performs one conversion and returns the resulting code.
  ///
  ///     S  77 W A  F4 A  [command] A  P   (wait)
  ///     S  77 W A  F4 A  Sr  77 R A  [control] A  [F5] A  [msb] A  [lsb] A  [xlsb] N  P
  ///
  /// The driver reads the control register together with the result. While the bit SCO of that register is set, the
  /// result is from an earlier conversion, so the driver reads again.
  ///
  /// - Throws: ``BMP180DriverError``.
  public func convert(_ conversion: BMP180Conversion) throws(BMP180DriverError) -> Int32 {
    try write(BMP180Register.control, conversion.command, .trigger)
    let start = clock.nanoseconds
    clock.wait(nanoseconds: conversion.longestTime)
    var data = InlineArray<5, UInt8>(repeating: 0)
    for _ in 0..<Self.pollLimit {
      do throws(I2CError) {
        var bytes = data.mutableSpan
        try adapter.readRegisters(
          from: BMP180Register.control, count: 5, into: &bytes, at: address)
      } catch {
        throw BMP180DriverError(.read, .bus(error))
      }
      if data[0] & BMP180Conversion.startBit == 0 {
        return conversion.code(data[2], data[3], data[4])
      }
      clock.wait(nanoseconds: Self.pollInterval)
    }
    throw BMP180DriverError(.read, .stillConverting(waited: clock.nanoseconds - start))
  }
}

/// A measurement of the BMP180, as raw codes and as compensated values.
public struct BMP180Measurement: Hashable, Sendable {
  /// The temperature code, UT.
  public let rawTemperature: Int32
  /// The pressure code, UP.
  public let rawPressure: Int32
  /// The temperature in °C, in steps of 0.1.
  public let celsius: Double
  /// The pressure in Pa, in steps of 1.
  public let pascals: Double

  /// Creates a measurement from the raw codes.
  ///
  /// - Returns: `nil` if the calibration causes a division by zero or a negative divisor in the formulas.
  public init?(
    rawTemperature: Int32, rawPressure: Int32, _ oversampling: BMP180Oversampling,
    _ calibration: BMP180Calibration
  ) {
    guard let fine = calibration.fineTemperature(rawTemperature),
      let pascals = calibration.pascals(rawPressure, oversampling, fine: fine)
    else { return nil }
    self.rawTemperature = rawTemperature
    self.rawPressure = rawPressure
    celsius = Double(BMP180Calibration.tenths(fine)) / 10
    self.pascals = Double(pascals)
  }
}

/// An error of the BMP180's driver, which names the step that failed and the cause.
public typealias BMP180DriverError = DriverError<BMP180DriverCause>

/// The reason why a step of the BMP180's driver failed.
public enum BMP180DriverCause: DriverCause {
  /// A transfer failed.
  case bus(I2CError)
  /// The device is neither a BMP180 nor a BMP085.
  case unexpectedDevice(id: UInt8)
  /// A calibration word is 0 or 0xFFFF, or the calibration causes a zero or negative divisor in the formulas.
  case unsoundCalibration
  /// The conversion did not finish within `waited` nanoseconds.
  case stillConverting(waited: UInt64)
}

extension BMP180DriverCause: CustomStringConvertible {
  /// The cause as text.
  public var description: String {
    switch self {
    case .bus(let error): error.description
    case .unexpectedDevice(let id):
      "the chip id is 0x\(id < 16 ? "0" : "")\(String(id, radix: 16)), "
        + "not that of a BMP180 (0x55)"
    case .unsoundCalibration: "the calibration is invalid: a word is 0 or 0xFFFF"
    case .stillConverting(let waited): "no result within \(waited / 1_000_000) ms"
    }
  }
}

extension BMP180DriverCause {
  /// The former name of `unexpectedDevice(id:)`.
  @available(*, deprecated, renamed: "unexpectedDevice(id:)")
  public static func stranger(id: UInt8) -> Self {
    .unexpectedDevice(id: id)
  }
}
