import Chips
import Environment
import I2C
import Quantities
import Testing
import VirtualI2C

/// Tests of bus and part faults with an SHT21.
struct SHT21FaultTests {
  func bench(_ condition: TargetCondition, count: Int = PlannedFault.unlimited) throws -> SHT21Bench
  {
    let start: UInt64 = 1_000_000_000
    return try SHT21Bench(
      faults: [PlannedFault(kind: .condition(condition), start: start, count: count)])
  }

  @Test("a frozen part returns its last result again, with the correct status and checksum")
  func frozen() throws {
    let ramp = Profile([
      Profile.Point(time: 0, value: 10), Profile.Point(time: 10_000_000_000, value: 60),
    ])
    let bench = try SHT21Bench(
      ScriptedAir(pressure: Profile(constant: 1e5), temperature: ramp, humidity: ramp),
      faults: [PlannedFault(kind: .condition(.frozen), start: 1_000_000_000, count: 1)])
    let before = try bench.measure(0xF5)
    bench.wait(milliseconds: 1_000)
    #expect(try bench.measure(0xF5) == before)
    #expect(bench.adapter.faults.faults[0].fired == 1)
    #expect(try bench.measure(0xF5) != before)
  }

  @Test("a part with the fault 'slow' takes the maximum conversion time of the datasheet")
  func slow() throws {
    let bench = try bench(.slow)
    bench.wait(milliseconds: 1_000)
    try bench.write(0xF3)
    #expect(bench.sensor.nextChange == bench.clock.nanoseconds - 2_500 + 85_000_000)
    bench.wait(milliseconds: 85)
    _ = try bench.read(3)
    #expect(bench.adapter.faults.faults[0].fired == 1)
  }

  @Test("an error takes effect at its start time, and a drift grows with each hour")
  func shift() throws {
    let offset = try bench(.offset(PartDeviation(temperature: 2, humidity: -10)))
    #expect(abs(try offset.celsius() - 21) < 0.01)
    offset.wait(milliseconds: 1_000)
    #expect(abs(try offset.celsius() - 23) < 0.01)
    #expect(abs(try offset.percent() - 40) < 0.02)
    let drift = try bench(.drift(PartDeviation(temperature: 1, humidity: 2)))
    drift.clock.wait(nanoseconds: 2 * 3600 * 1_000_000_000 + 1_000_000_000)
    #expect(abs(try drift.celsius() - 23) < 0.01)
    #expect(abs(try drift.percent() - 54) < 0.02)
  }

  @Test("a flipped bit is detected by the checksum")
  func flip() throws {
    let bench = try SHT21Bench(
      faults: [PlannedFault(kind: .bitFlip(byte: 0, mask: 0x10), start: 0)])
    try bench.write(0xF5)
    bench.wait(milliseconds: 22)
    let bytes = try bench.read(3)
    #expect(SHT21Checksum(of: UInt16(bytes[0]) << 8 | UInt16(bytes[1])).value != bytes[2])
  }
}
