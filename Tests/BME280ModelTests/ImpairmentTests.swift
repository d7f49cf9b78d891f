import BME280
import BME280Model
import Environment
import Quantities
import TestSupport
import Testing
import VirtualI2C

/// Tests of internal fault conditions and their effect counts.
struct ImpairmentTests {
  static func impair(_ condition: TargetCondition, _ probe: Probe, count: Int = .max) {
    probe.sensor.impair(condition, of: 0, count: count, at: probe.clock.nanoseconds)
  }

  @Test("after a supply dip, the part restarts and copies only the first bytes of the calibration")
  func partialMemory() throws {
    let probe = try Probe()
    let whole = try probe.read(0x88, count: 26)
    try probe.write(0xF2, 1)
    Self.impair(.partialMemory(kept: 5), probe, count: 1)
    probe.wait(milliseconds: 2)
    #expect(try probe.read(0xF2) == 0, "the part has restarted")
    #expect(try probe.read(0x88, count: 26) == whole.prefix(5) + [UInt8](repeating: 0, count: 21))
    #expect(try probe.read(0xE1, count: 7) == [UInt8](repeating: 0, count: 7))
    #expect(probe.sensor.effects(of: 0) == 1)
    try probe.write(0xE0, 0xB6)
    probe.wait(milliseconds: 2)
    #expect(try probe.read(0x88, count: 26) == whole, "a reset copies everything")
  }

  @Test(
    "one byte of the calibration is wrong after the next reset, and correct after the following one"
  )
  func wrongMemory() throws {
    let probe = try Probe()
    let right = try probe.read(0xE1, count: 7)
    Self.impair(.wrongMemory(byte: 27, mask: 0x81), probe, count: 1)
    #expect(try probe.read(0xE1, count: 7) == right, "nothing happens before a reset")
    #expect(probe.sensor.effects(of: 0) == 0)
    try probe.write(0xE0, 0xB6)
    probe.wait(milliseconds: 2)
    var wrong = right
    wrong[1] ^= 0x81
    #expect(try probe.read(0xE1, count: 7) == wrong)
    try probe.write(0xE0, 0xB6)
    probe.wait(milliseconds: 2)
    #expect(try probe.read(0xE1, count: 7) == right)
    #expect(probe.sensor.effects(of: 0) == 1)
  }

  @Test(
    "another part takes the place of the first: its registers are those after power-on, and it measures with its own calibration"
  )
  func otherMemory() throws {
    let probe = try Probe()
    let other = Self.otherBytes
    try probe.force(.x1, .x1, humidity: .x1)
    Self.impair(.otherMemory(other), probe, count: 1)
    probe.wait(milliseconds: 2)
    #expect(try probe.read(0xF2) == 0)
    #expect(try probe.read(0x88, count: 26) + probe.read(0xE1, count: 7) == other)
    #expect(probe.sensor.effects(of: 0) == 1)
    try probe.force(.x1, .x1, humidity: .x1)
    let own = Calibration(bytes: other.span)
    let words = try #require(own)
    let value = words.compensateSI(try probe.raw(), variant: .datasheetDouble)
    #expect(abs(value.pressure - 101_325) < 20 && abs(value.temperature - 21) < 0.05)
    try probe.write(0xE0, 0xB6)
    probe.wait(milliseconds: 2)
    #expect(try probe.read(0xE1, count: 7) == other.suffix(7), "a reset copies the same memory")
  }

  @Test("another part that is plugged in without supply starts when the supply returns")
  func otherMemoryWithoutSupply() throws {
    let probe = try Probe()
    probe.sensor.setSupply(false, at: probe.clock.nanoseconds)
    Self.impair(.otherMemory(Self.otherBytes), probe, count: 1)
    probe.wait(milliseconds: 10)
    #expect(probe.sensor.nextChange == nil, "it does not start")
    probe.sensor.setSupply(true, at: probe.clock.nanoseconds)
    probe.wait(milliseconds: 2)
    #expect(try probe.read(0xE1, count: 7) == Self.otherBytes.suffix(7))
  }

  @Test("a memory of another size has no effect")
  func otherSize() throws {
    let probe = try Probe()
    let own = try probe.read(0x88, count: 26)
    Self.impair(.otherMemory(Self.otherBytes.dropLast(9)), probe, count: 1)
    probe.wait(milliseconds: 2)
    #expect(try probe.read(0x88, count: 26) == own)
    #expect(probe.sensor.effects(of: 0) == 0)
  }

  /// The calibration of a real part (fixtures/calibrations/bme280pi.yaml).
  private static let otherBytes: [UInt8] = [
    0x60, 0x6E, 0xCB, 0x68, 0x32, 0x00, 0x1D, 0x91, 0x3B, 0xD7, 0xD0, 0x0B, 0xE8, 0x26, 0x2A, 0xFF,
    0xF9, 0xFF, 0xAC, 0x26, 0x0A, 0xD8, 0xBD, 0x10, 0x00, 0x4B, 0x81, 0x01, 0x00, 0x10, 0x2C, 0x03,
    0x1E,
  ]

  @Test("frozen data are constant for the configured number of conversions")
  func frozen() throws {
    let falling = Profile(
      [Profile.Point(time: 0, value: 101_325), Profile.Point(time: 10_000_000_000, value: 90_000)],
      interpolation: .linear)
    let air = ScriptedAir(
      pressure: falling, temperature: Profile(constant: 21), humidity: Profile(constant: 50))
    let probe = try Probe(air: air)
    try probe.force(.x1, .x1)
    let first = try probe.raw()
    Self.impair(.frozen, probe, count: 2)
    for _ in 0..<2 {
      probe.wait(milliseconds: 1000)
      try probe.force(.x1, .x1)
      #expect(try probe.raw() == first)
    }
    #expect(probe.sensor.effects(of: 0) == 2)
    try probe.force(.x1, .x1)
    #expect(try probe.raw() != first)
  }

  @Test("a slow conversion takes the datasheet's maximum time")
  func slow() throws {
    let probe = try Probe()
    Self.impair(.slow, probe, count: 1)
    try probe.write(0xF4, 0x25)
    let start = probe.clock.nanoseconds
    let maximum = MeasurementTime.maximum(temperature: .x1, pressure: .x1, humidity: .skipped)
    let end = try #require(probe.sensor.nextChange)
    #expect(end - start <= maximum && end - start > maximum - 50_000)
    #expect(probe.sensor.effects(of: 0) == 1)
  }

  @Test("an offset applies immediately, and a drift grows with each hour")
  func offsets() throws {
    let probe = try Probe()
    Self.impair(.offset(PartDeviation(temperature: -1, pressure: 500, humidity: 5)), probe)
    try probe.force(.x1, .x1, humidity: .x1)
    let shifted = probe.sensor.calibration.compensateSI(
      try probe.raw(), variant: .datasheetDouble)
    #expect(abs(shifted.pressure - 101_825) < 20 && abs(shifted.temperature - 20) < 0.05)
    let drifting = try Probe()
    Self.impair(.drift(PartDeviation(pressure: 100)), drifting)
    drifting.wait(milliseconds: 2 * 3_600_000)
    try drifting.force(.x1, .x1)
    let later = drifting.sensor.calibration.compensateSI(
      try drifting.raw(), variant: .datasheetDouble)
    #expect(abs(later.pressure - 101_525) < 20)
    #expect(drifting.sensor.effects(of: 0) == 1)
  }
}
