import Chips
import I2C
import Testing
import VirtualI2C

/// Tests of registers, start-up, reset, heater and supply of the virtual HDC1000.
struct HDC1000RegisterTests {
  @Test("the ids are those of Texas Instruments and the HDC1000")
  func identities() throws {
    let bench = try HDC1000Bench()
    #expect(try bench.words(0xFE) == [0x5449])
    #expect(try bench.words(0xFF) == [0x1000])
  }

  @Test("the configuration reads 0x1000 after power-on")
  func resetValue() throws {
    #expect(try HDC1000Bench().words(0x02) == [0x1000])
  }

  @Test("heater, mode and resolutions are writable, the battery status and reserved bits are not")
  func writable() throws {
    let bench = try HDC1000Bench()
    for word in [0x0000, 0x3700, 0x2400, 0x1100] as [UInt16] {
      try bench.configure(word)
      #expect(try bench.words(0x02) == [word])
    }
    try bench.configure(0x48FF)
    #expect(try bench.words(0x02) == [0x0000])
  }

  @Test("a word takes effect with its second byte")
  func halfAWord() throws {
    let bench = try HDC1000Bench()
    try bench.write(0x02, 0x00)
    #expect(try bench.words(0x02) == [0x1000])
  }

  @Test("the pointer stays until it is written, and is 0x00 after power-on")
  func pointer() throws {
    let bench = try HDC1000Bench { $0.staleRead = .last }
    #expect(try bench.read(2) == [0x00, 0x00])
    try bench.write(0xFE)
    #expect(try bench.read(2) == [0x54, 0x49])
    #expect(try bench.read(2) == [0x54, 0x49])
  }

  @Test("bit 11 is set if the supply is below 2.8 V, from start-up on")
  func battery() throws {
    for (supply, expected) in [(2.79, UInt16(0x1800)), (2.81, 0x1000)] {
      var options = HDC1000Options()
      options.supply = supply
      let bench = try HDC1000Bench(options: options)
      #expect(try bench.words(0x02) == [expected])
      try bench.configure(0x0000)
      _ = try bench.measure(0x00, 1)
      #expect(try bench.words(0x02) == [expected & 0x0800])
    }
  }

  @Test("the reset bit restores the configuration and the results, and reads 0")
  func reset() throws {
    let bench = try HDC1000Bench()
    try bench.configure(0x2700)
    try bench.write(0x00)
    bench.wait(milliseconds: 20)
    try bench.configure(0xA700)
    bench.wait(milliseconds: 15)
    #expect(throws: addressNack) { try bench.read(2) }
    #expect(try bench.words(0x02) == [0x1000])
  }

  @Test("the heater warms the part only while it measures")
  func heater() throws {
    let bench = try HDC1000Bench(celsius: 20, humidity: 60)
    try bench.configure(0x3000)
    bench.wait(milliseconds: 60_000)
    #expect(abs(try bench.values().celsius - 20) < 0.01)
    // For a minute, half of the time measuring, half of it asleep.
    for _ in 0..<2_400 {
      try bench.write(0x00)
      bench.wait(milliseconds: 12.8)
      bench.wait(milliseconds: 12.2)
    }
    let warm = try bench.values()
    #expect((20.8...21.4).contains(warm.celsius), "\(warm.celsius)")
    // The vapour pressure of 60 % at 20 C corresponds to 56 % at 21.1 C.
    #expect((55...57.2).contains(warm.percent), "\(warm.percent)")
    try bench.configure(0x1000)
    bench.wait(milliseconds: 60_000)
    #expect(abs(try bench.values().celsius - 20) < 0.01)
  }

  @Test("start-up takes 15 ms; the id registers can be read before")
  func start() throws {
    let bench = try HDC1000Bench(isStarted: false)
    #expect(bench.sensor.nextChange == 15_000_000)
    #expect(try bench.words(0xFE) == [0x5449])
    #expect(try bench.words(0xFB) == [bench.sensor.serialNumber.word(0)])
    bench.wait(milliseconds: 14.5)
    try bench.write(0x00)
    #expect(bench.sensor.nextChange == 15_000_000, "no measurement begins")
    #expect(throws: I2CError(.addressNack, message: 1, errno: .enxio)) { try bench.words(0x02) }
    try bench.configure(0x0000)
    bench.wait(milliseconds: 0.5)
    #expect(try bench.words(0x02) == [0x1000])
  }

  @Test("without supply the chip does not respond, and restarts with its default settings")
  func supply() throws {
    let bench = try HDC1000Bench()
    try bench.configure(0x2700)
    try bench.write(0x00)
    bench.wait(milliseconds: 13)
    bench.sensor.setSupply(false, at: bench.clock.nanoseconds)
    #expect(throws: addressNack) { try bench.write(0xFE) }
    bench.sensor.setSupply(true, at: bench.clock.nanoseconds)
    #expect(bench.sensor.nextChange == bench.clock.nanoseconds + 15_000_000)
    bench.wait(milliseconds: 15)
    #expect(throws: addressNack) { try bench.read(2) }
    #expect(try bench.words(0x02) == [0x1000])
  }

  @Test("the serial number has 41 bits, left-aligned in three registers")
  func serial() throws {
    var options = HDC1000Options()
    options.serialNumber = HDC1000SerialNumber(rawValue: 0x123_4567_89AB)
    let bench = try HDC1000Bench(options: options)
    // 0x123456789AB in 41 bits: 1001000110100010 1011001111000100 110101011.
    #expect(try bench.words(0xFB) == [0b1001_0001_1010_0010])
    #expect(try bench.words(0xFC) == [0b1011_0011_1100_0100])
    #expect(try bench.words(0xFD) == [0b1101_0101_1000_0000])
  }

  @Test("HDC1000 of different seeds have different serial numbers")
  func serials() throws {
    let numbers = try (0..<50).map { try HDC1000Bench(seed: $0).sensor.serialNumber }
    #expect(Set(numbers).count == 50)
  }

  @Test("four parts share a bus, at the addresses selected by their pins")
  func addresses() throws {
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock)
    for value in HDC1000Figures.addresses {
      let address = try #require(I2CAddress(rawValue: value))
      let bench = try HDC1000Bench(seed: UInt64(value), address: address)
      try adapter.attach(bench.sensor)
    }
    #expect(HDC1000Figures.addresses == 0x40...0x43)
    for value in HDC1000Figures.addresses {
      let address = try #require(I2CAddress(rawValue: value))
      let driver = HDC1000Driver(adapter: adapter, clock: clock, address: address)
      try driver.start()
      #expect(abs(try driver.measure().celsius - 21) < 0.01)
    }
  }
}
