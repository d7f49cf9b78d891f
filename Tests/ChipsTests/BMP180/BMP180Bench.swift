import Chips
import Environment
import I2C
import VirtualI2C

/// A virtual BMP180 on a bus, with the actions of a controller.
struct BMP180Bench {
  let clock = VirtualClock()
  let adapter: VirtualAdapter
  let sensor: VirtualBMP180

  /// Creates a part in constant air.
  ///
  /// Default: its start-up has finished.
  init(
    celsius: Double = 21, pascals: Double = 101_325, isStarted: Bool = true,
    options: BMP180Options = BMP180Options(), seed: UInt64 = 1, faults: [PlannedFault] = [],
    _ change: (inout BMP180UndocumentedBehavior) -> Void = { _ in }
  ) throws {
    var options = options
    change(&options.unknown)
    adapter = VirtualAdapter(clock: clock, frequency: 400_000, faults: FaultPlan(faults))
    let air = Air(pressure: pascals, temperature: celsius, humidity: 50)
    sensor = VirtualBMP180(air: ScriptedAir(constant: air), options: options, seed: seed)
    try adapter.attach(sensor)
    if isStarted { wait(milliseconds: 10) }
  }

  /// Advances the time.
  func wait(milliseconds: Double) { clock.wait(nanoseconds: UInt64(milliseconds * 1e6)) }

  /// Writes bytes in one transfer.
  func write(_ bytes: UInt8...) throws { try adapter.write(bytes.span, to: 0x77) }

  /// Reads bytes starting at a register.
  func read(_ register: UInt8, _ count: Int = 1) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    try adapter.readRegisters(from: register, count: count, into: &span, at: 0x77)
    return bytes
  }

  /// Starts a conversion, waits for the maximum time, and reads its three bytes.
  func convert(_ command: UInt8) throws -> [UInt8] {
    try write(0xF4, command)
    wait(milliseconds: 25.5)
    return try read(0xF6, 3)
  }

  /// Returns a temperature code.
  func temperature() throws -> Int32 {
    let bytes = try convert(0x2E)
    return Int32(bytes[0]) << 8 | Int32(bytes[1])
  }

  /// Returns the temperature in °C and the pressure in Pa, as a program computes them.
  func values(_ oss: UInt8 = 0) throws -> (celsius: Double, pascals: Double) {
    let (code, bytes) = (try temperature(), try convert(0x34 + oss << 6))
    let word = Int32(bytes[0]) << 16 | Int32(bytes[1]) << 8 | Int32(bytes[2])
    let fine = sensor.options.calibration.fineTemperature(code) ?? 0
    let pascals = sensor.options.calibration.pascals(
      word >> (8 - Int32(oss)), BMP180Oversampling(rawValue: oss) ?? .x1, fine: fine)
    return (Double(fine) / 160, Double(pascals ?? 0))
  }
}
