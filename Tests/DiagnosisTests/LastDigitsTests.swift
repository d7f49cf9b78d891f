import BME280
import BME280Model
import Diagnosis
import Glibc
import Quantities
import TestSupport
import Testing

/// Tests that enough digits reveal the formula of a program, and that correct programs yield no finding.
struct LastDigitsTests {
  /// Returns measurements of some parts, in random air, with all twenty bits.
  static func parts(_ generator: inout Seeded) -> [(Calibration, [RawMeasurement])] {
    (0..<6).map { index in
      let raws = (0..<4).map { _ in
        RawMeasurement(
          temperature: .random(in: 400_000...650_000, using: &generator),
          pressure: .random(in: 300_000...370_000, using: &generator),
          humidity: .random(in: 24_000...33_000, using: &generator))
      }
      let part = Part.random(&generator)
      return (index == 0 ? part : Self.part(part, h5: [50, -431, 220][index % 3]), raws)
    }
  }

  /// Returns a part with a rare H5.
  private static func part(_ c: Calibration, h5: Int16) -> Calibration {
    Calibration(
      t1: c.t1, t2: c.t2, t3: c.t3, p1: c.p1, p2: c.p2, p3: c.p3, p4: c.p4, p5: c.p5, p6: c.p6,
      p7: c.p7, p8: c.p8, p9: c.p9, h1: c.h1, h2: c.h2, h3: c.h3, h4: c.h4, h5: h5, h6: c.h6)
  }

  /// Returns the findings for a program that shows some values of each measurement with some digits.
  static func findings(
    _ parts: [(Calibration, [RawMeasurement])], digits: Int, isCut: Bool = false,
    _ values: (RawMeasurement, Calibration) -> (t: Double, p: Double, h: Double)
  ) -> [LastDigits.Finding] {
    func band(_ value: Double) -> Observation.Band? {
      let text = isCut ? Decimals.cut(value, digits) : Decimals.text(value, digits)
      var half = 0.5
      for _ in 0..<digits { half /= 10 }
      return Double(text).map {
        Observation.Band(low: $0 - half, high: $0 + half, isRounded: true)
      }
    }
    return LastDigits(
      parts.map { calibration, raws in
        let shown = raws.map { raw in
          let value = values(raw, calibration)
          return Observation(
            temperature: band(value.t), pressure: band(value.p), humidity: band(value.h))
        }
        return LastDigits.Bench(ExplanationTests.evidence(raws, of: calibration), shown)
      }
    ).findings
  }

  static func decoded(_ defects: [String], _ formula: String) throws
    -> (RawMeasurement, Calibration) -> (t: Double, p: Double, h: Double)
  {
    let decoder = try #require(FaultyDecoder(defects: defects, formula: formula))
    return { raw, calibration in
      let shown = decoder.shows(raw, of: calibration)
      return (
        shown.values.temperature ?? 0, shown.values.pressure ?? 0, shown.values.humidity ?? 0
      )
    }
  }

  @Test(
    "defects smaller than the differences between correct formulas are found by the last digits",
    arguments: [
      ("constant-16384.8", "datasheet-double", "humidity", 5),
      ("constant-16384.8", "datasheet-double", "humidity", 12),
      ("xlsb-from-msb", "datasheet-int64", "pressure", 2),
      ("xlsb-from-msb", "datasheet-int64", "pressure", 3),
      ("xlsb-from-msb", "datasheet-double", "temperature", 5),
      ("xlsb-exchanged", "datasheet-double", "pressure", 3),
    ])
  func small(_ defect: String, _ formula: String, _ quantity: String, _ digits: Int) throws {
    var generator = Seeded("small defects")
    let found = try Self.findings(
      Self.parts(&generator), digits: digits, Self.decoded([defect], formula))
    let own = try #require(found.first { $0.quantity == quantity }, "\(found)")
    #expect(own.defects.map(\.name) == [defect])
    #expect(own.values.count >= 3)
    // With many digits, smaller differences are found, too.
    let least = pow(10, -Double(max(digits, 5))) / 2
    #expect(own.values.allSatisfy { abs($0.shown - $0.right) > least })
  }

  @Test("with at most two decimals, no defect is found by the last digits")
  func fewDigits() throws {
    var generator = Seeded("few digits")
    for digits in 0...2 {
      let found = try Self.findings(
        Self.parts(&generator), digits: digits,
        Self.decoded(["constant-16384.8"], "datasheet-double"))
      #expect(found.isEmpty, "\(digits): \(found)")
    }
  }

  @Test(
    "the mean of the last five measurements is no finding, because it may be the mean of a reading")
  func means() {
    var generator = Seeded("means")
    var window: [(t: Double, p: Double, h: Double)] = []
    var part: Calibration?
    let found = Self.findings(Self.parts(&generator), digits: 4) { raw, calibration in
      if part != calibration { (window, part) = ([], calibration) }
      let value = calibration.compensateSI(raw, variant: .datasheetDouble)
      window.append((value.temperature, value.pressure, value.humidity))
      let count = Double(window.count)
      return (
        window.reduce(0) { $0 + $1.t } / count, window.reduce(0) { $0 + $1.p } / count,
        window.reduce(0) { $0 + $1.h } / count
      )
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("from only two measurements, no defect is found by the last digits")
  func fewMeasurements() throws {
    var generator = Seeded("few measurements")
    let parts = Self.parts(&generator).prefix(1).map { ($0, Array($1.prefix(2)) + $1.prefix(2)) }
    let show = try Self.decoded(["xlsb-from-msb"], "datasheet-int64")
    #expect(Self.findings(parts, digits: 3, show).isEmpty)
  }

  @Test(
    "correct formulas cause no finding with any number of digits, rounded or truncated",
    arguments: CompensationVariant.allCases)
  func right(_ variant: CompensationVariant) {
    var generator = Seeded("right formulas \(variant)")
    let parts = Self.parts(&generator)
    for digits in [0, 1, 2, 3, 4, 6, 9] {
      for isCut in [false, true] {
        let found = Self.findings(parts, digits: digits, isCut: isCut) { raw, calibration in
          let value = calibration.compensateSI(raw, variant: variant)
          return (value.temperature, value.pressure, value.humidity)
        }
        #expect(found.isEmpty, "\(digits): \(found)")
      }
    }
  }

  /// Variations of correct programs that no published formula reproduces to the last digit.
  enum Way: String, CaseIterable {
    case single, singlePressure, sixteenBits, offset, roundedFine, fahrenheit, wholePascals
    case mean, singleOtherOrder
  }

  @Test(
    "correct programs that compute or round in other ways cause no finding",
    arguments: Way.allCases)
  func ways(_ way: Way) {
    var generator = Seeded("ways \(way)")
    for _ in 0..<2 {
      let parts = Self.parts(&generator)
      for digits in [1, 2, 4, 7, 12] {
        let found = Self.findings(parts, digits: digits) { raw, calibration in
          Self.shown(way, raw, calibration)
        }
        #expect(found.isEmpty, "\(digits): \(found)")
      }
    }
  }

  private static func shown(
    _ way: Way, _ raw: RawMeasurement, _ calibration: Calibration
  ) -> (t: Double, p: Double, h: Double) {
    let words = WordReading().words(FormulaTests.registers(calibration)).words
    let value = calibration.compensateSI(raw, variant: .datasheetDouble)
    let exact = (t: value.temperature, p: value.pressure, h: value.humidity)
    let single = SinglePrecision(raw, words)
    var formula = Formula()
    formula.kind = .double
    switch way {
    case .single:
      return (
        single.value(.temperature), single.value(.pressure), single.value(.humidity)
      )
    case .singlePressure:
      return (exact.t, Double(Float(exact.p / 100)) * 100, Double(Float(exact.h)))
    case .sixteenBits:
      var coarse = raw
      coarse.temperature &= ~15
      coarse.pressure &= ~15
      let value = calibration.compensateSI(coarse, variant: .datasheetInt64)
      return (value.temperature, value.pressure, value.humidity)
    case .offset: return (exact.t - 0.004, exact.p + 0.7, exact.h + 0.003)
    case .roundedFine:
      // The fine temperature computed back from hundredths of a degree.
      let fine = (exact.t * 100).rounded() * 51.2
      return (
        exact.t, formula.pressure(Int64(raw.pressure), fine: fine, words).value,
        formula.humidity(Int64(raw.humidity), fine: fine, words).value
      )
    case .fahrenheit:
      return (((exact.t * 1.8 + 32) * 10).rounded() / 18 - 160.0 / 9, exact.p, exact.h)
    case .wholePascals: return (exact.t, exact.p.rounded(), exact.h.rounded())
    case .mean: return (exact.t * 0.9999 + 0.002, exact.p * 0.99999 + 1, exact.h * 0.9999)
    case .singleOtherOrder:
      let fine = Double(Float(exact.t)) * 5120
      return (
        Double(Float(exact.t)),
        Double(Float(formula.pressure(Int64(raw.pressure), fine: fine + 0.3, words).value)),
        Double(Float(formula.humidity(Int64(raw.humidity), fine: fine - 0.3, words).value))
      )
    }
  }
}
