import Chips
import Environment
import I2C
import VirtualI2C

/// A virtual SHT21 on a bus, with the actions of a controller.
struct SHT21Bench {
  let clock = VirtualClock()
  let adapter: VirtualAdapter
  let sensor: VirtualSHT21

  /// Creates a part.
  ///
  /// Default: its start-up has finished.
  init(
    _ air: any AirSource, isStarted: Bool = true, options: SHT21Options = SHT21Options(),
    seed: UInt64 = 1, frequency: UInt64 = 400_000, stretchLimit: UInt64 = 1_000_000_000,
    faults: [PlannedFault] = []
  ) throws {
    adapter = VirtualAdapter(
      clock: clock, frequency: frequency, stretchLimit: stretchLimit, faults: FaultPlan(faults))
    sensor = VirtualSHT21(air: air, options: options, seed: seed)
    try adapter.attach(sensor)
    if isStarted { wait(milliseconds: 15) }
  }

  /// Creates a part in constant air, with some switches for undocumented behavior.
  init(
    celsius: Double = 21, humidity: Double = 50, isStarted: Bool = true,
    options: SHT21Options = SHT21Options(), seed: UInt64 = 1, stretchLimit: UInt64 = 1_000_000_000,
    faults: [PlannedFault] = [], _ change: (inout SHT21UndocumentedBehavior) -> Void = { _ in }
  ) throws {
    var options = options
    change(&options.unknown)
    let air = Air(pressure: 101_325, temperature: celsius, humidity: humidity)
    try self.init(
      ScriptedAir(constant: air), isStarted: isStarted, options: options, seed: seed,
      stretchLimit: stretchLimit, faults: faults)
  }

  /// Advances the time.
  func wait(milliseconds: Double) { clock.wait(nanoseconds: UInt64(milliseconds * 1e6)) }

  /// Writes bytes in one transfer.
  func write(_ bytes: UInt8...) throws { try adapter.write(bytes.span, to: 0x40) }

  /// Reads bytes in one transfer.
  func read(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    try adapter.read(into: &span, from: 0x40)
    return bytes
  }

  /// Writes bytes and reads after a repeated START.
  func exchange(_ written: [UInt8], _ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    let segments: [I2CSegment] = [.write(written.count, to: 0x40), .read(count, from: 0x40)]
    try adapter.transfer(segments.span, writing: written.span, reading: &span)
    return bytes
  }

  /// Reads the user register.
  func register() throws -> UInt8 { try exchange([0xE7], 1)[0] }

  /// Reads the user register without its reserved bits.
  func settings() throws -> UInt8 { try register() & 0xC7 }

  /// Measures without hold, waits 100 ms and returns the 16 bits.
  func measure(_ command: UInt8) throws -> UInt16 {
    try write(command)
    wait(milliseconds: 100)
    let bytes = try read(3)
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }

  /// Returns the temperature of a measurement in °C.
  func celsius() throws -> Double {
    -46.85 + 175.72 * Double(try measure(0xF3) & 0xFFFC) / 65_536
  }

  /// Returns the relative humidity of a measurement in %.
  func percent() throws -> Double { -6 + 125 * Double(try measure(0xF5) & 0xFFFC) / 65_536 }
}

/// The error of an address that is not acknowledged.
let addressNack = I2CError(.addressNack, errno: .enxio)
