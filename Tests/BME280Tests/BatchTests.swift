import BME280
import TestSupport
import Testing

/// Tests that batches are bit-identical to single compensations.
struct BatchTests {
  @Test(
    "the results of a batch are bit-identical to those of single compensations",
    arguments: CompensationVariant.allCases)
  func equalBits(_ variant: CompensationVariant) throws {
    var generator = Seeded("batches, \(variant.name)")
    var columns = CompensatedColumns()
    var calibrations = CompensationVector.all.compactMap(\.calibration)
    for _ in 0..<2000 {
      let image = (0..<33).map { _ in UInt8.random(in: 0...255, using: &generator) }
      calibrations.append(try #require(Calibration(image)))
    }
    for calibration in calibrations {
      let raws = (0..<Int.random(in: 0...11, using: &generator)).map { _ in
        RawMeasurement(
          temperature: Int32.random(in: 0...0xFFFFF, using: &generator),
          pressure: Int32.random(in: 0...0xFFFFF, using: &generator),
          humidity: Int32.random(in: 0...0xFFFF, using: &generator))
      }
      calibration.compensate(raws.span, variant: variant, into: &columns)
      #expect(columns.count == raws.count)
      for (row, raw) in raws.enumerated() {
        let alone = calibration.compensate(raw, variant: variant)
        #expect(columns[row].bits == alone.bits, "\(calibration) \(raw)")
      }
    }
  }

  @Test("in a batch, a pressure sensitivity of zero results in a pressure of zero")
  func zeroSensitivity() {
    let calibration = Calibration(
      t1: 0, t2: 0, t3: 0, p1: 0, p2: 0, p3: 0, p4: 0, p5: 0, p6: 0, p7: 0, p8: 0, p9: 0)
    let raws = Array(repeating: RawMeasurement(), count: 4)
    var columns = CompensatedColumns()
    calibration.compensate(raws.span, variant: .datasheetDouble, into: &columns)
    #expect(columns.pressures == [0, 0, 0, 0])
  }
}

extension CompensatedMeasurement {
  /// The bits of all fields, so that -0 differs from 0.
  fileprivate var bits: [UInt64] {
    [UInt64(bitPattern: Int64(fineTemperature))]
      + [temperature, pressure, humidity].map(\.bitPattern)
  }
}
