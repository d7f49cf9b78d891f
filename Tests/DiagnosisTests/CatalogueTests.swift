import BME280
import BME280Model
import Diagnosis
import Environment
import Quantities
import TestSupport
import Testing

/// Tests that the catalogue is complete, and that its statements on hidden defects are true.
struct CatalogueTests {
  @Test("the catalogue has 73 classes, each with a planted defect or a reason why there is none")
  func complete() {
    let ids = (1...72).map { $0 < 10 ? "B0\($0)" : "B\($0)" }
    let expected = ids.flatMap { $0 == "B16" ? ["B16", "B16b"] : [$0] }
    #expect(DefectClass.all.map(\.id) == expected)
    let expressed = Set(Defect.all.map(\.classID))
    let reasons = DefectClass.inexpressible.map(\.id)
    #expect(reasons.count <= 19)
    #expect(expressed.union(reasons) == Set(expected))
    #expect(expressed.isDisjoint(with: reasons))
    #expect(Set(Defect.all.map(\.title)).count == Defect.all.count)
    for defectClass in DefectClass.all {
      #expect(!defectClass.symptom.isEmpty && !defectClass.fix.isEmpty)
      #expect(!defectClass.evidence.isEmpty)
    }
  }

  /// A typical part: H3 = 0, H4 and H5 positive, H5 = 0 and no low byte of a signed word above 0x7F.
  static let typical = Calibration(
    t1: 28009, t2: 26400, t3: 50, p1: 36735, p2: -10624, p3: 3024, p4: 8017, p5: 27, p6: 0,
    p7: 9900, p8: -10240, p9: 4213, h1: 75, h2: 353, h3: 0, h4: 340, h5: 0, h6: 30)

  @Test(
    "on a typical part, defects that the catalogue marks as hidden are not found",
    arguments: [
      "B01 h5-nibbles-reversed", "B01 h5-not-shifted", "B03 h4-h5-not-sign-extended",
      "B15 constant-16384.8", "B16b h5-sign-inverted",
    ])
  func hidden(_ title: String) throws {
    let defect = try #require(Defect.all.first { $0.title == title })
    var bench = Bench()
    bench.calibration = Self.typical
    bench.air = [
      .init(pressure: 101_325, temperature: 21, humidity: 45),
      .init(pressure: 98_000, temperature: 29, humidity: 60),
    ]
    bench.count = 2
    #expect(try bench.record([defect]).diagnosis.isClean)
    #expect(defect.defectClass?.hiddenBy != nil)
  }

  @Test(
    "in usual air, defects that show only in frost, in saturation or at rare values are not found",
    arguments: ["B12 humidity-not-limited", "B20 cut-to-range", "B28 skip-code-as-nothing"])
  func hiddenByAir(_ title: String) throws {
    let defect = try #require(Defect.all.first { $0.title == title })
    var bench = Bench()
    bench.calibration = Self.typical
    #expect(try bench.record([defect]).diagnosis.isClean)
    #expect(defect.defectClass?.hiddenBy != nil)
  }

  @Test(
    "on random parts the thesis's defects cause crashes or the pressures of the thesis's table")
  func distribution() {
    var generator = Seeded("the thesis's defects on plausible parts")
    var decoding = Decoding()
    decoding.formula.kind = .int32
    for name in ["B10 pressure-block-from-0x8d", "B06 low-byte-signed", "B19 p9-byte-twice"] {
      guard case .decoding(let change) = Defect.all.first(where: { $0.title == name })?.change
      else { continue }
      change(&decoding)
    }
    // The temperature was correct: its words are not changed.
    var (crashes, inRange, count) = (0, 0, 0)
    var values: [Double] = []
    for _ in 0..<3000 {
      let part = Part.random(&generator)
      let sensor = RawPart(part)
      let raw = sensor.raw(pascals: 101_200, celsius: 26.2)
      let shown = decoding.shown(FormulaTests.registers(part), [Part.bytes(raw)])[0]
      count += 1
      guard !shown.crashes else {
        crashes += 1
        continue
      }
      let pressure = (shown.values.pressure ?? 0) / 100
      values.append(pressure)
      if (1300...1800).contains(pressure) { inRange += 1 }
    }
    values.sort()
    print(
      "thesis's defects on \(count) parts: \(100 * crashes / count) % crash, median "
        + "\(Int(values[values.count / 2])) hPa, nine in ten \(Int(values[values.count / 20])) to "
        + "\(Int(values[values.count * 19 / 20])) hPa, \(100 * inRange / count) % in 1300...1800 hPa"
    )
    #expect((5...50).contains(100 * crashes / count))
    #expect((3...40).contains(100 * inRange / count))
  }
}

/// The converter codes of a part, by bisection of the forward formula.
private struct RawPart {
  let calibration: Calibration
  init(_ calibration: Calibration) { self.calibration = calibration }

  func raw(pascals: Double, celsius: Double) -> RawMeasurement {
    func search(_ isBelow: (Int32) -> Bool) -> Int32 {
      var (low, high): (Int32, Int32) = (0, 0xFFFFF)
      while low < high {
        let middle = (low + high) / 2
        if isBelow(middle) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    func value(_ raw: RawMeasurement) -> CompensatedMeasurement {
      calibration.compensateSI(raw, variant: .datasheetDouble)
    }
    let temperature = search { value(RawMeasurement(temperature: $0)).temperature < celsius }
    let pressure = search {
      value(RawMeasurement(temperature: temperature, pressure: $0)).pressure > pascals
    }
    return RawMeasurement(temperature: temperature, pressure: pressure)
  }
}
