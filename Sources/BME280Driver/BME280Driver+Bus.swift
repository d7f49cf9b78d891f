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

  /// Reads some registers into the start of a buffer; a failure says at which step.
  func read(
    _ register: UInt8, count: Int, into buffer: inout InlineArray<32, UInt8>,
    _ step: BME280DriverError.Step
  ) throws(BME280DriverError) {
    do throws(I2CError) {
      var bytes = buffer.mutableSpan
      try adapter.readRegisters(from: register, count: count, into: &bytes, at: address)
    } catch {
      throw BME280DriverError(step, .bus(error))
    }
  }
}
