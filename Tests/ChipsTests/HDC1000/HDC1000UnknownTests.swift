import Chips
import I2C
import Testing
import VirtualI2C

/// Tests each switch for undocumented behavior of the HDC1000 in all settings.
struct HDC1000UnknownTests {
  @Test("the durations of start-up and reset of an HDC1000 are configurable")
  func times() throws {
    let bench = try HDC1000Bench(isStarted: false) {
      $0.startTime = 5_000_000
      $0.resetTime = 2_000_000
    }
    #expect(bench.sensor.nextChange == 5_000_000)
    bench.wait(milliseconds: 5)
    try bench.configure(0x8000)
    #expect(bench.sensor.nextChange == bench.clock.nanoseconds - 2_500 + 2_000_000)
  }

  @Test("during start-up configuration and results are not acknowledged, or they are")
  func accessDuringStart() throws {
    let refusing = try HDC1000Bench(isStarted: false)
    #expect(throws: I2CError.self) { try refusing.words(0x02) }
    let answering = try HDC1000Bench(isStarted: false) { $0.accessDuringStart = .taken }
    try answering.configure(0x0400)
    #expect(try answering.words(0x02) == [0x0400])
    #expect(try answering.measure(0x00, 1).count == 1)
  }

  @Test("the pointer starts a measurement, or the STOP after it")
  func trigger() throws {
    for (trigger, early) in [
      (HDC1000UndocumentedBehavior.Trigger.pointer, UInt64(2_500)), (.stop, 0),
    ] {
      let bench = try HDC1000Bench { $0.trigger = trigger }
      try bench.write(0x00)
      #expect(bench.sensor.nextChange == bench.clock.nanoseconds - early + 12_850_000)
    }
  }

  @Test("a second read of a result is not acknowledged, or returns it again")
  func staleRead() throws {
    let refusing = try HDC1000Bench()
    #expect(throws: addressNack) { try refusing.read(2) }
    _ = try refusing.measure()
    #expect(throws: addressNack) { try refusing.read(4) }
    let again = try HDC1000Bench { $0.staleRead = .last }
    #expect(try again.read(4) == [0, 0, 0, 0])
    let words = try again.measure()
    let bytes = try again.read(2)
    #expect(bytes == [UInt8(words[0] >> 8), UInt8(words[0] & 0xFF)])
    try again.write(0x00)
    #expect(throws: addressNack) { try again.read(4) }
  }

  @Test("a write during a measurement takes effect, or is not acknowledged")
  func writeWhileMeasuring() throws {
    let following = try HDC1000Bench()
    try following.write(0x00)
    #expect(try following.words(0xFF) == [0x1000])
    try following.write(0x00)
    #expect(following.sensor.nextChange == following.clock.nanoseconds - 2_500 + 12_850_000)
    let refusing = try HDC1000Bench { $0.writeWhileMeasuring = .nack }
    try refusing.write(0x00)
    #expect(throws: addressNack) { try refusing.words(0xFF) }
  }

  @Test("in the mode that measures both, the humidity pointer measures it alone, or selects it")
  func humidityPointer() throws {
    let measuring = try HDC1000Bench(humidity: 25)
    try measuring.write(0x01)
    #expect(measuring.sensor.nextChange == measuring.clock.nanoseconds - 2_500 + 6_500_000)
    measuring.wait(milliseconds: 6.5)
    #expect(try measuring.read(2) == [0x40, 0x00])
    let selecting = try HDC1000Bench(humidity: 25) { $0.humidityPointer = .selects }
    try selecting.write(0x00)
    selecting.wait(milliseconds: 13)
    #expect(try selecting.words(0x01) == [0x4000])
  }

  @Test("bits below the resolution are measured, or read 0")
  func lowBits() throws {
    let fine = try HDC1000Bench(humidity: 47.11)
    try fine.configure(0x1600)
    #expect(abs(try fine.values().percent - 47.11) < 0.01)
    let coarse = try HDC1000Bench(humidity: 47.11) { $0.lowBits = .zeros }
    try coarse.configure(0x1600)
    let words = try coarse.measure()
    #expect(words[0].trailingZeroBitCount >= 5 && words[1].trailingZeroBitCount >= 8)
    #expect(words[1] == 0x7900)
  }

  @Test("data for a read-only register of an HDC1000 are acknowledged or not")
  func readOnlyWrite() throws {
    let taking = try HDC1000Bench()
    try taking.write(0xFE, 0x12, 0x34)
    #expect(try taking.words(0xFE) == [0x5449])
    try taking.write(0x02, 0x00, 0x00, 0x00)
    let refusing = try HDC1000Bench { $0.readOnlyWrite = .nack }
    #expect(throws: I2CError(.dataNack, byte: 1, errno: .eio)) { try refusing.write(0xFE, 0x12) }
    #expect(throws: I2CError(.dataNack, byte: 3, errno: .eio)) {
      try refusing.write(0x02, 0x00, 0x00, 0x00)
    }
  }

  @Test("a read after the last word returns ones or zeros")
  func pastEnd() throws {
    #expect(try HDC1000Bench().words(0xFF, 2) == [0x1000, 0xFFFF])
    #expect(try HDC1000Bench { $0.pastEnd = .zeros }.words(0xFF, 2) == [0x1000, 0x0000])
    let single = try HDC1000Bench()
    try single.configure(0x0000)
    #expect(try single.measure(0x00, 2)[1] == 0xFFFF)
  }

  @Test("a reserved register reads zeros or ones")
  func reserved() throws {
    #expect(try HDC1000Bench().words(0x03) == [0x0000])
    #expect(try HDC1000Bench { $0.reservedRegisters = .ones }.words(0xFA) == [0xFFFF])
  }

  @Test("the maximum time is a multiple of the typical time")
  func longestTime() throws {
    let usual = try HDC1000Bench(options: HDC1000Options(timing: .maximum))
    try usual.write(0x00)
    #expect(usual.sensor.nextChange == usual.clock.nanoseconds - 2_500 + 14_777_500)
    let slow = try HDC1000Bench(options: HDC1000Options(timing: .maximum)) {
      $0.longestTimeFactor = 2
    }
    try slow.write(0x00)
    #expect(slow.sensor.nextChange == slow.clock.nanoseconds - 2_500 + 25_700_000)
  }

  @Test("the heater's temperature rise and time constant in an HDC1000 are configurable")
  func heater() throws {
    let bench = try HDC1000Bench(celsius: 20) {
      $0.heaterRise = 10
      $0.heaterTimeConstant = 12_850_000
    }
    try bench.configure(0x3000)
    // One time constant: 1 - 1/e of the rise.
    #expect(abs(try bench.values().celsius - 26.321) < 0.01)
    let usual = try HDC1000Bench(celsius: 20)
    try usual.configure(0x3000)
    // 1.285 thousandths of the time constant, of 2.2 degrees, in a thousand continuous measurements.
    for _ in 0..<1_000 {
      try usual.write(0x00)
      usual.clock.wait(nanoseconds: 12_850_000)
    }
    let expected = 20 + 2.2 * (1 - 0.276_65)
    #expect(abs(try usual.values().celsius - expected) < 0.03)
  }
}
