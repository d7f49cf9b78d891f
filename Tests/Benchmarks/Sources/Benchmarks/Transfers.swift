import BME280Model
import Environment
import Harness
import I2C
import I2CTrace
import VirtualI2C

/// A burst of eight bytes through `any I2CAdapter`, the sensor's own step included.
func measureTransfers() {
  Report.row("8-byte burst, data as before", burst(.off, fresh: false))
  Report.row("8-byte burst, a new measurement each time", burst(.off, fresh: true))
  Report.row("8-byte burst, a new measurement with noise", burst(.datasheet, fresh: true))
  Report.row(
    "  the same, recorded", burst(.datasheet, fresh: true, isRecorded: true))
}

private func burst(
  _ noise: PartNoise, fresh: Bool, isRecorded: Bool = false
) -> Double {
  let clock = VirtualClock()
  let adapter = VirtualAdapter(clock: clock, frequency: 400_000)
  let air = ScriptedAir(constant: Air(pressure: 100_000, temperature: 20, humidity: 50))
  let sensor = VirtualBME280(
    chip: .bme280, nvm: Sample.calibration.bytes, address: 0x76, air: air,
    options: SensorOptions(noise: noise))
  guard (try? adapter.attach(sensor)) != nil else { return .nan }
  clock.wait(nanoseconds: 2_000_000)
  let header = TraceHeader(
    generator: "benchmark", clock: "virtual", buses: [TraceHeader.Bus(number: 1)])
  let recorder = TraceRecorder(TraceWriter(header, isBuffered: true) { _ in })
  let bus: any I2CAdapter =
    isRecorded ? TracingAdapter(adapter, bus: 1, clock: clock, recorder: recorder) : adapter
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
