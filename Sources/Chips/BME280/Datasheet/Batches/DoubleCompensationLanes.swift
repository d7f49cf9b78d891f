/// The datasheet's double precision formulas (DS 8.1) for four measurements at once.
///
/// The results have the bits of ``DoubleCompensation``: powers of two are folded into the
/// coefficients, which moves no rounding, and all other operations keep their order. Coefficients
/// and constants stand in memory as vectors, because that is how they reach the arithmetic fastest.
struct DoubleCompensationLanes {
  typealias Lanes = SIMD4<Double>

  /// Four results.
  struct Results {
    var fineTemperature: SIMD4<Int32>
    var temperature, pressure, humidity: Lanes
  }

  // Named by the quantity and the power of its argument that each multiplies.
  private let temperatureZero, temperature1, temperature2: Lanes
  private let offset0, offset1, offset2: Lanes
  private let slope1, slope2, sensitivity: Lanes
  private let pressure0, pressure1, pressure2: Lanes
  private let humidityOffset0, humidityOffset1: Lanes
  private let humiditySlope, humidityCurvature, humidityGain, humidityBend: Lanes

  private let zero = Lanes(repeating: 0)
  private let one = Lanes(repeating: 1)
  private let full = Lanes(repeating: 100)
  private let pressureCodes = Lanes(repeating: 1_048_576)
  private let pressureScale = Lanes(repeating: 6250)
  private let pressureFineZero = Lanes(repeating: 128_000)
  private let humidityFineZero = Lanes(repeating: 76_800)
  private let finesPerCelsius = Lanes(repeating: 5120)

  init(_ words: Calibration) {
    func all(_ word: some BinaryInteger, times factor: Double = 1) -> Lanes {
      Lanes(repeating: Double(word) * factor)
    }
    temperatureZero = all(words.t1, times: 16)
    temperature1 = all(words.t2, times: 0x1p-14)
    temperature2 = all(words.t3, times: 0x1p-34)
    offset0 = all(words.p4, times: 16)
    offset1 = all(words.p5, times: 0x1p-14)
    offset2 = all(words.p6, times: 0x1p-31)
    slope1 = all(words.p2, times: 0x1p-35)
    slope2 = all(words.p3, times: 0x1p-55)
    sensitivity = all(words.p1)
    pressure0 = all(words.p7, times: 0x1p-4)
    pressure1 = all(words.p8, times: 0x1p-19)
    pressure2 = all(words.p9, times: 0x1p-35)
    humidityOffset0 = all(words.h4, times: 64)
    humidityOffset1 = all(words.h5, times: 0x1p-14)
    humiditySlope = all(words.h6, times: 0x1p-26)
    humidityCurvature = all(words.h3, times: 0x1p-26)
    humidityGain = all(words.h2, times: 0x1p-16)
    humidityBend = all(words.h1, times: 0x1p-19)
  }

  @inline(__always)
  func compensate(
    _ first: RawMeasurement, _ second: RawMeasurement,
    _ third: RawMeasurement, _ fourth: RawMeasurement
  ) -> Results {
    func lanes(_ quantity: (RawMeasurement) -> Int32) -> Lanes {
      Lanes(SIMD4(quantity(first), quantity(second), quantity(third), quantity(fourth)))
    }
    let above = lanes { $0.temperature } - temperatureZero
    let exact = above * temperature1 + (above * above) * temperature2
    let fine = whole(exact)
    return Results(
      fineTemperature: Self.integers(fine), temperature: exact / finesPerCelsius,
      pressure: pressure(lanes { $0.pressure }, fine),
      humidity: humidity(lanes { $0.humidity }, fine))
  }

  @inline(__always)
  private func pressure(_ raw: Lanes, _ fine: Lanes) -> Lanes {
    let var1 = fine - pressureFineZero
    let offset = ((var1 * var1) * offset2 + var1 * offset1) + offset0
    let slope = (var1 * slope2) * var1 + var1 * slope1
    let divisor = (one + slope) * sensitivity
    let linear = ((pressureCodes - raw) - offset) * pressureScale / divisor
    let bend = (linear * pressure2) * linear + linear * pressure1
    let isDefined = unsafeBitCast(divisor .!= zero, to: SIMD4<UInt64>.self)
    return Self.double(Self.bits(linear + (bend + pressure0)) & isDefined)
  }

  @inline(__always)
  private func humidity(_ raw: Lanes, _ fine: Lanes) -> Lanes {
    let varH = fine - humidityFineZero
    let offset = humidityOffset0 + varH * humidityOffset1
    let curvature = one + varH * humidityCurvature
    let slope = one + varH * humiditySlope * curvature
    let linear = (raw - offset) * (slope * humidityGain)
    var humidity = linear * (one - linear * humidityBend)
    humidity.replace(with: zero, where: humidity .<= zero)
    humidity.replace(with: full, where: humidity .> full)
    return humidity
  }

  /// The whole part, towards zero, of values below 2^51: 2^52 leaves a double no fraction.
  @inline(__always)
  private func whole(_ value: Lanes) -> Lanes {
    let sign = SIMD4<UInt64>(repeating: 1 << 63)
    let magnitude = Self.double(Self.bits(value) & ~sign)
    let nearest = (magnitude + 0x1p52) - 0x1p52
    let isAbove = unsafeBitCast(nearest .> magnitude, to: SIMD4<UInt64>.self)
    let below = nearest - Self.double(Self.bits(one) & isAbove)
    return Self.double(Self.bits(below) | Self.bits(value) & sign)
  }

  /// Whole values of 32 bits as integers: the low words next to 1.5 x 2^52.
  @inline(__always)
  private static func integers(_ value: Lanes) -> SIMD4<Int32> {
    unsafeBitCast(value + 0x1.8p52, to: SIMD8<Int32>.self).evenHalf
  }

  @inline(__always)
  private static func bits(_ value: Lanes) -> SIMD4<UInt64> {
    unsafeBitCast(value, to: SIMD4<UInt64>.self)
  }

  @inline(__always)
  private static func double(_ bits: SIMD4<UInt64>) -> Lanes {
    unsafeBitCast(bits, to: Lanes.self)
  }
}
