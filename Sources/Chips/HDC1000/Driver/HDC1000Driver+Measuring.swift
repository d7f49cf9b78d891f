import I2C

extension HDC1000Driver {
  /// Measures temperature and humidity in one go.
  ///
  ///     S  40 W A  00 A  P   (wait)   S  40 R A  [T msb] A [T lsb] A [H msb] A [H lsb] N  P
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func measure() throws(HDC1000DriverError) -> HDC1000Measurement {
    try setMode(measuresBoth: true)
    var data: InlineArray<4, UInt8> = [0, 0, 0, 0]
    let time = time(of: .temperature) + time(of: .humidity)
    var bytes = data.mutableSpan
    try acquire(HDC1000Register.temperature, into: &bytes, taking: time)
    return HDC1000Measurement(
      rawTemperature: UInt16(data[0]) << 8 | UInt16(data[1]),
      rawHumidity: UInt16(data[2]) << 8 | UInt16(data[3]))
  }

  /// Measures one quantity alone and gives its code.
  ///
  ///     S  40 W A  [register] A  P   (wait)   S  40 R A  [msb] A [lsb] N  P
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func measureRaw(_ quantity: HDC1000Quantity) throws(HDC1000DriverError) -> UInt16 {
    try setMode(measuresBoth: false)
    var data: InlineArray<2, UInt8> = [0, 0]
    var bytes = data.mutableSpan
    try acquire(quantity.register, into: &bytes, taking: time(of: quantity))
    return UInt16(data[0]) << 8 | UInt16(data[1])
  }

  private func setMode(measuresBoth: Bool) throws(HDC1000DriverError) {
    guard configuration.measuresBoth != measuresBoth else { return }
    var changed = configuration
    changed.measuresBoth = measuresBoth
    try configure(changed)
  }

  private func time(of quantity: HDC1000Quantity) -> UInt64 {
    configuration.resolution(of: quantity).time(of: quantity)
  }

  /// Starts a measurement, waits, and asks until the chip acknowledges.
  ///
  /// The data sheet gives no longest time: an eighth more than the typical one is waited.
  private func acquire(
    _ pointer: UInt8, into bytes: inout MutableSpan<UInt8>, taking time: UInt64
  ) throws(HDC1000DriverError) {
    let writing: InlineArray<1, UInt8> = [pointer]
    do throws(I2CError) {
      try adapter.write(writing.span, to: address)
    } catch {
      throw HDC1000DriverError(.trigger, .bus(error))
    }
    let start = clock.nanoseconds
    clock.wait(nanoseconds: time + time / 8)
    for _ in 0..<Self.pollLimit {
      do throws(I2CError) {
        try adapter.read(into: &bytes, from: address)
        return
      } catch {
        guard error.kind == .addressNack else { throw HDC1000DriverError(.read, .bus(error)) }
        clock.wait(nanoseconds: Self.pollInterval)
      }
    }
    throw HDC1000DriverError(.wait, .stillMeasuring(waited: clock.nanoseconds - start))
  }
}
