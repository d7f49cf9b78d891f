import BME280
import BME280Model
import Environment
import I2C
import Testing
import VirtualI2C

/// Tests each switch for undocumented behavior in all settings.
struct UnknownBehaviourTests {
  func probe(
    asleep: Bool = true, _ air: Air = .standard,
    _ change: (inout UndocumentedBehavior) -> Void
  ) throws -> Probe {
    var options = SensorOptions()
    change(&options.unknown)
    return try Probe(air, asleep: asleep, options: options)
  }

  @Test("calibration during the copy: zeros, ones, or NACK")
  func calibrationDuringCopy() throws {
    #expect(try probe(asleep: false) { $0.unreadable = .zeros }.read(0x88) == 0x00)
    #expect(try probe(asleep: false) { $0.unreadable = .ones }.read(0x88) == 0xFF)
    let silent = try probe(asleep: false) { $0.unreadable = .nack }
    #expect(throws: I2CError.self) { try silent.read(0x88) }
    silent.wait(milliseconds: 2)
    #expect(try silent.read(0x88) == 0x10)
  }

  @Test("the durations of the NVM copy are configurable")
  func copyTimes() throws {
    let probe = try probe(asleep: false) {
      $0.powerOnCopyTime = 5_000_000
      $0.resetCopyTime = 7_000_000
    }
    probe.wait(milliseconds: 4.5)
    #expect(try probe.read(0xF3) == 0x01)
    probe.wait(milliseconds: 0.5)
    #expect(try probe.read(0xF3) == 0x00)
    try probe.write(0xE0, 0xB6)
    probe.wait(milliseconds: 6.5)
    #expect(try probe.read(0xF3) == 0x01)
    probe.wait(milliseconds: 0.5)
    #expect(try probe.read(0xF3) == 0x00)
  }

  @Test("the delay of measuring is configurable, including 0")
  func measuringDelay() throws {
    let prompt = try probe { $0.measuringDelay = 0 }
    try prompt.write(0xF4, 0x25)
    #expect(try prompt.read(0xF3) == 0x0C)
    let late = try probe { $0.measuringDelay = 3_000_000 }
    try late.write(0xF4, 0x25)
    late.wait(milliseconds: 2)
    #expect(try late.read(0xF3) == 0x01)
    let usual = try probe { _ in }
    try usual.write(0xF4, 0x25)
    // Each read takes 100 us: the first samples the status after 172.5 us, the next after 270 us.
    usual.wait(milliseconds: 0.0975)
    #expect(try usual.read(0xF3) == 0x01)
    #expect(try usual.read(0xF3) == 0x0C)
  }

  @Test("oversampling written during a conversion is pending, or reads back immediately")
  func oversamplingWrite() throws {
    let waiting = try probe { $0.oversamplingWrite = .wait }
    try waiting.write(0xF4, 0x27)
    try waiting.write(0xF4, 0x4F)
    #expect(try waiting.read(0xF4) == 0x27)
    let next = try probe { $0.oversamplingWrite = .next }
    try next.write(0xF4, 0x27)
    try next.write(0xF4, 0x4C)
    #expect(try next.read(0xF4) == 0x4F)
    next.wait(milliseconds: 20)
    #expect(try next.read(0xF4) == 0x4C)
  }

  @Test(
    "a running conversion keeps its settings",
    arguments: UndocumentedBehavior.OversamplingWrite.allCases)
  func latchedSettings(_ write: UndocumentedBehavior.OversamplingWrite) throws {
    func reading(_ disturb: (Probe) throws -> Void) throws -> RawMeasurement {
      let probe = try probe(Air(pressure: 98_765, temperature: 17.3, humidity: 50)) {
        $0.oversamplingWrite = write
      }
      try probe.write(0xF2, 0x01)
      try probe.write(0xF4, 0x25)
      try disturb(probe)
      probe.wait(milliseconds: 9)
      return try probe.raw()
    }
    let plain = try reading { _ in }
    #expect(plain != RawMeasurement() && plain.pressure & 0xF == 0)
    // Higher oversampling, both channels off, humidity off, and the filter on (which would give 20 bits).
    #expect(try reading { try $0.write(0xF4, 0xB4) } == plain)
    #expect(try reading { try $0.write(0xF4, 0x00) } == plain)
    #expect(try reading { try $0.write(0xF2, 0x00) } == plain)
    #expect(try reading { try $0.write(0xF5, 0x10) } == plain)
  }

  @Test(
    "a write during start-up takes effect, is lost, or makes a part hang that was in normal mode")
  func writesDuringStart() throws {
    func started(
      _ answer: UndocumentedBehavior.StartWrite, fromNormal: Bool
    ) throws -> (control: UInt8, configuration: UInt8, measured: Bool, probe: Probe) {
      let probe = try probe { $0.writesDuringStart = answer }
      if fromNormal { try probe.write(0xF4, 0x27) }
      try probe.write(0xE0, 0xB6)
      try probe.write(0xF4, 0x57)
      try probe.write(0xF5, 0x90)
      #expect(try probe.read(0xF3) & 0x01 == 0x01, "it still starts")
      probe.wait(milliseconds: 40)
      let measured = try probe.raw() != RawMeasurement()
      return (try probe.read(0xF4), try probe.read(0xF5), measured, probe)
    }
    for fromNormal in [true, false] {
      let taken = try started(.taken, fromNormal: fromNormal)
      #expect((taken.control, taken.configuration, taken.measured) == (0x57, 0x90, true))
      let lost = try started(.lost, fromNormal: fromNormal)
      #expect((lost.control, lost.configuration, lost.measured) == (0x00, 0x00, false))
    }
    #expect(try started(.hang, fromNormal: false).measured)
    let hung = try started(.hang, fromNormal: true)
    #expect((hung.control, hung.configuration, hung.measured) == (0x57, 0x90, false))
    try hung.probe.write(0xE0, 0xB6)
    hung.probe.wait(milliseconds: 2)
    try hung.probe.force(.x1, .x1)
    #expect(try hung.probe.raw() != RawMeasurement(), "a reset ends it")
  }

  @Test("ctrl_hum written during start-up takes effect with the following ctrl_meas")
  func humidityDuringStart() throws {
    let probe = try Probe(asleep: false)
    try probe.write(0xF2, 0x01)
    try probe.write(0xF4, 0x25)
    probe.wait(milliseconds: 12)
    #expect(try probe.raw().humidity != 0x8000)
  }

  @Test("the id during start-up: correct, zeros, or ones", arguments: Chip.allCases)
  func identityDuringStart(_ chip: Chip) throws {
    for (answer, value) in [
      (UndocumentedBehavior.StartIdentity.right, chip.identifier), (.zeros, 0x00), (.ones, 0xFF),
    ] as [(UndocumentedBehavior.StartIdentity, UInt8)] {
      var options = SensorOptions()
      options.unknown.identityDuringStart = answer
      let probe = try Probe(chip: chip, asleep: false, options: options)
      #expect(try probe.read(0xD0) == value)
      probe.wait(milliseconds: 2)
      #expect(try probe.read(0xD0) == chip.identifier)
    }
  }

  @Test("calibration while it is copied before a conversion: correct, or as during start-up")
  func calibrationBeforeConversion() throws {
    for (answer, value) in [
      (UndocumentedBehavior.CalibrationCopy.clean, 0x10), (.unreadable, 0x00),
    ]
      as [(UndocumentedBehavior.CalibrationCopy, UInt8)]
    {
      let probe = try probe { $0.calibrationBeforeConversion = answer }
      try probe.write(0xF4, 0x25)
      #expect(try probe.read(0x88) == value)
      probe.wait(milliseconds: 1)
      #expect(try probe.read(0x88) == 0x10)
    }
  }

  @Test(
    "normal mode written during its own measurement: the next measurement or the standby time follows"
  )
  func pendingMode() throws {
    for (answer, pause) in [(UndocumentedBehavior.PendingMode.restart, 0), (.standby, 62_500_000)]
      as [(UndocumentedBehavior.PendingMode, UInt64)]
    {
      let probe = try probe { $0.pendingMode = answer }
      try probe.write(0xF5, 0x20)
      try probe.write(0xF4, 0x27)
      let end = try #require(probe.sensor.nextChange)
      try probe.write(0xF4, 0x27)
      probe.clock.wait(nanoseconds: end - probe.clock.nanoseconds)
      _ = probe.sensor.charge(at: end)
      #expect(probe.sensor.nextChange == end + (pause > 0 ? pause : 5_500_000))
    }
  }

  @Test("the register pointer survives a reset or returns to 0")
  func pointerAfterReset() throws {
    for (answer, value) in [(UndocumentedBehavior.ResetPointer.kept, 0x00), (.zero, 0x8C)]
      as [(UndocumentedBehavior.ResetPointer, UInt8)]
    {
      // 0xE0 reads 0x00, as does 0x00; to distinguish them, the read continues to 0x80, which follows 0x00.
      let probe = try probe { $0.pointerAfterReset = answer }
      try probe.write(0xE0, 0xB6)
      var bytes = [UInt8](repeating: 0, count: 0x81)
      var buffer = bytes.mutableSpan
      try probe.adapter.read(into: &buffer, from: 0x76)
      #expect(bytes[0x80] == value)
    }
  }

  @Test("after a register write the pointer stays or is incremented")
  func pointerAfterPair() throws {
    for (answer, value) in [(UndocumentedBehavior.PairPointer.stays, 0x24), (.next, 0x90)]
      as [(UndocumentedBehavior.PairPointer, UInt8)]
    {
      let probe = try probe { $0.pointerAfterPair = answer }
      try probe.write(0xF5, 0x90)
      try probe.write(0xF4, 0x24)
      var byte: [UInt8] = [0]
      var buffer = byte.mutableSpan
      try probe.adapter.read(into: &buffer, from: 0x76)
      #expect(byte == [value])
    }
  }

  @Test("config in normal mode is ignored or takes effect")
  func configInNormalMode() throws {
    for (acceptance, value) in [
      (UndocumentedBehavior.Acceptance.ignored, 0x00), (.taken, 0x40),
    ] as [(UndocumentedBehavior.Acceptance, UInt8)] {
      let probe = try probe { $0.configInNormalMode = acceptance }
      try probe.write(0xF4, 0x27)
      try probe.write(0xF5, 0x40)
      #expect(try probe.read(0xF5) == value)
    }
    #expect(UndocumentedBehavior().configInNormalMode == .taken)
  }

  @Test("config during a forced measurement takes effect or is ignored")
  func configWhileMeasuring() throws {
    for (acceptance, value) in [
      (UndocumentedBehavior.Acceptance.ignored, 0x00), (.taken, 0x40),
    ] as [(UndocumentedBehavior.Acceptance, UInt8)] {
      let probe = try probe { $0.configWhileMeasuring = acceptance }
      try probe.write(0xF4, 0x25)
      try probe.write(0xF5, 0x40)
      #expect(try probe.read(0xF5) == value)
    }
  }

  @Test("the filter starts from the first value, or from the reset value")
  func filterStart() throws {
    func first(_ start: UndocumentedBehavior.FilterStart) throws -> Int32 {
      let probe = try probe { $0.filterStart = start }
      try probe.write(0xF5, 0x10)
      try probe.force(.x16, .x16)
      return try probe.raw().pressure
    }
    let plain = try first(.first)
    let expected = (0x80000 * 15 + Int(plain)) / 16
    #expect(abs(Int(try first(.reset)) - expected) <= 1)
  }

  @Test("the filter truncates or rounds: a remaining step of one code is reached or not")
  func filterRounding() throws {
    func settled(_ rounding: UndocumentedBehavior.Rounding) throws -> Int32 {
      let air = ScriptedAir(
        pressure: Profile(
          [.init(time: 0, value: 100_000), .init(time: 100_000_000, value: 99_000)],
          interpolation: .held),
        temperature: Profile(constant: 20), humidity: Profile(constant: 50))
      var options = SensorOptions()
      options.unknown.filterRounding = rounding
      let probe = try Probe(air: air, options: options)
      try probe.write(0xF5, 0x10)
      try probe.force(.x16, .x16, humidity: .skipped)
      for _ in 0..<400 { try probe.force(.x16, .x16, humidity: .skipped) }
      return try probe.raw().pressure
    }
    #expect(try settled(.truncate) == settled(.nearest) - 1)
  }

  @Test("a read after 0xFF wraps or stays")
  func pastEnd() throws {
    #expect(try probe { $0.pastEnd = .wrap }.read(0xFF, count: 3) == [0x80, 0x00, 0x00])
    #expect(try probe { $0.pastEnd = .stay }.read(0xFF, count: 3) == [0x80, 0x80, 0x80])
  }

  @Test("data for a read-only register are acknowledged or not")
  func readOnlyWrite() throws {
    try probe { $0.readOnlyWrite = .ack }.write(0xD0, 0x11)
    let strict = try probe { $0.readOnlyWrite = .nack }
    #expect(throws: I2CError(.dataNack, message: 0, byte: 1, errno: .eio)) {
      try strict.write(0xD0, 0x11)
    }
    try strict.write(0xF5, 0x10)
  }

  @Test("status bit 2 is never set, or from the first conversion: 0x0C during it, 0x04 in sleep")
  func hiddenBit() throws {
    for chip in Chip.allCases {
      let usual = try Probe(chip: chip)
      #expect(try usual.read(0xF3) == 0x00)
      try usual.write(0xF4, 0x27)
      #expect(try usual.read(0xF3) == 0x01)
      usual.wait(milliseconds: 2)
      #expect(try usual.read(0xF3) == 0x0C)
      try usual.write(0xF4, 0x24)
      usual.wait(milliseconds: 20)
      #expect(try usual.read(0xF3) == 0x04)
      try usual.write(0xE0, 0xB6)
      usual.wait(milliseconds: 2)
      #expect(try usual.read(0xF3) == 0x00)
    }
    let hidden = try probe { $0.hiddenBit = .never }
    try hidden.force(.x1, .x1)
    #expect(try hidden.read(0xF3) == 0x00)
    try hidden.write(0xF4, 0x27)
    hidden.wait(milliseconds: 2)
    #expect(try hidden.read(0xF3) == 0x08)
  }

  @Test("a repeated start ends a burst or does not")
  func burstEnd() throws {
    func torn(_ end: UndocumentedBehavior.BurstEnd) throws -> Bool {
      let air = ScriptedAir(
        pressure: Profile(
          [.init(time: 0, value: 90_000), .init(time: 20_000_000, value: 100_000)],
          interpolation: .held),
        temperature: Profile(constant: 20), humidity: Profile(constant: 50))
      var options = SensorOptions()
      options.unknown.burstEnd = end
      let probe = try Probe(air: air, options: options, frequency: 10_000)
      try probe.write(0xF4, 0x27)
      // Two reads of the same registers, joined by a repeated START; a measurement ends in between.
      let segments: [I2CSegment] = [
        .write(1, to: 0x76), .read(3, from: 0x76), .write(1, to: 0x76), .read(3, from: 0x76),
        .write(1, to: 0x76), .read(3, from: 0x76),
      ]
      let pointers: [UInt8] = [0xF7, 0xF7, 0xF7]
      var bytes = [UInt8](repeating: 0, count: 9)
      probe.clock.wait(nanoseconds: 12_000_000)
      var buffer = bytes.mutableSpan
      try probe.adapter.transfer(segments.span, writing: pointers.span, reading: &buffer)
      return bytes[0..<3] != bytes[6..<9]
    }
    #expect(try torn(.start))
    #expect(try !torn(.stop))
  }

  @Test("config bit 1 reads 0 or the value written")
  func configBit() throws {
    for (bit, value) in [(UndocumentedBehavior.ConfigBit.zero, 0x10), (.kept, 0x12)]
      as [(UndocumentedBehavior.ConfigBit, UInt8)]
    {
      let probe = try probe { $0.configBit = bit }
      try probe.write(0xF5, 0x12)
      #expect(try probe.read(0xF5) == value)
    }
  }
}
