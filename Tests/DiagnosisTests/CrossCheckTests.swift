import BME280
import Diagnosis
import Quantities
import TestSupport
import Testing

/// Tests that an explanation for one bench must not contradict the others.
struct CrossCheckTests {
  private static let raws = ExplanationTests.raws

  private static func defect(_ title: String) throws -> Defect {
    try #require(Defect.all.first { $0.title == title })
  }

  /// Returns a bench on which a program with a defect, or a correct one, shows all values.
  private static func bench(_ title: String?, isPlain: Bool = false) throws -> CrossCheck.Bench {
    let shown = ExplanationTests.observations(raws) { raw in
      guard let title, let shown = try? ExplanationTests.decoded(title, raw, .int64),
        let temperature = shown.values.temperature, let pressure = shown.values.pressure
      else {
        let right = ExplanationTests.right(raw, .datasheetInt64)
        return (right.temperature, right.pressure, right.humidity)
      }
      return (temperature, pressure, shown.values.humidity)
    }
    return CrossCheck.Bench(ExplanationTests.evidence(raws), shown, isPlain: isPlain)
  }

  @Test("a defect is excluded if it would change values that another bench shows correctly")
  func right() throws {
    let check = CrossCheck([try Self.bench(nil)])
    for title in ["B03 h4-h5-not-sign-extended", "B06 words-unsigned", "B07 words-big-endian"] {
      #expect(!check.allows([try Self.defect(title)]), "\(title)")
    }
    #expect(check.allows([try Self.defect("B28 skip-code-as-zero")]), "it changes nothing here")
  }

  @Test("an explanation is excluded if it does not explain the wrong values of a plain bench")
  func plain() throws {
    let (own, other) = ("B03 h4-h5-not-sign-extended", "B05 h1-from-0xa0")
    let check = CrossCheck([try Self.bench(own, isPlain: true)])
    #expect(check.allows([try Self.defect(own)]))
    #expect(!check.allows([try Self.defect(other)]))
    let special = CrossCheck([try Self.bench(own)])
    #expect(special.allows([try Self.defect(other)]), "a special bench may have its own reasons")
  }

  @Test("if other benches contradict small sets of defects, larger sets are tried")
  func larger() throws {
    let names = ["h1-from-0x9f", "humidity-byte-twice", "xlsb-from-msb"]
    func shown(_ raws: [RawMeasurement]) throws -> (evidence: Evidence, shown: [Observation]) {
      let decoder = try #require(FaultyDecoder(defects: names, formula: "datasheet-double"))
      let shown = raws.map { raw in
        let humidity = decoder.shows(raw, of: Part.adversarial).values.humidity ?? 0
        return Observation(humidity: .humidity("\(Decimals.text(humidity, 4))%"))
      }
      return (ExplanationTests.evidence(raws), shown)
    }
    // Codes whose lowest bits equal the highest: the third defect has no effect.
    let hidden = try shown([
      RawMeasurement(temperature: 0x7FCD7, pressure: 0x52E95, humidity: 9512),
      RawMeasurement(temperature: 0x81138, pressure: 0x4FF44, humidity: 11_417),
    ])
    let whole = try shown(
      Self.raws.enumerated().map { index, raw in
        var raw = raw
        raw.humidity = 7012 + 1700 * Int32(index)
        return raw
      })
    let small = Diagnosis(hidden.evidence, hidden.shown)
    #expect(small.explanations.contains { Set($0.defects.map(\.name)) == Set(names.prefix(2)) })
    let check = CrossCheck([
      .init(hidden.evidence, hidden.shown, isPlain: false),
      .init(whole.evidence, whole.shown, isPlain: true),
    ])
    let large = Diagnosis(hidden.evidence, hidden.shown, check: check)
    #expect(large.explanations.map { Set($0.defects.map(\.name)) } == [Set(names)])
    #expect(check.larger.map { Set($0.map(\.name)) } == [Set(names)])
  }

  @Test("a built-in correction of arbitrary amount is not accepted as an explanation")
  func fitted() throws {
    #expect(!CrossCheck([]).allows([try Self.defect("B49 built-in-correction")]))
    #expect(CrossCheck([]).allows([try Self.defect("B05 h1-from-0xa0")]))
  }

  @Test("values of Bosch's double formula, which applies H3 twice, are reported if H3 is not 0")
  func boschDouble() throws {
    let raws = Self.raws.enumerated().map { index, raw in
      RawMeasurement(
        temperature: raw.temperature, pressure: raw.pressure, humidity: 4000 + 2000 * Int32(index))
    }
    let shown = ExplanationTests.observations(raws) { raw in
      let right = ExplanationTests.right(raw, .boschDouble)
      return (right.temperature, right.pressure, right.humidity)
    }
    let first = try #require(
      Diagnosis(ExplanationTests.evidence(raws), shown).explanations.first)
    #expect(first.isWhole && first.defects.map(\.title) == ["B51 h3-applied-twice"], "\(first)")
  }
}
