import AllocationCounter
import BME280
import BME280Driver
import Glibc
import I2C
import VirtualI2C
import VirtualSensors

// usage: Benchmarks TWIN_BY_GCC TWIN_BY_CLANG
// Prints a line for each measurement: what, how long, and the ratio to the better twin.

let arguments = CommandLine.arguments
guard arguments.count == 3, let gcc = Twin("gcc", library: arguments[1]),
  let clang = Twin("clang", library: arguments[2])
else {
  print("usage: Benchmarks TWIN_BY_GCC TWIN_BY_CLANG")
  exit(64)
}

let calibration = Calibration(
  t1: 28_176, t2: 26_220, t3: 50, p1: 38_237, p2: -10_824, p3: 3024, p4: 7799, p5: -99, p6: -7,
  p7: 9900, p8: -10_230, p9: 4285, h1: 75, h2: 366, h3: 0, h4: 309, h5: 0, h6: 30)

func row(_ name: String, _ nanoseconds: Double, _ remark: String = "") {
  let digits = (nanoseconds * 10).rounded() / 10
  print(name + String(repeating: " ", count: max(1, 52 - name.count)) + "\(digits) ns   " + remark)
}

// Compensation.

let count = 10_000
var generator = SeededGenerator(seed: 1)
var raws: [Int32] = []
for _ in 0..<count {
  raws.append(Int32.random(in: 400_000...600_000, using: &generator))
  raws.append(Int32.random(in: 250_000...400_000, using: &generator))
  raws.append(Int32.random(in: 20_000...40_000, using: &generator))
}
var words = TwinWords(calibration)
var sums: [UInt64] = [0, 0, 0]

let compensation = Race.medians(
  operations: count * 20,
  [
    {
      var sum: UInt64 = 0
      for _ in 0..<20 {
        for index in 0..<count {
          let result = calibration.compensate(
            RawMeasurement(
              temperature: raws[3 * index], pressure: raws[3 * index + 1],
              humidity: raws[3 * index + 2]), variant: .datasheetInt64)
          sum &+= UInt64(UInt32(truncatingIfNeeded: Int64(result.temperature)))
          sum &+= UInt64(result.pressure) &+ UInt64(result.humidity)
        }
      }
      sums[0] = sum
    },
    { for _ in 0..<20 { sums[1] &+= gcc.int64(&words, raws, Int32(count)) } },
    { for _ in 0..<20 { sums[2] &+= clang.int64(&words, raws, Int32(count)) } },
  ])
// The twins ran sixteen times; one run must give the sum that Swift's last run gave.
precondition(sums[1] == sums[2] && sums[1] == sums[0] &* 16, "the twins compute something else")
let better = min(compensation[1], compensation[2])
func percent(_ ratio: Double) -> String { "\((ratio * 100).rounded() / 100)x" }
row(
  "T, P and H by datasheet-int64", compensation[0],
  "\(percent(compensation[0] / better)) the better twin")
row("  twin in C, gcc -O3", compensation[1])
row("  twin in C, clang -O3", compensation[2])

// A transfer, model step included.

func burst(_ noise: SensorOptions.Noise, fresh: Bool) -> Double {
  let clock = VirtualClock()
  let adapter = VirtualAdapter(clock: clock, frequency: 400_000)
  let air = ScriptedAir(constant: Air(pressure: 100_000, temperature: 20, humidity: 50))
  let sensor = VirtualBME280(
    chip: .bme280, nvm: calibration.bytes, address: 0x76, air: air,
    options: SensorOptions(noise: noise))
  guard (try? adapter.attach(sensor)) != nil else { return .nan }
  clock.wait(nanoseconds: 2_000_000)
  let bus: any I2CAdapter = adapter
  try? bus.writeRegister(0xF2, 1, at: 0x76)
  try? bus.writeRegister(0xF4, 0x27, at: 0x76)
  return Race.medians(
    operations: 20_000,
    [
      {
        var data = InlineArray<8, UInt8>(repeating: 0)
        for _ in 0..<20_000 {
          if fresh { clock.wait(nanoseconds: 10_000_000) }
          var bytes = data.mutableSpan
          try? bus.readRegisters(from: 0xF7, count: 8, into: &bytes, at: 0x76)
        }
      }
    ])[0]
}
row("8-byte burst, data as before", burst(.off, fresh: false))
row("8-byte burst, a new measurement each time", burst(.off, fresh: true))
row("8-byte burst, a new measurement with noise", burst(.datasheet, fresh: true))

// Heap allocations on the hot paths: none.

func measurements(_ count: Int) -> UInt {
  let clock = VirtualClock()
  let adapter = VirtualAdapter(clock: clock)
  let sensor = VirtualBME280(
    chip: .bme280, nvm: calibration.bytes, address: 0x76, air: ScriptedAir(constant: .standard),
    options: SensorOptions(noise: .datasheet, timing: .drawn))
  let driver = BME280Driver(adapter: adapter, clock: clock)
  guard (try? adapter.attach(sensor)) != nil, (try? driver.start()) != nil else { return .max }
  _ = try? driver.measure()
  let before = allocation_count()
  for _ in 0..<count { _ = try? driver.measure() }
  return allocation_count() - before
}
precondition(allocation_count() > 0, "allocations are not counted")
let allocations = measurements(1000)
print("heap allocations in 1,000 measurements through driver, adapter and sensor: \(allocations)")
precondition(allocations == 0, "a hot path allocates")

// Many sensors.

func residentBytes() -> Int {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage.ru_maxrss * 1024
}

let manyClock = VirtualClock()
let manyAir = ScriptedAir(constant: .standard)
let before = residentBytes()
var buses: [VirtualAdapter] = []
for _ in 0..<100_000 {
  let adapter = VirtualAdapter(clock: manyClock)
  let sensor = VirtualBME280(
    chip: .bme280, nvm: calibration.bytes, address: 0x76, air: manyAir)
  try? adapter.attach(sensor)
  buses.append(adapter)
}
let bytes = (residentBytes() - before) / 100_000
manyClock.wait(nanoseconds: 2_000_000)
let start = ContinuousClock.now
for bus in buses { try? bus.writeRegister(0xF4, 0x25, at: 0x76) }
manyClock.wait(nanoseconds: 10_000_000)
var data = InlineArray<8, UInt8>(repeating: 0)
for bus in buses {
  var bytes = data.mutableSpan
  try? bus.readRegisters(from: 0xF7, count: 8, into: &bytes, at: 0x76)
}
print(
  "100,000 sensors, each on a bus of its own: \(bytes) bytes each, one reading of each in "
    + "\(ContinuousClock.now - start)")
