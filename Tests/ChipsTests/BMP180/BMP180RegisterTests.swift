import Chips
import I2C
import Testing
import VirtualI2C

/// Tests of registers, start-up and supply of the virtual BMP180.
struct BMP180RegisterTests {
  static let addressNack = I2CError(.addressNack, message: 0, errno: .enxio)

  @Test("a BMP180 responds only at 0x77, and its id is 0x55")
  func identity() throws {
    let bench = try BMP180Bench()
    #expect(bench.sensor.address == 0x77)
    #expect(try bench.read(0xD0) == [0x55])
    #expect(throws: Self.addressNack) { try bench.adapter.readRegister(0xD0, at: 0x76) }
  }

  @Test("the calibration is at 0xAA to 0xBF, most significant bytes first")
  func calibration() throws {
    let bytes = try BMP180Bench().read(0xAA, 22)
    #expect(
      bytes == [
        0x01, 0x98, 0xFF, 0xB8, 0xC7, 0xD1, 0x7F, 0xE5, 0x7F, 0xF5, 0x5A, 0x71, 0x18, 0x2E, 0x00,
        0x04, 0x80, 0x00, 0xDD, 0xF9, 0x0B, 0x34,
      ])
  }

  @Test("after power-on the result is 0x80 0x00 0x00, the control register 0x00")
  func powerOn() throws {
    let bench = try BMP180Bench()
    #expect(try bench.read(0xF6, 3) == [0x80, 0x00, 0x00])
    #expect(try bench.read(0xF4) == [0x00])
    #expect(try bench.read(0xE0) == [0x00])
  }

  @Test("start-up of a BMP180 takes 10 ms")
  func start() throws {
    let bench = try BMP180Bench(isStarted: false)
    #expect(bench.sensor.nextChange == 10_000_000)
    #expect(throws: Self.addressNack) { try bench.read(0xD0) }
    bench.wait(milliseconds: 9.8)
    #expect(throws: Self.addressNack) { try bench.read(0xD0) }
    bench.wait(milliseconds: 0.2)
    #expect(try bench.read(0xD0) == [0x55])
  }

  @Test("a soft reset of a BMP180 restores the registers of power-on")
  func reset() throws {
    let bench = try BMP180Bench()
    _ = try bench.convert(0xF4)
    #expect(try bench.read(0xF4) == [0xD4])
    try bench.write(0xE0, 0xB5)
    #expect(try bench.read(0xF4) == [0xD4])
    try bench.write(0xE0, 0xB6)
    #expect(throws: Self.addressNack) { try bench.read(0xD0) }
    bench.wait(milliseconds: 10)
    #expect(try bench.read(0xF4, 5) == [0, 0, 0x80, 0, 0])
  }

  @Test("without supply a BMP180 does not respond, and restarts as after power-on")
  func supply() throws {
    let bench = try BMP180Bench()
    _ = try bench.convert(0x2E)
    bench.sensor.setSupply(false, at: bench.clock.nanoseconds)
    #expect(bench.sensor.nextChange == nil)
    #expect(throws: Self.addressNack) { try bench.read(0xD0) }
    bench.sensor.setSupply(true, at: bench.clock.nanoseconds)
    #expect(throws: Self.addressNack) { try bench.read(0xD0) }
    bench.wait(milliseconds: 10)
    #expect(try bench.read(0xF4, 5) == [0, 0, 0x80, 0, 0])
  }
}
