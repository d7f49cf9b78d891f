#if TORN_READS
  import BME280
  import BME280Driver
  import I2C

  /// A planted defect: the part measures on in normal mode, and its data are read byte by byte with a rest in between, so
  /// that a new measurement comes between two bytes of one value.
  struct TornReads {
    /// The bus, past the driver.
    let wire: TwoWire
    let clock: TickClock

    /// The registers of pressure and temperature, six bytes from 0xF7.
    func readRaw() throws(BME280DriverError) -> RawMeasurement {
      var bytes = InlineArray<6, Int32>(repeating: 0)
      for index in 0..<6 {
        do throws(I2CError) {
          bytes[index] = Int32(try wire.readRegister(0xF7 + UInt8(index), at: 0x76))
        } catch {
          throw BME280DriverError(.read, .bus(error))
        }
        clock.wait(nanoseconds: 4_000_000)
      }
      return RawMeasurement(
        temperature: bytes[3] << 12 | bytes[4] << 4 | bytes[5] >> 4,
        pressure: bytes[0] << 12 | bytes[1] << 4 | bytes[2] >> 4)
    }
  }
#endif
