import Harness
import I2C
import VirtualI2C
import VirtualSensors

/// A burst of eight bytes through `any I2CAdapter`, the sensor's own step included.
func measureTransfers() {
  Report.row("8-byte burst, data as before", burst(.off, fresh: false))
  Report.row("8-byte burst, a new measurement each time", burst(.off, fresh: true))
  Report.row("8-byte burst, a new measurement with noise", burst(.datasheet, fresh: true))
}

private func burst(_ noise: SensorOptions.Noise, fresh: Bool) -> Double {
  let clock = VirtualClock()
  let adapter = VirtualAdapter(clock: clock, frequency: 400_000)
  let air = ScriptedAir(constant: Air(pressure: 100_000, temperature: 20, humidity: 50))
  let sensor = VirtualBME280(
    chip: .bme280, nvm: Sample.calibration.bytes, address: 0x76, air: air,
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
