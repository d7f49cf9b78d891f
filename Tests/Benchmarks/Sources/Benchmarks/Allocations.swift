import AllocationCounter
import BME280
import BME280Model
import Environment
import Harness
import VirtualI2C

/// Heap allocations on the hot paths: none.
func countAllocations() {
  precondition(allocation_count() > 0, "allocations are not counted")
  let allocations = allocations(in: 1000)
  print("heap allocations in 1,000 measurements through driver, adapter and sensor: \(allocations)")
  precondition(allocations == 0, "a hot path allocates")
}

private func allocations(in measurements: Int) -> UInt {
  let clock = VirtualClock()
  let adapter = VirtualAdapter(clock: clock)
  let sensor = VirtualBME280(
    chip: .bme280, nvm: Sample.calibration.bytes, address: 0x76,
    air: ScriptedAir(constant: .standard),
    options: SensorOptions(noise: .datasheet, timing: .drawn))
  let driver = BME280Driver(adapter: adapter, clock: clock)
  guard (try? adapter.attach(sensor)) != nil, (try? driver.start()) != nil else { return .max }
  _ = try? driver.measure()
  let before = allocation_count()
  for _ in 0..<measurements { _ = try? driver.measure() }
  return allocation_count() - before
}
