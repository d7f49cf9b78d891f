import I2C

extension HDC1000Driver {
  /// Writes the configuration; a failure says at which step.
  ///
  ///     S  40 W A  02 A  [msb] A  [lsb] A  P
  func write(_ word: UInt16, _ step: HDC1000DriverError.Step) throws(HDC1000DriverError) {
    let bytes: InlineArray<3, UInt8> = [
      HDC1000Register.configuration, UInt8(word >> 8), UInt8(truncatingIfNeeded: word),
    ]
    do throws(I2CError) {
      try adapter.write(bytes.span, to: address)
    } catch {
      throw HDC1000DriverError(step, .bus(error))
    }
  }

  /// Reads a register that is no result; a failure says at which step.
  ///
  ///     S  40 W A  [register] A  Sr  40 R A  [msb] A  [lsb] N  P
  func read(
    _ register: UInt8, _ step: HDC1000DriverError.Step
  ) throws(HDC1000DriverError) -> UInt16 {
    var data: InlineArray<2, UInt8> = [0, 0]
    do throws(I2CError) {
      var bytes = data.mutableSpan
      try adapter.readRegisters(from: register, count: 2, into: &bytes, at: address)
    } catch {
      throw HDC1000DriverError(step, .bus(error))
    }
    return UInt16(data[0]) << 8 | UInt16(data[1])
  }
}
