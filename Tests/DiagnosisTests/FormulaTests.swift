import BME280
import Diagnosis
import Quantities
import TestSupport
import Testing

/// Tests that the arithmetic is correct without a defect.
struct FormulaTests {
  /// Returns the calibration bytes as registers.
  static func registers(_ calibration: Calibration) -> [UInt8?] {
    var registers = [UInt8?](repeating: nil, count: 256)
    let bytes = calibration.bytes
    for index in bytes.indices { registers[Calibration.register(ofByte: index)] = bytes[index] }
    registers[0xE8] = 0
    return registers
  }

  @Test("without defects, the results equal the datasheet's code on random parts in random air")
  func sameAsBME280() {
    var generator = Seeded("formulas without defects")
    for _ in 0..<3000 {
      let calibration = Part.random(&generator)
      let raw = RawMeasurement(
        temperature: .random(in: 400_000...600_000, using: &generator),
        pressure: .random(in: 250_000...450_000, using: &generator),
        humidity: .random(in: 15_000...45_000, using: &generator))
      for (kind, variant) in [
        (Formula.Kind.int64, CompensationVariant.datasheetInt64), (.int32, .datasheetInt32),
        (.double, .datasheetDouble),
      ] {
        var decoding = Decoding()
        decoding.formula.kind = kind
        let shown = decoding.shown(Self.registers(calibration), [Part.bytes(raw)])[0]
        let right = calibration.compensateSI(raw, variant: variant)
        let tolerance = kind == .double ? 1e-6 : 0
        #expect(abs((shown.values.temperature ?? .nan) - right.temperature) <= tolerance)
        #expect(abs((shown.values.pressure ?? .nan) - right.pressure) <= tolerance * 100, "\(kind)")
        #expect(abs((shown.values.humidity ?? .nan) - right.humidity) <= tolerance)
        #expect(!shown.crashes)
      }
    }
  }

  @Test(
    "around 4,000 hPa the 32-bit pressure equals the data sheet's C code, with unsigned squares"
  )
  func unsignedSquare() {
    var generator = Seeded("pressures above 3707 hPa")
    var count = 0
    for _ in 0..<2000 {
      var calibration = Part.random(&generator)
      // The example of the datasheet, except for P1 and P9: no other product overflows.
      calibration.p1 = .random(in: 8500...9500, using: &generator)
      (calibration.p2, calibration.p3, calibration.p4) = (-10685, 3024, 2855)
      (calibration.p5, calibration.p6, calibration.p7) = (140, -7, 15500)
      (calibration.p8, calibration.p9) = (-14600, 4000)
      (calibration.t1, calibration.t2, calibration.t3) = (27504, 26435, -1000)
      let raw = RawMeasurement(
        temperature: .random(in: 500_000...540_000, using: &generator),
        pressure: .random(in: 250_000...450_000, using: &generator), humidity: 30_000)
      let right = calibration.compensateSI(raw, variant: .datasheetInt32).pressure
      guard (375_000..<500_000).contains(right) else { continue }
      count += 1
      var decoding = Decoding()
      decoding.formula.kind = .int32
      let shown = decoding.shown(Self.registers(calibration), [Part.bytes(raw)])[0]
      #expect(shown.values.pressure == right)
      #expect(!shown.crashes)
    }
    #expect(count > 100)
  }

  /// The example of the BMP280's datasheet.
  static let example = Part.words(
    t: [27504, 26435, -1000], p: [36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000])

  @Test(
    "each combination of the thesis's defects produces the expected pressure",
    arguments: [
      ([], 100_656, 100_653.25),
      (["B10 pressure-block-from-0x8d"], 96798, 96794.00),
      (["B06 low-byte-signed"], 102_484, 102_481.61),
      (["B19 p9-byte-twice"], 100_630, 100_626.98),
      (["B10 pressure-block-from-0x8d", "B06 low-byte-signed"], 91547, 91544.93),
      (
        ["B10 pressure-block-from-0x8d", "B06 low-byte-signed", "B19 p9-byte-twice"], 98637,
        98635.48
      ),
    ])
  func thesis(_ names: [String], _ int32: Double, _ int64: Double) throws {
    let raw = RawMeasurement(temperature: 519_888, pressure: 415_148)
    for (kind, wanted) in [(Formula.Kind.int32, int32), (.int64, int64)] {
      var decoding = Decoding()
      decoding.formula.kind = kind
      for name in names {
        let defect = try #require(Defect.all.first { $0.title == name })
        if case .decoding(let change) = defect.change { change(&decoding) }
      }
      let shown = decoding.shown(Self.registers(Self.example), [Part.bytes(raw)])[0]
      #expect(
        abs((shown.values.pressure ?? 0) - wanted) < (kind == .int32 ? 0.5 : 0.006), "\(kind)")
    }
  }

  @Test(
    "an unsigned temperature formula shows 79.40 C instead of 28.20 C, as a user reported"
  )
  func unsigned() throws {
    var decoding = Decoding()
    decoding.formula.isTemperatureUnsigned = true
    let calibration = Part.words(
      t: [28256, 26879, -1000], p: [36243, -10606, 3024, 4102, 154, -7, 15500, -14600, 6000])
    let data = Part.bytes(RawMeasurement(temperature: 540_380, pressure: 394_626))
    #expect(decoding.shown(Self.registers(calibration), [data])[0].values.temperature == 79.40)
  }
}
