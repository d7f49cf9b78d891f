import BME280
import BME280Model
import Environment
import I2C
import Testing
import VirtualI2C

/// Tests of sleep, forced and normal mode over time (DS 3.3).
struct ModeFactsTests {
  static let nothing = RawMeasurement()

  @Test("sleep mode does not measure")
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
    ] as [(PartTiming, UInt64)])
  func conversionTime(_ timing: PartTiming, _ expected: UInt64) throws {
    let probe = try Probe(options: SensorOptions(timing: timing))
    try probe.write(0xF2, 0x01)
    try probe.write(0xF4, 0x25)
    // The write takes effect with its last byte, one STOP bit before the end of the transfer.
    let start = probe.clock.nanoseconds - 2_500
    #expect(probe.sensor.nextChange == start + expected)
  }

  @Test("drawn conversion times are specific to the part and never exceed the maximum")
  func drawnTimes() throws {
    func times(seed: UInt64) throws -> Set<UInt64> {
      let probe = try Probe(options: SensorOptions(timing: .drawn), seed: seed)
      var times: Set<UInt64> = []
      for _ in 0..<10 {
        try probe.write(0xF4, 0x25)
        times.insert((probe.sensor.nextChange ?? 0) - (probe.clock.nanoseconds - 2_500))
        probe.wait(milliseconds: 10)
      }
      return times
    }
    var parts: [UInt64] = []
    for seed in 1...200 as ClosedRange<UInt64> {
      let times = try times(seed: seed)
      #expect(times.count == 1, "a part has one oscillator")
      parts += times
    }
    #expect(Set(parts).count > 100)
    #expect(parts.allSatisfy { (4_125_000...6_425_000).contains($0) })
    let mean = Double(parts.reduce(0, +)) / Double(parts.count)
    #expect(abs(mean - 5_500_000) < 100_000)
    // Even the slowest part, a quarter slower than nominal, does not exceed the maximum time.
    let slowest = try Probe(options: SensorOptions(timing: .maximum))
    try slowest.write(0xF4, 0x25)
    #expect(slowest.sensor.nextChange == slowest.clock.nanoseconds - 2_500 + 6_425_000)
    #expect(parts.contains { $0 < 5_400_000 } && parts.contains { $0 > 5_600_000 })
  }

  @Test("measuring is set with a delay after im_update and stays set until the end")
  func status() throws {
    let probe = try Probe(chip: .bmp280, frequency: 1_000_000)
    try probe.write(0xF4, 0x25)
    #expect(try probe.read(0xF3) == 0x01)
    probe.wait(milliseconds: 0.05)
    #expect(try probe.read(0xF3) == 0x01)
    probe.wait(milliseconds: 0.2)
    #expect(try probe.read(0xF3) == 0x0C)
    probe.wait(milliseconds: 4.8)
    #expect(try probe.read(0xF3) == 0x0C)
    probe.wait(milliseconds: 0.5)
    #expect(try probe.read(0xF3) == 0x04)
  }

  @Test(
    "a program that polls 'measuring' at once reads old data from 200 kHz, but not up to 110 kHz",
    arguments: [
      (50_000, false), (100_000, false), (110_000, false), (200_000, true), (400_000, true),
      (1_000_000, true),
    ] as [(UInt64, Bool)])
  func hastyPoll(_ frequency: UInt64, _ isTooEarly: Bool) throws {
    // The same with a tenth more or less: no common bus speed is near the threshold.
    for percent in [90, 100, 110] as [UInt64] {
      var options = SensorOptions()
      options.unknown.measuringDelay = options.unknown.measuringDelay * percent / 100
      let probe = try Probe(options: options, frequency: frequency)
      try probe.write(0xF4, 0x25)
      while try probe.read(0xF3) & 0x08 != 0 {}
      #expect((try probe.raw() == Self.nothing) == isTooEarly)
    }
  }

  @Test("when measuring reads 0 again, the new data are readable, also in one combined transfer")
  func statusWithinTransfer() throws {
    let air = ScriptedAir(
      pressure: Profile(
        [.init(time: 0, value: 90_000), .init(time: 15_000_000, value: 100_000)],
        interpolation: .held),
      temperature: Profile(constant: 20), humidity: Profile(constant: 50))
    let probe = try Probe(air: air, frequency: 100_000)
    try probe.force(.x1, .x1)
    let old = try probe.raw()
    try probe.write(0xF4, 0x25)
    probe.wait(milliseconds: 1)
    // Polls of the status until it is 0, then the data, joined by repeated STARTs.
    let polls = 30
    var segments: [I2CSegment] = []
    for _ in 0..<polls { segments += [.write(1, to: 0x76), .read(1, from: 0x76)] }
    segments += [.write(1, to: 0x76), .read(8, from: 0x76)]
    let pointers = [UInt8](repeating: 0xF3, count: polls) + [0xF7]
    var bytes = [UInt8](repeating: 0, count: polls + 8)
    var buffer = bytes.mutableSpan
    try probe.adapter.transfer(segments.span, writing: pointers.span, reading: &buffer)
    #expect(bytes[0] & 0x08 != 0 && bytes[polls - 1] & 0x08 == 0)
    #expect(RawMeasurement(registers: Array(bytes[polls...]).span) != old)
  }

  @Test("measuring stays 1 while a burst delays the update of the data registers")
  func statusWithinBurst() throws {
    let air = ScriptedAir(
      pressure: Profile(
        [.init(time: 0, value: 90_000), .init(time: 25_000_000, value: 100_000)],
        interpolation: .held),
      temperature: Profile(constant: 20), humidity: Profile(constant: 50))
    let probe = try Probe(air: air, frequency: 10_000)
    try probe.force(.x1, .x1)
    try probe.write(0xF4, 0x25)
    let segments: [I2CSegment] = [
      .write(1, to: 0x76), .read(8, from: 0x76), .write(1, to: 0x76), .read(1, from: 0x76),
    ]
    let pointers: [UInt8] = [0xF7, 0xF3]
    var bytes = [UInt8](repeating: 0, count: 9)
    var buffer = bytes.mutableSpan
    try probe.adapter.transfer(segments.span, writing: pointers.span, reading: &buffer)
    #expect(probe.sensor.nextChange == nil, "the measurement is over")
    #expect(bytes[8] & 0x08 != 0)
    #expect(try probe.read(0xF3) & 0x08 == 0)
  }

  @Test("all data change together at the end of the measurement")
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

  @Test("normal mode repeats a measurement after each standby time")
  func normal() throws {
    let air = ScriptedAir(
      pressure: Profile([.init(time: 0, value: 90_000), .init(time: 1_000_000_000, value: 110_000)]
      ),
      temperature: Profile(constant: 20), humidity: Profile(constant: 50))
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

  @Test("skipping normal-mode cycles in which no program reads does not change the result")
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

  @Test("a mode written during a measurement takes effect at its end; further writes are dropped")
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

  @Test("sleep written during a measurement of normal mode takes effect at its end")
  func pendingSleep() throws {
    let probe = try Probe()
    try probe.write(0xF4, 0x27)
    try probe.write(0xF4, 0x24)
    #expect(try probe.read(0xF4) == 0x27)
    probe.wait(milliseconds: 6)
    #expect(try probe.read(0xF4) == 0x24)
    #expect(try probe.raw() != Self.nothing)
  }

  @Test("forced mode written during a forced measurement starts a second one")
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

  @Test("config written in sleep mode or normal mode takes effect")
  func configInNormalMode() throws {
    let probe = try Probe()
    try probe.write(0xF5, 0x20)
    try probe.write(0xF4, 0x27)
    #expect(try probe.read(0xF5) == 0x20)
    try probe.write(0xF5, 0x40)
    #expect(try probe.read(0xF5) == 0x40)
  }

  @Test("a reset during a measurement aborts it")
  func resetWhileMeasuring() throws {
    let probe = try Probe()
    try probe.write(0xF4, 0x27)
    try probe.write(0xE0, 0xB6)
    probe.wait(milliseconds: 50)
    #expect(try probe.read(0xF4) == 0x00)
    #expect(try probe.raw() == Self.nothing)
  }
}
