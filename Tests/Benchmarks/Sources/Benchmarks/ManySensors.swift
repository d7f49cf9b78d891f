import BME280Model
import Environment
import Glibc
import Harness
import I2C
import VirtualI2C

/// A hundred thousand sensors alive at once: their memory, and one reading of each.
func measureManySensors() {
  let count = 100_000
  let clock = VirtualClock()
  let air = ScriptedAir(constant: .standard)
  let before = residentBytes()
  var buses: [VirtualAdapter] = []
  for _ in 0..<count {
    let adapter = VirtualAdapter(clock: clock)
    try? adapter.attach(
      VirtualBME280(chip: .bme280, nvm: Sample.calibration.bytes, address: 0x76, air: air))
    buses.append(adapter)
  }
  let bytes = (residentBytes() - before) / count
  clock.wait(nanoseconds: 2_000_000)
  let start = ContinuousClock.now
  for bus in buses { try? bus.writeRegister(0xF4, 0x25, at: 0x76) }
  clock.wait(nanoseconds: 10_000_000)
  var data = InlineArray<8, UInt8>(repeating: 0)
  for bus in buses {
    var bytes = data.mutableSpan
    try? bus.readRegisters(from: 0xF7, count: 8, into: &bytes, at: 0x76)
  }
  print(
    "100,000 sensors, each on a bus of its own: \(bytes) bytes each, one reading of each in "
      + "\(ContinuousClock.now - start)")
}

private func residentBytes() -> Int {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage.ru_maxrss * 1024
}
