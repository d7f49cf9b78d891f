import Chips
import Environment
import I2C
import Quantities
import Testing
import VirtualI2C

/// Tests of faults in an HDC1000.
struct HDC1000FaultTests {
  func bench(_ condition: TargetCondition) throws -> HDC1000Bench {
    let fault = PlannedFault(
      kind: .condition(condition), start: 1_000_000_000, count: PlannedFault.unlimited)
    return try HDC1000Bench(faults: [fault])
  }

  @Test("a frozen HDC1000 returns its last result again")
  func frozen() throws {
    let ramp = Profile([
      Profile.Point(time: 0, value: 10), Profile.Point(time: 10_000_000_000, value: 60),
    ])
    let bench = try HDC1000Bench(
      ScriptedAir(pressure: Profile(constant: 1e5), temperature: ramp, humidity: ramp),
      faults: [PlannedFault(kind: .condition(.frozen), start: 1_000_000_000, count: 1)])
    let before = try bench.measure()
    bench.wait(milliseconds: 1_000)
    #expect(try bench.measure() == before)
    #expect(bench.adapter.faults.faults[0].fired == 1)
    #expect(try bench.measure() != before)
  }

  @Test("a slow HDC1000 takes the maximum time")
  func slow() throws {
    let bench = try bench(.slow)
    bench.wait(milliseconds: 1_000)
    try bench.write(0x00)
    #expect(bench.sensor.nextChange == bench.clock.nanoseconds - 2_500 + 14_777_500)
  }

  @Test("an HDC1000's error takes effect at its start time, and a drift grows with each hour")
  func shift() throws {
    let offset = try bench(.offset(PartDeviation(temperature: 2, humidity: -10)))
    #expect(abs(try offset.values().celsius - 21) < 0.01)
    offset.wait(milliseconds: 1_000)
    let moved = try offset.values()
    #expect(abs(moved.celsius - 23) < 0.01 && abs(moved.percent - 40) < 0.01)
    let drift = try bench(.drift(PartDeviation(temperature: 1, humidity: 2)))
    drift.clock.wait(nanoseconds: 2 * 3600 * 1_000_000_000 + 1_000_000_000)
    let drifted = try drift.values()
    #expect(abs(drifted.celsius - 23) < 0.01 && abs(drifted.percent - 54) < 0.01)
  }
}
