package import BME280
package import BME280Model

/// Determines the formula of a program from the last digits of the values that it displays on several benches.
///
/// The results of correct formulas differ slightly. A defect with an effect smaller than these differences cannot be
/// detected in single values, but a program that prints enough digits reveals it nevertheless. The program has a
/// defect if no correct formula, of any precision and rounding, reproduces the values, but the defect reproduces all
/// of them to the last digit on every bench. If several defects do so, all are reported.
package struct LastDigits {
  /// A bench, with its recording and the displayed values of those quantities that are not wrong on it.
  package struct Bench {
    let evidence: Evidence
    let observations: [Observation]

    /// Creates a bench.
    ///
    /// - Parameters:
    ///   - evidence: the recording.
    ///   - observations: the values that the program displayed, in order, each as a band of half a digit to either
    ///     side.
    package init(_ evidence: Evidence, _ observations: [Observation]) {
      self.evidence = evidence
      self.observations = observations
    }
  }

  /// A defect with an effect smaller than the differences between correct formulas.
  package struct Finding: Hashable, Sendable {
    /// A value that no correct formula produces.
    package struct Value: Hashable, Sendable {
      /// The index of the bench.
      package let bench: Int
      /// The displayed value, and the nearest value that a correct formula produces, in C, Pa or %RH.
      package let shown: Double, right: Double
    }

    /// The defects that reproduce all values, each of them by itself.
    package let defects: [Defect]
    /// The name of the quantity.
    package let quantity: String
    /// The first value of each bench that no correct formula produces.
    package let values: [Value]
  }

  /// The findings, by quantity.
  package let findings: [Finding]

  /// The minimum number of different measurements for a finding; their displayed values must differ from those of every
  /// correct formula.
  private static let fewest = 3

  /// Compares the values of several benches.
  package init(_ benches: [Bench]) {
    let searches = benches.map { Search($0.evidence, $0.observations) }
    findings = QuantitySet.named.compactMap { quantity, name in
      let series = DigitSeries(quantity, searches)
      let distinct = series.points.filter(series.isDistinct)
      guard Set(distinct.map(\.measurement)).count >= Self.fewest else { return nil }
      let defects = Trials.usual.filter { series.agrees(with: $0, searches) }
      // A mean of the measurements of a reading is right; one that lags shows in the course of the values.
      guard !defects.isEmpty, !defects.contains(where: { $0.classID == "B54" }) else { return nil }
      var seen: Set<Int> = []
      let first = distinct.filter { seen.insert($0.bench).inserted }
      return Finding(
        defects: defects, quantity: name,
        values: first.map { Finding.Value(bench: $0.bench, shown: $0.shown, right: $0.nearest) })
    }
  }
}

/// All displayed values of one quantity, with the values that correct formulas compute from the same bytes.
struct DigitSeries {
  /// One displayed value.
  struct Point {
    let bench: Int
    let shown: Double
    /// One unit of the last displayed digit.
    let digit: Double
    /// The error that single precision or a different order of operations can cause.
    let tolerance: Double
    /// The indices of the measurements to which the value may belong.
    let measurements: [Int]
    /// The nearest value that a correct formula produces.
    let nearest: Double
    /// The calibration and data bytes of the first measurement in `measurements`; measurements with equal bytes count
    /// once.
    let measurement: [UInt8?]
  }

  let quantity: QuantitySet
  private(set) var points: [Point] = []
  /// The step to which the program rounds all values, or 0 if it is unknown.
  private var step = 0.0

  /// Collects the values of a quantity.
  init(_ quantity: QuantitySet, _ searches: [Search]) {
    self.quantity = quantity
    for (bench, search) in searches.enumerated() where search.calibration != nil {
      var known: [Int: [Double]] = [:]
      for pair in search.alignment.pairs {
        let measurements = pair.measurements(of: quantity)
        guard let band = pair.observation.band(of: quantity), let first = measurements.first else {
          continue
        }
        let correctValues = measurements.flatMap { index in
          if let known = known[index] { return known }
          let values = search.correctValues(quantity, at: index)
          known[index] = values
          return values
        }
        let shown = (band.low + band.high) / 2
        guard let nearest = correctValues.min(by: { abs($0 - shown) < abs($1 - shown) }) else {
          continue
        }
        points.append(
          Point(
            bench: bench, shown: shown, digit: band.high - band.low,
            tolerance: abs(shown) * 2e-7, measurements: measurements, nearest: nearest,
            measurement: search.calibrationBytes + search.data[first]))
      }
    }
    step = RoundingStep.common(to: points, of: quantity)
  }

  /// Returns `true` if a value differs from the results of every correct formula, rounded or truncated.
  func isDistinct(_ point: Point) -> Bool {
    abs(point.shown - point.nearest) > 3 * (point.tolerance + max(step, point.digit))
  }

  /// Returns `true` if a program with a defect displays every value, using one formula and one kind of rounding
  /// throughout.
  func agrees(with defect: Defect, _ searches: [Search]) -> Bool {
    guard !defect.reach.isDisjoint(with: quantity) else { return false }
    return Route.all(quantity).contains { route in
      guard route.allows(defect, for: quantity) else { return false }
      let decodings = searches.map { search in
        let decoding = search.decoding([defect], route)
        return (decoding: decoding, words: decoding.words.words(search.registers).words)
      }
      return [false, true].contains { isCut in
        points.allSatisfy { point in
          let (decoding, words) = decodings[point.bench]
          return point.measurements.contains { index in
            let value = decoding.value(quantity, at: index, of: searches[point.bench].data, words)
            return value.value.map { shows($0, point, isCut: isCut) } ?? false
          }
        }
      }
    }
  }

  /// Returns `true` if a program that computes `value` would display the number that `point` contains.
  private func shows(_ value: Double, _ point: Point, isCut: Bool) -> Bool {
    let step = max(step, point.digit)
    guard isCut else { return abs(value - point.shown) <= step / 2 + point.tolerance }
    let rest = abs(value) - abs(point.shown)
    return -point.tolerance <= rest && rest <= step + point.tolerance
  }
}

extension Search {
  /// The bytes of the calibration registers; unknown bytes are `nil`.
  fileprivate var calibrationBytes: [UInt8?] {
    Array(registers[0x88..<0xA2] + registers[0xE1..<0xE8])
  }
}

/// The common rounding step of the values of a quantity.
enum RoundingStep {
  private static func known(_ quantity: QuantitySet) -> [Double] {
    switch quantity {
    case .temperature: [1, 0.5, 0.1, 0.01, 0.001]
    case .pressure: [100, 10, 1, 0.1, 0.01, 1.0 / 256]
    default: [1, 0.5, 0.1, 0.01, 1.0 / 1024, 0.001]
    }
  }

  /// Returns the coarsest step of which all values are multiples, or 0 if there is no such step.
  static func common(to points: [DigitSeries.Point], of quantity: QuantitySet) -> Double {
    // Some programs omit trailing zeros, so the finest digit of any value applies to all values.
    let digit = points.map(\.digit).min() ?? 0
    return known(quantity).first { step in
      points.allSatisfy { point in
        // Below the resolution of single precision, no value is a multiple of anything.
        let rest = abs(point.shown - (point.shown / step).rounded() * step)
        let tolerance = point.tolerance + digit / 2
        return 4 * tolerance < step && rest <= tolerance
      }
    } ?? 0
  }
}

extension Search {
  /// Returns the values that correct programs compute for a measurement.
  ///
  /// The programs use any published formula, any form of the fine temperature, double or single precision, and either
  /// all twenty bits of temperature and pressure or only sixteen.
  func correctValues(_ quantity: QuantitySet, at index: Int) -> [Double] {
    guard let calibration else { return [] }
    let words = WordReading().words(registers).words
    return [data[index], coarse(data[index])].flatMap { bytes -> [Double] in
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

  /// Clears the lowest four bits of raw pressure and temperature, which carry no information at the lowest resolution.
  private func coarse(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[2] = 0
    bytes[5] = 0
    return bytes
  }
}

/// The datasheet's formulas in single precision, as used on microcontrollers without doubles (DS 8.1).
package struct SinglePrecision {
  private let raw: RawMeasurement
  private let c: Words

  package init(_ raw: RawMeasurement, _ words: Words) {
    self.raw = raw
    c = words
  }

  /// Returns the value of a quantity in C, Pa or %RH.
  package func value(_ quantity: QuantitySet) -> Double {
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
