import I2C

extension BME280Driver {
  /// Writes one register; a failure says at which step.
  func write(
    _ register: UInt8, _ value: UInt8, _ step: BME280DriverError.Step
  ) throws(BME280DriverError) {
    do throws(I2CError) {
      try adapter.writeRegister(register, value, at: address)
    } catch {
      throw BME280DriverError(step, .bus(error))
    }
  }

  /// Reads one register; a failure says at which step.
  func read(
    _ register: UInt8, _ step: BME280DriverError.Step
  ) throws(BME280DriverError) -> UInt8 {
    do throws(I2CError) {
      return try adapter.readRegister(register, at: address)
    } catch {
      throw BME280DriverError(step, .bus(error))
    }
  }

  /// Reads some registers into a buffer, in bursts no longer than the adapter allows.
  ///
  /// Several bursts of a chip that measures meanwhile can tear. Some adapters, Linux's among them, do not
  /// tell their limit but refuse: then the burst is halved.
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

  /// Reads registers in one burst, to a place in a buffer.
  private func readBurst(
    _ register: UInt8, count: Int, into buffer: inout InlineArray<33, UInt8>, at place: Int
  ) throws(I2CError) {
    guard place > 0 else {
      var bytes = buffer.mutableSpan
      return try adapter.readRegisters(from: register, count: count, into: &bytes, at: address)
    }
    var burst = InlineArray<33, UInt8>(repeating: 0)
    var bytes = burst.mutableSpan
    try adapter.readRegisters(from: register, count: count, into: &bytes, at: address)
    for index in 0..<count { buffer[place + index] = burst[index] }
  }
}
