import Chips
import I2C
import Testing
import VirtualI2C

/// Tests of user register, reset, start-up, supply and serial number of the virtual SHT21.
struct SHT21RegisterTests {
  @Test("the user register reads 0x02 after power-on")
  func resetValue() throws {
    #expect(try SHT21Bench().settings() == 0x02)
  }

  @Test("resolution, heater and reload bits read back; the end of battery does not")
  func writable() throws {
    let bench = try SHT21Bench()
    for value in [0x87, 0x00, 0x81, 0x06] as [UInt8] {
      try bench.write(0xE6, value)
      #expect(try bench.settings() == value)
    }
    try bench.write(0xE6, 0x42)
    #expect(try bench.settings() == 0x02)
  }

  @Test("bit 6 is set if the supply is below 2.25 V, from the next measurement on")
  func endOfBattery() throws {
    for (supply, expected) in [(2.24, UInt8(0x42)), (2.26, 0x02)] {
      var options = SHT21Options()
      options.supply = supply
      let bench = try SHT21Bench(options: options)
      #expect(try bench.settings() == 0x02)
      _ = try bench.measure(0xF5)
      #expect(try bench.settings() == expected)
    }
  }

  @Test("the heater warms the part, and the sensed humidity falls")
  func heater() throws {
    let bench = try SHT21Bench(celsius: 20, humidity: 60)
    try bench.write(0xE6, 0x06)
    bench.wait(milliseconds: 60_000)
    #expect(abs(try bench.celsius() - 21) < 0.01)
    // The vapour pressure of 60 % at 20 C corresponds to 56.4 % at 21 C (Magnus: 23.37 and 24.86 hPa at saturation).
    #expect(abs(try bench.percent() - 56.4) < 0.1)
    try bench.write(0xE6, 0x02)
    bench.wait(milliseconds: 60_000)
    #expect(abs(try bench.celsius() - 20) < 0.01)
  }

  @Test("the heater's temperature rise and time constant are configurable")
  func heaterSettings() throws {
    let bench = try SHT21Bench(celsius: 20) {
      $0.heaterRise = 1.5
      $0.heaterTimeConstant = 2_000_000_000
    }
    try bench.write(0xE6, 0x06)
    bench.wait(milliseconds: 2_000 - 66)
    // One time constant: 1 - 1/e of the rise.
    #expect(abs(try bench.celsius() - (20 + 1.5 * 0.632_12)) < 0.012)
    let usual = try SHT21Bench(celsius: 20)
    try usual.write(0xE6, 0x06)
    usual.wait(milliseconds: 10_000 - 66)
    #expect(abs(try usual.celsius() - 20.632) < 0.012)
  }

  @Test(
    "a soft reset restores all settings except the heater, and the address is not acknowledged for 15 ms"
  )
  func softReset() throws {
    let bench = try SHT21Bench()
    try bench.write(0xE6, 0x85)
    try bench.write(0xFE)
    bench.wait(milliseconds: 14.9)
    #expect(throws: addressNack) { try bench.write(0xE7) }
    bench.wait(milliseconds: 0.1)
    #expect(try bench.settings() == 0x06)
  }

  @Test("a soft reset discards an unread result")
  func resetForgets() throws {
    let bench = try SHT21Bench()
    try bench.write(0xF5)
    bench.wait(milliseconds: 22)
    try bench.write(0xFE)
    bench.wait(milliseconds: 15)
    #expect(throws: addressNack) { try bench.read(3) }
  }

  @Test("with OTP reload enabled, a measurement uses the default settings")
  func reload() throws {
    let bench = try SHT21Bench()
    try bench.write(0xE6, 0x85)
    #expect(try bench.settings() == 0x85)
    try bench.write(0xF5)
    // 12 bits, not the 11 that were written: 22 ms.
    let end = try #require(bench.sensor.nextChange)
    #expect(end == bench.clock.nanoseconds - 2_500 + 22_000_000)
    bench.wait(milliseconds: 22)
    #expect(try bench.settings() == 0x06)
    let disabled = try SHT21Bench()
    try disabled.write(0xE6, 0x83)
    try disabled.write(0xF5)
    #expect(disabled.sensor.nextChange == disabled.clock.nanoseconds - 2_500 + 12_000_000)
  }

  @Test("the chip does not respond for 15 ms after power-on")
  func start() throws {
    let bench = try SHT21Bench(isStarted: false)
    #expect(bench.sensor.nextChange == 15_000_000)
    bench.wait(milliseconds: 14.9)
    #expect(throws: addressNack) { try bench.register() }
    bench.wait(milliseconds: 0.1)
    #expect(try bench.settings() == 0x02)
  }

  @Test(
    "without supply the chip does not respond, and restarts with its default settings, heater off")
  func supply() throws {
    let bench = try SHT21Bench()
    try bench.write(0xE6, 0x87)
    try bench.write(0xF5)
    bench.wait(milliseconds: 22)
    bench.sensor.setSupply(false, at: bench.clock.nanoseconds)
    #expect(throws: addressNack) { try bench.register() }
    bench.wait(milliseconds: 60_000)
    bench.sensor.setSupply(true, at: bench.clock.nanoseconds)
    #expect(throws: addressNack) { try bench.register() }
    bench.wait(milliseconds: 15)
    #expect(throws: addressNack) { try bench.read(3) }
    #expect(try bench.settings() == 0x02)
    #expect(abs(try bench.celsius() - 21) < 0.01)
  }

  @Test("the serial number has two memory addresses, each byte or word with its checksum")
  func serial() throws {
    var options = SHT21Options()
    options.serialNumber = SHT21SerialNumber(rawValue: 0x0102_03DC_0506_683A)
    let bench = try SHT21Bench(options: options)
    let first = try bench.exchange([0xFA, 0x0F], 8)
    #expect([0, 2, 4, 6].map { first[$0] } == [0x03, 0xDC, 0x05, 0x06])
    #expect(first[3] == 0x79, "Sensirion's example")
    #expect(first[5] == SHT21Checksum(of: UInt8(0x05)).value)
    let second = try bench.exchange([0xFC, 0xC9], 6)
    #expect(second[0...2] == [0x68, 0x3A, 0x7C])
    #expect(second[3...5] == [0x01, 0x02, SHT21Checksum(of: UInt16(0x0102)).value])
  }

  @Test("parts of different seeds have different serial numbers")
  func serials() throws {
    let numbers = try (0..<50).map { try SHT21Bench(seed: $0).sensor.serialNumber }
    #expect(Set(numbers).count == 50)
  }

  @Test("the chip responds at 0x40")
  func address() throws {
    #expect(try SHT21Bench().sensor.address == 0x40)
  }
}
