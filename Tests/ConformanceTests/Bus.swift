import BME280
import BME280Model
import Environment
import I2C
import VirtualI2C

/// The bus of the contract: a BME280 with the calibration of the built-in rig, and no other target.
struct Bus {
  let clock = VirtualClock()
  let adapter: VirtualAdapter

  /// Creates the bus after the startup of the part.
  init() throws {
    adapter = VirtualAdapter(clock: clock, frequency: 400_000)
    let bytes: [UInt8] = [
      0x10, 0x6E, 0x6C, 0x66, 0x32, 0x00, 0x5D, 0x95, 0xB8, 0xD5, 0xD0, 0x0B, 0x77, 0x1E, 0x9D,
      0xFF, 0xF9, 0xFF, 0xAC, 0x26, 0x0A, 0xD8, 0xBD, 0x10, 0x00, 0x4B, 0x6E, 0x01, 0x00, 0x13,
      0x05, 0x00, 0x1E,
    ]
    var memory = InlineArray<33, UInt8>(repeating: 0)
    for index in memory.indices { memory[index] = bytes[index] }
    try adapter.attach(
      VirtualBME280(
        chip: .bme280, nvm: memory, address: 0x76, air: ScriptedAir(constant: .standard)))
    clock.wait(nanoseconds: 10_000_000)
  }
}
