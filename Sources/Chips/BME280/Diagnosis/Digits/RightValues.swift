import BME280
import DriverDefects

extension Search {
  /// What right programs make of a measurement: by every published formula, with any fine temperature, in double and in
  /// single precision, from all twenty bits of temperature and pressure or from sixteen.
  func rights(_ quantity: QuantitySet, at place: Int) -> [Double] {
    guard let calibration else { return [] }
    let words = WordReading().words(registers).words
    return [data[place], coarse(data[place])].flatMap { bytes -> [Double] in
      let raw = RawMeasurement(registers: bytes.span)
      let published = CompensationVariant.allCases.map { variant in
        let result = calibration.compensateSI(raw, variant: variant)
        return quantity == .temperature
          ? result.temperature : quantity == .pressure ? result.pressure : result.humidity
      }
      let mixed = Route.all(quantity).compactMap { route in
        decoding([], route).value(quantity, at: 0, of: [bytes], words).value
      }
      return published + mixed + [SinglePrecision(raw, words).value(quantity)]
    }
  }

  /// The same without the lowest four bits, which say nothing at the lowest resolution.
  private func coarse(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[2] = 0
    bytes[5] = 0
    return bytes
  }
}

/// The data sheet's formulas in single precision, as microcontrollers without doubles compute them (8.1).
struct SinglePrecision {
  private let raw: RawMeasurement
  private let c: Words

  init(_ raw: RawMeasurement, _ words: Words) {
    self.raw = raw
    c = words
  }

  /// A quantity in C, Pa or %RH.
  func value(_ quantity: QuantitySet) -> Double {
    switch quantity {
    case .temperature: Double(fine / 5120)
    case .pressure: Double(pressure)
    default: Double(humidity)
    }
  }

  private var fine: Float {
    let adc = Float(raw.temperature)
    let base = adc / 131_072 - Float(c.t1) / 8192
    return (adc / 16384 - Float(c.t1) / 1024) * Float(c.t2) + base * base * Float(c.t3)
  }

  private var pressure: Float {
    let x = fine / 2 - 64_000
    let offset = (x * x * Float(c.p6) / 32_768 + x * Float(c.p5) * 2) / 4 + Float(c.p4) * 65_536
    let slope = (Float(c.p3) * x * x / 524_288 + Float(c.p2) * x) / 524_288
    let sensitivity = (1 + slope / 32_768) * Float(c.p1)
    guard sensitivity != 0 else { return 0 }
    let p = (1_048_576 - Float(raw.pressure) - offset / 4096) * 6250 / sensitivity
    let first = Float(c.p9) * p * p / 2_147_483_648
    let second = p * Float(c.p8) / 32_768
    return p + (first + second + Float(c.p7)) / 16
  }

  private var humidity: Float {
    let x = fine - 76_800
    let slope = 1 + Float(c.h3) / 67_108_864 * x
    let gain = Float(c.h2) / 65_536 * (1 + Float(c.h6) / 67_108_864 * x * slope)
    let v = (Float(raw.humidity) - (Float(c.h4) * 64 + Float(c.h5) / 16_384 * x)) * gain
    return min(max(v * (1 - Float(c.h1) * v / 524_288), 0), 100)
  }
}
