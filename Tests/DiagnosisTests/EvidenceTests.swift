import BME280
import Diagnosis
import Quantities
import TestSupport
import Testing

/// Tests that explanations state their bits of evidence, and that chance results are not explanations.
struct EvidenceTests {
  /// Returns a reading of one measurement with correct temperature and pressure, and some humidity without decimals.
  static func shown(_ humidity: Int, of raw: RawMeasurement) -> Observation {
    let right = ExplanationTests.right(raw, .datasheetInt64)
    return Observation(
      temperature: .temperature("\(Decimals.text(right.temperature, 2))C"),
      pressure: .pressure("\(Decimals.text(right.pressure / 100, 2))hPa"),
      humidity: .humidity("\(humidity)%"))
  }

  @Test(
    "a random humidity without decimals is rarely explained, even if other quantities are correct")
  func randomHumidity() throws {
    var generator = Seeded("random humidity")
    let raw = ExplanationTests.raws[0]
    let evidence = ExplanationTests.evidence([raw])
    let right = Int(ExplanationTests.right(raw, .datasheetInt64).humidity.rounded())
    var (given, explained) = (0, 0)
    for _ in 0..<40 {
      var humidity = Int.random(in: 1...99, using: &generator)
      while abs(humidity - right) < 2 { humidity = Int.random(in: 1...99, using: &generator) }
      let diagnosis = Diagnosis(evidence, [Self.shown(humidity, of: raw)])
      let first = try #require(diagnosis.explanations.first)
      if first.isWhole { given += 1 }
      if !diagnosis.isUnexplained { explained += 1 }
    }
    print("of 40 random humidities defects give \(given), and \(explained) count as explained")
    #expect(given >= 4)
    #expect(explained <= 8)
  }

  @Test("the thesis's pressures are explained by its calibration defects, with more than 8 bits")
  func thesis() throws {
    let names = ["pressure-block-from-0x8d", "low-byte-signed", "p9-byte-twice"]
    let decoder = try #require(FaultyDecoder(defects: names, formula: "datasheet-int64"))
    let shown = try ExplanationTests.raws.map { raw in
      let value = try #require(decoder.shows(raw, of: Part.adversarial).values.pressure)
      return Observation(pressure: .pressure("\(Decimals.text(value / 100, 2))hPa"))
    }
    let first = try #require(Diagnosis(ExplanationTests.evidence(), shown).explanations.first)
    #expect(first.isWhole && !first.isPossibleByChance, "\(first)")
    #expect(try #require(first.bits) > 8)
  }

  @Test("repeated readings of constant air add no evidence, but readings of changing air do")
  func repeated() throws {
    func bits(_ raws: [RawMeasurement]) throws -> Double {
      var decoding = Decoding()
      let defect = try #require(Defect.all.first { $0.title == "B14 q24.8-divided-by-100" })
      if case .decoding(let change) = defect.change { change(&decoding) }
      let all = decoding.shown(
        FormulaTests.registers(Part.adversarial), raws.map(Part.bytes))
      let shown = all.map { shown in
        Observation(
          pressure: shown.values.pressure.flatMap {
            .pressure("\(Decimals.text($0 / 100, 2))hPa")
          })
      }
      let first = try #require(Diagnosis(ExplanationTests.evidence(raws), shown).explanations.first)
      #expect(first.isWhole && first.defects.count == 1, "\(first)")
      return try #require(first.bits)
    }
    let one = try bits([ExplanationTests.raws[0]])
    let same = try bits([RawMeasurement](repeating: ExplanationTests.raws[0], count: 10))
    let changing = try bits(ExplanationTests.raws)
    #expect(same <= one, "\(same) \(one)")
    #expect(changing > one + 2, "\(changing) \(one)")
  }
}
