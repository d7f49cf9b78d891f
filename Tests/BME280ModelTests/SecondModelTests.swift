import BME280
import BME280Model
import Environment
import I2C
import TestSupport
import Testing
import VirtualI2C

/// Tests with random transfers at random times: the model and the second model must agree on every byte.
struct SecondModelTests {
  static let air = Air(pressure: 98_765, temperature: 17.3, humidity: 61)

  /// A target that forwards all transfers to the sensor and to the second model, and compares them.
  final class Comparison: VirtualI2CDevice {
    let sensor: VirtualBME280
    let codes: Codes
    var second = SecondModel()
    var disagreements: [String] = []
    private var now: UInt64 = 0
    private var pointer: UInt8 = 0
    private var expectsRegister = false

    init(_ sensor: VirtualBME280, _ codes: Codes) {
      self.sensor = sensor
      self.codes = codes
    }

    var address: I2CAddress { sensor.address }

    private func pass(to time: WireTime) {
      second.pass(Int64(time.nanoseconds - now))
      now = time.nanoseconds
    }

    func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
      pass(to: time)
      if direction == .write { expectsRegister = true }
      return sensor.start(direction, at: &time)
    }

    func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
      pass(to: time)
      if expectsRegister { pointer = byte } else { second.write(byte, to: pointer) }
      expectsRegister.toggle()
      return sensor.write(byte, at: &time)
    }

    func read(at time: inout WireTime) -> UInt8 {
      pass(to: time)
      if (0xF7...0xFE).contains(pointer) { second.readData() }
      let byte = sensor.read(at: &time)
      if let problem = codes.disagreement(byte, pointer, second) {
        disagreements.append("\(problem) at \(time.nanoseconds) ns")
      }
      pointer &+= 1
      return byte
    }

    func stop(at time: inout WireTime) {
      pass(to: time)
      second.stop()
      sensor.stop(at: &time)
    }
  }

  @Test("in 100,000 random conversations every byte equals that of an independent second model")
  func conversations() throws {
    var generator = Seeded("random conversations")
    let codes = Codes(Probe.periph, Self.air)
    var compared = 0
    for round in 0..<100_000 {
      let clock = VirtualClock()
      let adapter = VirtualAdapter(
        clock: clock,
        frequency: [100_000, 400_000, 3_400_000].randomElement(using: &generator) ?? 1)
      let sensor = VirtualBME280(
        chip: .bme280, nvm: image(bytes(Probe.periph)), address: 0x76,
        air: ScriptedAir(constant: Self.air))
      let comparison = Comparison(sensor, codes)
      try adapter.attach(comparison)
      for _ in 0..<Int.random(in: 4...14, using: &generator) {
        compared += try Self.act(on: adapter, clock, using: &generator)
      }
      if let problem = comparison.disagreements.first {
        Issue.record("round \(round): \(problem), seed \(generator.seed)")
        return
      }
    }
    #expect(compared > 1_000_000)
  }

  /// Performs a random action of a controller; returns the number of bytes read.
  private static func act(
    on adapter: VirtualAdapter, _ clock: VirtualClock, using generator: inout Seeded
  ) throws -> Int {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...1:
      // Waits from zero to beyond the longest standby time, uniformly over orders of magnitude.
      let power = Int.random(in: 0...31, using: &generator)
      clock.wait(nanoseconds: UInt64.random(in: 0...(1 << UInt64(power)), using: &generator))
      return 0
    case 2...5:
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes.append(
          [0xF2, 0xF4, 0xF4, 0xF4, 0xF5, 0xE0, 0xF3, 0xF7].randomElement(using: &generator) ?? 0)
        bytes.append(
          Int.random(in: 0..<8, using: &generator) == 0
            ? 0xB6 : UInt8.random(in: 0...255, using: &generator))
      }
      try adapter.write(bytes.span, to: 0x76)
      return 0
    case 6...7:
      let first = UInt8.random(in: 0xF2...0xF7, using: &generator)
      return try read(first, Int(0xFE - first) + 1, from: adapter)
    case 8:
      return try read(UInt8.random(in: 0xD0...0xFE, using: &generator), 1, from: adapter)
    default:
      return try read(0x88, Int.random(in: 1...26, using: &generator), from: adapter)
    }
  }

  private static func read(
    _ register: UInt8, _ count: Int, from adapter: VirtualAdapter
  ) throws -> Int {
    var bytes = [UInt8](repeating: 0, count: count)
    var buffer = bytes.mutableSpan
    try adapter.readRegisters(from: register, count: count, into: &buffer, at: 0x76)
    return count
  }
}

/// The codes of one part in given air, found by exhaustive search.
struct Codes {
  private let nvm: [UInt8]
  /// The accepted register bytes by resolution: all codes that are equally near to the air.
  private var temperature: [Int: Set<Int32>] = [:]
  private var pressure: [Int: [Int: Set<Int32>]] = [:]
  private var humidity: [Int: Set<Int32>] = [:]

  init(_ digits: String, _ air: Air) {
    nvm = bytes(digits)
    guard let calibration = try? Probe(nvm: digits).sensor.calibration else { return }
    func nearest(_ bits: Int, of width: Int, _ wanted: Double, _ value: (Int32) -> Double) -> Set<
      Int32
    > {
      var best = (error: Double.infinity, codes: Set<Int32>())
      for code in stride(from: Int32(0), to: 1 << Int32(width), by: 1 << (width - bits)) {
        let error = abs(value(code) - wanted)
        if error < best.error { best = (error, []) }
        if error == best.error { best.codes.insert(code) }
      }
      return best.codes
    }
    for bits in 16...20 {
      let codes = nearest(bits, of: 20, air.temperature) { code in
        Double(IntegerCompensation<Shifting>.fineTemperature(code, calibration)) / 5120
      }
      temperature[bits] = codes
      let fine = IntegerCompensation<Shifting>.fineTemperature(codes.first ?? 0, calibration)
      for resolution in 16...20 {
        pressure[bits, default: [:]][resolution] = nearest(resolution, of: 20, air.pressure) {
          code in
          Double(IntegerCompensation<Shifting>.pressure64(code, fine: fine, calibration) ?? 0) / 256
        }
      }
      humidity[bits] = nearest(16, of: 16, air.humidity) { code in
        Double(IntegerCompensation<Shifting>.humidity(code, fine: fine, calibration)) / 1024
      }
    }
  }

  /// Returns the reason why a byte differs from the second model, or `nil`.
  func disagreement(_ byte: UInt8, _ register: UInt8, _ second: SecondModel) -> String? {
    func complain(_ expected: String) -> String {
      "0x\(String(register, radix: 16)) reads \(byte), not \(expected)"
    }
    if let value = second.value(of: register) {
      return byte == value ? nil : complain("\(value)")
    }
    let index: Int? =
      switch register {
      case 0x88...0xA1: Int(register) - 0x88
      case 0xE1...0xE7: Int(register) - 0xE1 + 26
      default: nil
      }
    if let index {
      let value = second.hasCalibration ? nvm[index] : 0
      return byte == value ? nil : complain("\(value)")
    }
    guard (0xF7...0xFE).contains(register) else { return nil }
    let allowed = allowedBytes(register, second.shown)
    return allowed.contains(byte) ? nil : complain("one of \(allowed)")
  }

  private func allowedBytes(_ register: UInt8, _ shown: SecondModel.Results) -> Set<UInt8> {
    func part(_ codes: Set<Int32>, _ shift: Int32) -> Set<UInt8> {
      Set(codes.map { UInt8(truncatingIfNeeded: shift >= 0 ? $0 >> shift : $0 << -shift) })
    }
    let shifts: [Int32] = [12, 4, -4, 12, 4, -4, 8, 0]
    let index = Int(register) - 0xF7
    switch index {
    case 0...2:
      guard case .result(let bits) = shown.pressure else { return part([0x80000], shifts[index]) }
      return part(pressure[shown.fineBits]?[bits] ?? [], shifts[index])
    case 3...5:
      guard case .result(let bits) = shown.temperature else {
        return part([0x80000], shifts[index])
      }
      return part(temperature[bits] ?? [], shifts[index])
    default:
      guard case .result = shown.humidity else { return part([0x8000], shifts[index]) }
      return part(humidity[shown.fineBits] ?? [], shifts[index])
    }
  }
}
