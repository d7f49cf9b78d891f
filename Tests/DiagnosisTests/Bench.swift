import BME280
import BME280Model
import Diagnosis
import Environment
import I2C
import I2CTrace
import Quantities
import TestSupport
import VirtualI2C

/// A bench that records a program with injected defects.
struct Bench {
  var calibration = Part.adversarial
  var chip = Chip.bme280
  var formula = Formula.Kind.int64
  var count = 8
  /// Air that passes through all conditions that hide defects: frost and heat, dry and saturated, thin and dense.
  var air = Self.adversarialAir
  /// The codes of the converters, one per second; if `nil`, those of the air.
  var codes: [RawMeasurement]?

  /// A bench on which every defect shows.
  static let adversarial = Bench(
    count: airCodes.count + specialCodes.count, codes: airCodes + specialCodes)

  /// The codes of the adversarial part in adversarial air.
  private static let airCodes: [RawMeasurement] = {
    let transfers = (try? Bench().record([]).transfers) ?? []
    return Evidence(transfers).part.readings.map(\.raw)
  }()

  /// Codes that no air produces: skip codes, humidity and pressure out of range.
  private static let specialCodes = [
    RawMeasurement(temperature: 0x80000, pressure: 340_000, humidity: 0x8000),
    RawMeasurement(temperature: 500_000, pressure: 60_000, humidity: 3_000),
    RawMeasurement(temperature: 540_000, pressure: 700_000, humidity: 65_000),
    RawMeasurement(temperature: 510_000, pressure: 350_000, humidity: 28_000),
    // Codes whose lowest four bits are set and differ.
    RawMeasurement(temperature: 0x7FCD5, pressure: 0x52E9B, humidity: 29_000),
    RawMeasurement(temperature: 0x8113E, pressure: 0x4FF46, humidity: 31_000),
  ]

  static let adversarialAir: [Air] = [
    Air(pressure: 101_325, temperature: 21, humidity: 45),
    Air(pressure: 98_000, temperature: -12, humidity: 70),
    Air(pressure: 85_000, temperature: 38, humidity: 99.9),
    Air(pressure: 105_000, temperature: 4, humidity: 0.2),
    Air(pressure: 70_000, temperature: -25, humidity: 30),
    Air(pressure: 101_000, temperature: 60, humidity: 15),
    Air(pressure: 96_000, temperature: 15, humidity: 85),
    Air(pressure: 100_200, temperature: 27, humidity: 55),
  ]

  /// The transfers of a program and the values that it showed.
  struct Recording {
    let transfers: [TracedTransfer]
    let shown: [DisplayedReading]

    /// The values shown, with the digits of usual programs and more.
    var observations: [Observation] {
      func band(_ value: Double?, _ half: Double) -> Observation.Band? {
        value.flatMap { $0.isFinite ? Observation.Band(low: $0 - half, high: $0 + half) : nil }
      }
      return shown.map {
        var observation = Observation(
          temperature: band($0.values.temperature, 0.0005),
          pressure: band($0.values.pressure, 0.005),
          humidity: band($0.values.humidity, 0.0005))
        if $0.values.temperature == nil { observation.absent.insert(.temperature) }
        if $0.values.pressure == nil { observation.absent.insert(.pressure) }
        if $0.values.humidity == nil { observation.absent.insert(.humidity) }
        return observation
      }
    }

    var diagnosis: Diagnosis { Diagnosis(Evidence(transfers), observations) }
  }

  /// Runs a program with some defects.
  func record(_ defects: [Defect]) throws -> Recording {
    let clock = VirtualClock()
    let held = air.enumerated().map { (time: Int64($0) * 1_000_000_000, air: $1) }
    func track(_ quantity: (Air) -> Double) -> Profile {
      Profile(
        held.map { Profile.Point(time: $0.time, value: quantity($0.air)) }, interpolation: .held)
    }
    let bytes = calibration.bytes
    let isBMP = defects.contains { $0.title == "B32 bmp280-as-bme280" }
    let scripted = ScriptedAir(
      pressure: track(\.pressure), temperature: track(\.temperature), humidity: track(\.humidity))
    let sensor = VirtualBME280(
      chip: isBMP ? .bmp280 : chip, nvm: bytes, address: 0x76, air: scripted,
      codes: codes.map(CodeList.init))
    let adapter = VirtualAdapter(clock: clock, frequency: 400_000)
    try adapter.attach(sensor)
    clock.wait(nanoseconds: 5_000_000)
    var lines: [UInt8] = []
    let header = TraceHeader(
      generator: "test", clock: "virtual", buses: [TraceHeader.Bus(number: 1)])
    let recorder = TraceRecorder(TraceWriter(header, isBuffered: true) { lines += $0 })
    let recording = TracingAdapter(adapter, bus: 1, clock: clock, recorder: recorder)
    let formula = defects.compactMap(\.formula).first ?? formula
    var program = DefectiveDriver(recording, clock, formula: formula, defects: defects)
    let losesPower = defects.contains { $0.title == "B37 power-loss-unnoticed" }
    let shown = try program.run(count: count, every: 1_000_000_000) { index in
      guard losesPower, index == 4 else { return }
      sensor.setSupply(false, at: clock.nanoseconds)
      clock.wait(nanoseconds: 5_000_000)
      sensor.setSupply(true, at: clock.nanoseconds)
      clock.wait(nanoseconds: 5_000_000)
    }
    recorder.flush()
    var reader = try TraceReader {
      defer { lines = [] }
      return lines.isEmpty ? nil : lines
    }
    var transfers: [TracedTransfer] = []
    while let transfer = try reader.next() { transfers.append(transfer) }
    return Recording(transfers: transfers, shown: shown)
  }
}

/// A list of codes, one per second.
private final class CodeList: CodeSource {
  private let codes: [RawMeasurement]

  init(_ codes: [RawMeasurement]) { self.codes = codes }

  func codes(at time: UInt64) -> RawMeasurement {
    codes[min(Int(time / 1_000_000_000), codes.count - 1)]
  }
}
