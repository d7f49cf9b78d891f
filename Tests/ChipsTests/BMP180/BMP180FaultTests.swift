import Chips
import I2C
import Quantities
import Testing
import VirtualI2C

/// Tests of faults in a BMP180.
struct BMP180FaultTests {
  func bench(_ condition: TargetCondition, count: Int = .max) throws -> BMP180Bench {
    let bench = try BMP180Bench()
    bench.sensor.impair(condition, of: 0, count: count, at: bench.clock.nanoseconds)
    return bench
  }

  @Test("frozen, shifted, drifting and slow conversions have their effect, and effects are counted")
  func results() throws {
    let frozen = try bench(.frozen)
    #expect(try frozen.convert(0x2E) == [0x80, 0, 0])
    #expect(frozen.sensor.effects(of: 0) == 1)
    let offset = try bench(.offset(PartDeviation(temperature: 2, pressure: -1000))).values(3)
    #expect(abs(offset.celsius - 23) < 0.01)
    #expect(abs(offset.pascals - 100_325) < 1.5)
    let drift = try bench(.drift(PartDeviation(temperature: 1, pressure: 10)))
    drift.clock.wait(nanoseconds: 2 * 3_600_000_000_000)
    #expect(abs(try drift.values(3).celsius - 23) < 0.01)
    let slow = try bench(.slow)
    try slow.write(0xF4, 0x2E)
    #expect(slow.sensor.nextChange == slow.clock.nanoseconds - 2_500 + 4_500_000)
  }

  @Test("a wrongly copied calibration byte remains wrong until the next reset")
  func wrongMemory() throws {
    let bench = try bench(.wrongMemory(byte: 1, mask: 0x01), count: 1)
    #expect(try bench.read(0xAB) == [0x98])
    for expected in [0x99, 0x98] as [UInt8] {
      try bench.write(0xE0, 0xB6)
      bench.wait(milliseconds: 10)
      #expect(try bench.read(0xAB) == [expected])
    }
    #expect(bench.sensor.effects(of: 0) == 1)
  }

  @Test("another part has its own calibration, with which it measures the same air")
  func otherMemory() throws {
    var bytes = (0..<BMP180Calibration.byteCount).map { BMP180Calibration.example.byte($0) }
    bytes[1] ^= 0x40
    bytes[13] ^= 0x20
    let bench = try bench(.otherMemory(bytes), count: 1)
    bench.wait(milliseconds: 10)
    #expect(try bench.read(0xAB) == [bytes[1]])
    #expect(bench.sensor.effects(of: 0) == 1)
    let values = try bench.values(3)
    #expect(abs(values.celsius - 21) < 0.1 && abs(values.pascals - 101_325) < 3)
  }
}
