import Chips
import Environment
import I2C
import VirtualI2C

/// A virtual HDC1000 on a bus, with the actions of a controller.
struct HDC1000Bench {
  let clock = VirtualClock()
  let adapter: VirtualAdapter
  let sensor: VirtualHDC1000

  /// Creates a part.
  ///
  /// Default: its start-up has finished.
  init(
    _ air: any AirSource, isStarted: Bool = true, options: HDC1000Options = HDC1000Options(),
    seed: UInt64 = 1, address: I2CAddress = 0x40, faults: [PlannedFault] = []
  ) throws {
    adapter = VirtualAdapter(clock: clock, frequency: 400_000, faults: FaultPlan(faults))
    sensor = VirtualHDC1000(address: address, air: air, options: options, seed: seed)
    try adapter.attach(sensor)
    if isStarted { wait(milliseconds: 15) }
  }

  /// Creates a part in constant air, with some switches for undocumented behavior.
  init(
    celsius: Double = 21, humidity: Double = 50, isStarted: Bool = true,
    options: HDC1000Options = HDC1000Options(), seed: UInt64 = 1, address: I2CAddress = 0x40,
    faults: [PlannedFault] = [], _ change: (inout HDC1000UndocumentedBehavior) -> Void = { _ in }
  ) throws {
    var options = options
    change(&options.unknown)
    let air = Air(pressure: 101_325, temperature: celsius, humidity: humidity)
    try self.init(
      ScriptedAir(constant: air), isStarted: isStarted, options: options, seed: seed,
      address: address, faults: faults)
  }

  /// Advances the time.
  func wait(milliseconds: Double) { clock.wait(nanoseconds: UInt64(milliseconds * 1e6)) }

  /// Writes bytes in one transfer.
  func write(_ bytes: UInt8...) throws { try adapter.write(bytes.span, to: sensor.address) }

  /// Reads bytes in one transfer.
  func read(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    try adapter.read(into: &span, from: sensor.address)
    return bytes
  }

  /// Reads words starting at a register, after a repeated START.
  func words(_ register: UInt8, _ count: Int = 1) throws -> [UInt16] {
    var bytes = [UInt8](repeating: 0, count: 2 * count)
    var span = bytes.mutableSpan
    try adapter.readRegisters(
      from: register, count: 2 * count, into: &span, at: sensor.address)
    return (0..<count).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
  }

  /// Writes the configuration.
  func configure(_ word: UInt16) throws {
    try write(0x02, UInt8(word >> 8), UInt8(word & 0xFF))
  }

  /// Writes a pointer, waits 20 ms and reads words.
  func measure(_ pointer: UInt8 = 0, _ count: Int = 2) throws -> [UInt16] {
    try write(pointer)
    wait(milliseconds: 20)
    let bytes = try read(2 * count)
    return (0..<count).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
  }

  /// Returns the temperature in °C and the relative humidity in % of a measurement of both.
  func values() throws -> (celsius: Double, percent: Double) {
    let words = try measure()
    return (Double(words[0]) / 65_536 * 165 - 40, Double(words[1]) / 65_536 * 100)
  }
}
