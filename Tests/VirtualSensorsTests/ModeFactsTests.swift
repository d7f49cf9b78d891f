import BME280
import I2C
import Testing
import VirtualI2C
import VirtualSensors

/// Sleep, forced and normal mode over time (DS 3.3).
struct ModeFactsTests {
  static let nothing = RawMeasurement()

  @Test("in sleep nothing is measured")
  func sleep() throws {
    let probe = try Probe()
    try probe.write(0xF4, 0x24)
    probe.wait(milliseconds: 1000)
    #expect(try probe.raw() == Self.nothing)
    #expect(probe.sensor.nextChange == nil)
  }

  @Test("forced mode measures once and returns to sleep", arguments: [0x25, 0x26] as [UInt8])
  func forced(control: UInt8) throws {
    let probe = try Probe()
    try probe.write(0xF4, control)
    #expect(try probe.read(0xF4) == control)
    probe.wait(milliseconds: 10)
    #expect(try probe.read(0xF4) == 0x24)
    #expect(try probe.raw() != Self.nothing)
    #expect(probe.sensor.nextChange == nil)
  }

  @Test(
    "a conversion takes the datasheet's time, to the nanosecond",
    arguments: [
      (.typical, 8_000_000), (.maximum, 9_300_000),
    ] as [(SensorOptions.Timing, UInt64)])
  func conversionTime(_ timing: SensorOptions.Timing, _ expected: UInt64) throws {
    let probe = try Probe(options: SensorOptions(timing: timing))
    try probe.write(0xF2, 0x01)
    try probe.write(0xF4, 0x25)
    // The write takes effect with its last byte, one stop bit before the end of the transfer.
    let start = probe.clock.nanoseconds - 2_500
    #expect(probe.sensor.nextChange == start + expected)
  }

  @Test("drawn conversion times lie between typical and maximum and differ")
  func drawnTimes() throws {
    let probe = try Probe(options: SensorOptions(timing: .drawn))
    var times: Set<UInt64> = []
    for _ in 0..<50 {
      try probe.write(0xF4, 0x25)
      let start = probe.clock.nanoseconds - 2_500
      let time = (probe.sensor.nextChange ?? 0) - start
      #expect((5_500_000...6_425_000).contains(time))
      times.insert(time)
      probe.wait(milliseconds: 10)
    }
    #expect(times.count > 40)
  }

  @Test("status: measuring rises late, stays to the end, and im_update before it")
  func status() throws {
    let probe = try Probe(frequency: 1_000_000)
    try probe.write(0xF4, 0x25)
    #expect(try probe.read(0xF3) == 0x01)
    probe.wait(milliseconds: 0.4)
    #expect(try probe.read(0xF3) == 0x08)
    probe.wait(milliseconds: 4.9)
    #expect(try probe.read(0xF3) == 0x08)
    probe.wait(milliseconds: 0.5)
    #expect(try probe.read(0xF3) == 0x00)
  }

  @Test("data change at the end of the measurement, all at once")
  func dataAtTheEnd() throws {
    let probe = try Probe()
    try probe.write(0xF2, 0x01)
    try probe.write(0xF4, 0x25)
    probe.wait(milliseconds: 7.5)
    #expect(try probe.raw() == Self.nothing)
    probe.wait(milliseconds: 0.5)
    let raw = try probe.raw()
    #expect(raw.temperature != 0x80000)
    #expect(raw.pressure != 0x80000)
    #expect(raw.humidity != 0x8000)
  }

  @Test("normal mode measures again after the standby time, for ever")
  func normal() throws {
    let air = ScriptedAir(
      pressure: Track([.init(time: 0, value: 90_000), .init(time: 1_000_000_000, value: 110_000)]),
      temperature: Track(constant: 20), humidity: Track(constant: 50))
    let probe = try Probe(air: air)
    try probe.write(0xF5, 0x20)  // 62.5 ms
    try probe.write(0xF4, 0x27)
    let start = probe.clock.nanoseconds - 2_500
    let cycle: UInt64 = 5_500_000 + 62_500_000
    var last = Self.nothing
    for index in 0..<10 as Range<UInt64> {
      let end = start + index * cycle + 5_500_000
      probe.clock.wait(nanoseconds: end - probe.clock.nanoseconds)
      let raw = try probe.raw()
      #expect(raw.pressure != last.pressure, "cycle \(index)")
      last = raw
      #expect(try probe.read(0xF4) == 0x27)
      probe.wait(milliseconds: 20)
      #expect(try probe.raw() == last)
    }
  }

  @Test("cycles that nobody looks at are skipped to the same result")
  func skippedCycles() throws {
    func reading(lookingOften: Bool) throws -> RawMeasurement {
      let probe = try Probe(options: SensorOptions(noise: .datasheet))
      try probe.write(0xF4, 0x27)
      let end: UInt64 = 5_000_000_000
      while lookingOften, probe.clock.nanoseconds + 1_000_000 < end {
        _ = try probe.read(0xF3)
        probe.wait(milliseconds: 0.9)
      }
      probe.clock.wait(nanoseconds: end - probe.clock.nanoseconds)
      return try probe.raw()
    }
    #expect(try reading(lookingOften: true) == reading(lookingOften: false))
  }

  @Test("a mode written during a measurement waits for its end; further writes are dropped")
  func pendingMode() throws {
    let probe = try Probe()
    try probe.write(0xF4, 0x25)
    try probe.write(0xF4, 0x27)
    #expect(try probe.read(0xF4) == 0x25)
    try probe.write(0xF4, 0x00)
    try probe.write(0xF2, 0x05)
    #expect(try probe.read(0xF2) == 0x00)
    probe.wait(milliseconds: 5.5)
    #expect(try probe.read(0xF4) == 0x27)
  }

  @Test("sleep written during a measurement of normal mode comes at its end")
  func pendingSleep() throws {
    let probe = try Probe()
    try probe.write(0xF4, 0x27)
    try probe.write(0xF4, 0x24)
    #expect(try probe.read(0xF4) == 0x27)
    probe.wait(milliseconds: 6)
    #expect(try probe.read(0xF4) == 0x24)
    #expect(try probe.raw() != Self.nothing)
  }

  @Test("forced written during a forced measurement runs a second one")
  func forcedAgain() throws {
    let probe = try Probe()
    try probe.write(0xF4, 0x25)
    let first = try #require(probe.sensor.nextChange)
    try probe.write(0xF4, 0x25)
    #expect(probe.sensor.nextChange == first)
    probe.wait(milliseconds: 5.5)
    #expect(try probe.read(0xF4) == 0x25)
    #expect(probe.sensor.nextChange == first + 5_500_000)
    probe.wait(milliseconds: 5.5)
    #expect(try probe.read(0xF4) == 0x24)
    #expect(probe.sensor.nextChange == nil)
  }

  @Test("ctrl_hum takes effect only after a write to ctrl_meas")
  func humidityLatch() throws {
    let probe = try Probe()
    try probe.write(0xF4, 0x27)
    try probe.write(0xF2, 0x01)
    probe.wait(milliseconds: 50)
    #expect(try probe.read(0xF2) == 0x01)
    #expect(try probe.raw().humidity == 0x8000)
    probe.wait(milliseconds: 0.2)
    try probe.write(0xF4, 0x27)
    probe.wait(milliseconds: 50)
    #expect(try probe.raw().humidity != 0x8000)
  }

  @Test("config is ignored in normal mode and taken in sleep")
  func configInNormalMode() throws {
    let probe = try Probe()
    try probe.write(0xF5, 0x20)
    try probe.write(0xF4, 0x27)
    try probe.write(0xF5, 0x40)
    #expect(try probe.read(0xF5) == 0x20)
  }

  @Test("a reset during a measurement ends it")
  func resetWhileMeasuring() throws {
    let probe = try Probe()
    try probe.write(0xF4, 0x27)
    try probe.write(0xE0, 0xB6)
    probe.wait(milliseconds: 50)
    #expect(try probe.read(0xF4) == 0x00)
    #expect(try probe.raw() == Self.nothing)
  }
}
