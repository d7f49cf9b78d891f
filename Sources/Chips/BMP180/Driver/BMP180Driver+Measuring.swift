import I2C

extension BMP180Driver {
  /// Measures the temperature, then the pressure.
  ///
  /// - Parameter oversampling: how many readings the pressure adds up.
  /// - Returns: both, with their codes.
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

  /// Makes one conversion and gives its code.
  ///
  ///     S  77 W A  F4 A  [command] A  P   (wait)
  ///     S  77 W A  F4 A  Sr  77 R A  [control] A  [F5] A  [msb] A  [lsb] A  [xlsb] N  P
  ///
  /// The control register is read along with the result: while its bit SCO is set, the result is an older one.
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
