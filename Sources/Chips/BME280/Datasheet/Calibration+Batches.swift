extension Calibration {
  /// Compensates measurements of one part; the results are in the native units of the variant.
  ///
  /// Each row is bit-identical to the result of `compensate(_:variant:)`. `datasheetDouble` computes four rows at
  /// once in vector registers, if the build enables them.
  ///
  /// - Parameters:
  ///   - raws: the register values, with 20 bits for temperature and pressure and 16 bits for humidity.
  ///   - variant: the formulas.
  ///   - columns: receives the results; it is resized to the number of measurements.
  public func compensate(
    _ raws: Span<RawMeasurement>, variant: CompensationVariant,
    into columns: inout CompensatedColumns
  ) {
    columns.resize(to: raws.count)
    let inLanes = variant == .datasheetDouble ? compensateInLanes(raws, into: &columns) : 0
    for row in inLanes..<raws.count {
      columns.set(row, to: compensate(raws[row], variant: variant))
    }
  }

  /// Compensates the rows in groups that fill the vector lanes, and returns the number of rows compensated.
  private func compensateInLanes(
    _ raws: Span<RawMeasurement>, into columns: inout CompensatedColumns
  ) -> Int {
    let lanes = DoubleCompensationLanes.Lanes.scalarCount
    let rows = raws.count / lanes * lanes
    guard rows > 0 else { return 0 }
    let coefficients = DoubleCompensationLanes(self)
    raws.withUnsafeBufferPointer { raws in
      columns.fineTemperatures.withUnsafeMutableBytes { fine in
        columns.temperatures.withUnsafeMutableBytes { temperatures in
          columns.pressures.withUnsafeMutableBytes { pressures in
            columns.humidities.withUnsafeMutableBytes { humidities in
              for row in stride(from: 0, to: rows, by: lanes) {
                let result = coefficients.compensate(
                  raws[row], raws[row &+ 1], raws[row &+ 2], raws[row &+ 3])
                let (words, doubles) = (row &* 4, row &* 8)
                fine.storeBytes(
                  of: result.fineTemperature, toByteOffset: words, as: SIMD4<Int32>.self)
                temperatures.storeBytes(
                  of: result.temperature, toByteOffset: doubles, as: SIMD4<Double>.self)
                pressures.storeBytes(
                  of: result.pressure, toByteOffset: doubles, as: SIMD4<Double>.self)
                humidities.storeBytes(
                  of: result.humidity, toByteOffset: doubles, as: SIMD4<Double>.self)
              }
            }
          }
        }
      }
    }
    return rows
  }
}

/// Compensated measurements, with one column per quantity, in the native units of a variant.
///
/// Reusing the columns for batches of the same length does not allocate.
public struct CompensatedColumns: Hashable, Sendable {
  /// The fine temperatures in 1/5120 C; the double variants store only the integer part.
  public internal(set) var fineTemperatures: [Int32] = []
  /// The temperatures.
  public internal(set) var temperatures: [Double] = []
  /// The pressures.
  public internal(set) var pressures: [Double] = []
  /// The relative humidities.
  public internal(set) var humidities: [Double] = []

  /// Creates columns without rows.
  public init() {}

  /// The number of rows.
  public var count: Int { fineTemperatures.count }

  /// Returns the row at an index, counted from 0.
  public subscript(row: Int) -> CompensatedMeasurement {
    CompensatedMeasurement(
      fineTemperature: fineTemperatures[row], temperature: temperatures[row],
      pressure: pressures[row], humidity: humidities[row])
  }

  /// Resizes all columns and leaves their contents unspecified.
  mutating func resize(to rows: Int) {
    guard rows != count else { return }
    fineTemperatures = Array(repeating: 0, count: rows)
    temperatures = Array(repeating: 0, count: rows)
    pressures = temperatures
    humidities = temperatures
  }

  mutating func set(_ row: Int, to measurement: CompensatedMeasurement) {
    fineTemperatures[row] = measurement.fineTemperature
    temperatures[row] = measurement.temperature
    pressures[row] = measurement.pressure
    humidities[row] = measurement.humidity
  }
}

/// The datasheet's double precision formulas (DS 8.1) for four measurements at once.
///
/// The results are bit-identical to those of `DoubleCompensation`: powers of two are folded into the coefficients,
/// which does not change any rounding, and all other operations keep their order. Coefficients and constants are
/// stored as vectors, because loading them is fastest that way.
struct DoubleCompensationLanes {
  typealias Lanes = SIMD4<Double>

  /// The results for four measurements.
  struct Results {
    var fineTemperature: SIMD4<Int32>
    var temperature, pressure, humidity: Lanes
  }

  // The coefficients, each named by its quantity and the power of the argument that it multiplies.
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

  /// Returns the integer part of values below 2^51.
  ///
  /// Adding 2^52 to a double leaves no room for fraction bits.
  @inline(__always)
  private func whole(_ value: Lanes) -> Lanes {
    let sign = SIMD4<UInt64>(repeating: 1 << 63)
    let magnitude = Self.double(Self.bits(value) & ~sign)
    let nearest = (magnitude + 0x1p52) - 0x1p52
    let isAbove = unsafeBitCast(nearest .> magnitude, to: SIMD4<UInt64>.self)
    let below = nearest - Self.double(Self.bits(one) & isAbove)
    return Self.double(Self.bits(below) | Self.bits(value) & sign)
  }

  /// Converts whole values to 32-bit integers.
  ///
  /// After 1.5 x 2^52 is added, the low words contain the integers.
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
