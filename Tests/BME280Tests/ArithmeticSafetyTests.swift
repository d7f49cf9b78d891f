import BME280
import TestSupport
import Testing

/// Tests that no calibration bytes and no register values cause a trap.
struct ArithmeticSafetyTests {
  @Test(
    "no combination of calibration and raw values causes an arithmetic trap",
    arguments: CompensationVariant.allCases)
  func neverTraps(_ variant: CompensationVariant) throws {
    var generator = Seeded("compensation of random calibrations, \(variant.name)")
    var finite = 0
    for _ in 0..<50_000 {
      let image = (0..<33).map { _ in
        // Extreme bytes are the most likely to overflow.
        Bool.random(using: &generator)
          ? UInt8.random(in: 0...255, using: &generator)
          : [0x00, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      }
      let calibration = try #require(Calibration(image))
      let raw = RawMeasurement(
        temperature: Int32.random(in: 0...0xFFFFF, using: &generator),
        pressure: Int32.random(in: 0...0xFFFFF, using: &generator),
        humidity: Int32.random(in: 0...0xFFFF, using: &generator))
      let result = calibration.compensate(raw, variant: variant)
      if result.temperature.isFinite { finite += 1 }
    }
    #expect(finite == 50_000)
  }

  @Test(
    "if the pressure sensitivity is zero, the pressure is 0 or, in Bosch's code, the lower limit")
  func zeroSensitivity() {
    let calibration = Calibration(
      t1: 0, t2: 0, t3: 0, p1: 0, p2: 0, p3: 0, p4: 0, p5: 0, p6: 0, p7: 0, p8: 0, p9: 0)
    let raw = RawMeasurement()
    let expected: [CompensationVariant: Double] = [
      .datasheetInt64: 0, .datasheetInt32: 0, .datasheetDouble: 0,
      .boschInt64: 3_000_000, .boschInt32: 30_000, .boschDouble: 30_000,
      .boschBMP2Int64: 0,
    ]
    for variant in CompensationVariant.allCases {
      #expect(calibration.compensate(raw, variant: variant).pressure == expected[variant])
    }
  }

  @Test("the native units of each formula are converted to C, Pa and %RH")
  func conversion() {
    let native = CompensatedMeasurement(
      fineTemperature: 128_422, temperature: 2508, pressure: 25_767_233, humidity: 51_200)
    let si = native.converted(from: .datasheetInt64)
    #expect(si.temperature == 25.08)
    #expect(si.pressure == 100_653.253_906_25)
    #expect(si.humidity == 50)
    #expect(native.converted(from: .boschInt64).pressure == 257_672.33)
    #expect(native.converted(from: .boschInt32).pressure == 25_767_233)
    #expect(native.converted(from: .datasheetDouble) == native)
  }
}
