import BME280
import BME280Model
import Environment
import Harness
import I2C
import VirtualI2C

// usage: Counted WORK COUNT TWIN_BY_GCC TWIN_BY_CLANG
// Does one piece of work some times, for a tool that counts instructions: Tests/Benchmarks/instructions.

let arguments = CommandLine.arguments
guard arguments.count == 5, let count = Int(arguments[2]), let twin = Twin(library: arguments[3])
else { fatalError("usage: Counted WORK COUNT TWIN_BY_GCC TWIN_BY_CLANG") }

/// Reads a burst of eight bytes, of a new measurement each time or not.
func burst(_ noise: PartNoise, isFresh: Bool) {
  let clock = VirtualClock()
  let adapter = VirtualAdapter(clock: clock, frequency: 400_000)
  let air = ScriptedAir(constant: Air(pressure: 100_000, temperature: 20, humidity: 50))
  let sensor = VirtualBME280(
    chip: .bme280, nvm: Sample.calibration.bytes, address: 0x76, air: air,
    options: SensorOptions(noise: noise))
  guard (try? adapter.attach(sensor)) != nil else { fatalError("the bus is taken") }
  clock.wait(nanoseconds: 2_000_000)
  let bus: any I2CAdapter = adapter
  try? bus.writeRegister(0xF2, 1, at: 0x76)
  try? bus.writeRegister(0xF4, 0x27, at: 0x76)
  var data = InlineArray<8, UInt8>(repeating: 0)
  for _ in 0..<count {
    if isFresh { clock.wait(nanoseconds: 10_000_000) }
    var bytes = data.mutableSpan
    try? bus.readRegisters(from: 0xF7, count: 8, into: &bytes, at: 0x76)
  }
}

switch arguments[1] {
case "twin-int64":
  var words = TwinWords(Sample.calibration)
  let triples = Array(Sample.triples.prefix(3))
  for _ in 0..<count { _ = twin.int64(&words, triples, 1) }
case "int64":
  let (calibration, raw) = (Sample.calibration, Sample.raws[0])
  var sum = 0.0
  for step in 0..<count {
    var raw = raw
    raw.pressure += Int32(step & 0xFF)
    let result = calibration.compensate(raw, variant: .datasheetInt64)
    sum += result.temperature + result.pressure + result.humidity
  }
  precondition(sum > 0)
case "burst-as-before": burst(.off, isFresh: false)
case "burst-new": burst(.off, isFresh: true)
case "burst-new-with-noise": burst(.datasheet, isFresh: true)
default: fatalError("no work of the name \(arguments[1])")
}
