import BME280
import Diagnosis
import I2C
import I2CTrace
import Quantities
import TestSupport
import Testing

/// Tests that values are explained only if reproduced to the last digit, each quantity by one formula.
struct ExplanationTests {
  static let raws = [
    RawMeasurement(temperature: 519_888, pressure: 345_148, humidity: 27_500),
    RawMeasurement(temperature: 533_127, pressure: 350_916, humidity: 30_417),
    RawMeasurement(temperature: 501_604, pressure: 338_273, humidity: 33_902),
    RawMeasurement(temperature: 547_339, pressure: 361_720, humidity: 25_116),
  ]

  /// Returns the transfers that read the whole calibration and then some data, once per second.
  static func evidence(
    _ raws: [RawMeasurement] = raws, of calibration: Calibration = Part.adversarial
  ) -> Evidence {
    let nvm = calibration.bytes
    func hex(_ bytes: [UInt8]) -> String {
      bytes.map { String($0, radix: 16) }.joined(separator: " ")
    }
    let low = hex((0..<26).map { nvm[$0] })
    let high = hex((26..<33).map { nvm[$0] })
    var lines: [(Double, String)] = [
      (1, "wd0,r60"), (2, "w88,r\(low)"), (3, "we1,r\(high)"), (4, "wf2 01"),
    ]
    for (index, raw) in raws.enumerated() {
      let start = Double(index + 1) * 1000
      lines += [(start, "wf4 25"), (start + 20, "wf7,r\(hex(Part.bytes(raw)))")]
    }
    return Evidence(ConversationTests.transfers(lines))
  }

  static func right(_ raw: RawMeasurement, _ variant: CompensationVariant) -> CompensatedMeasurement
  {
    Part.adversarial.compensateSI(raw, variant: variant)
  }

  static func text(_ value: Double, _ digits: Int = 2) -> String { Decimals.text(value, digits) }

  static func observations(
    _ raws: [RawMeasurement] = raws,
    _ values: (RawMeasurement) -> (temperature: Double, pressure: Double, humidity: Double?)
  ) -> [Observation] {
    raws.map { raw in
      let shown = values(raw)
      return Observation(
        temperature: .temperature("\(text(shown.temperature))C"),
        pressure: .pressure("\(text(shown.pressure / 100))hPa"),
        humidity: shown.humidity.flatMap { .humidity("\(text($0))%") })
    }
  }

  static func decoded(_ title: String, _ raw: RawMeasurement, _ kind: Formula.Kind) throws
    -> DisplayedReading
  {
    var decoding = Decoding()
    decoding.formula.kind = kind
    let defect = try #require(Defect.all.first { $0.title == title })
    if case .decoding(let change) = defect.change { change(&decoding) }
    return decoding.shown(FormulaTests.registers(Part.adversarial), [Part.bytes(raw)])[0]
  }

  @Test("temperature by the double formula with pressure by an integer formula is accepted")
  func mixedFormulas() {
    let shown = Self.observations { raw in
      (
        Self.right(raw, .datasheetDouble).temperature, Self.right(raw, .datasheetInt64).pressure,
        Self.right(raw, .datasheetDouble).humidity
      )
    }
    let diagnosis = Diagnosis(Self.evidence(), shown)
    #expect(diagnosis.isClean, "\(diagnosis.explanations)")
  }

  @Test(
    "unscaled 64-bit pressures with double temperatures (the thesis's last commit) are explained")
  func thesis() throws {
    let shown = try Self.raws.map { raw in
      let pressure = try #require(Self.decoded("B14 q24.8-not-scaled", raw, .int64).values.pressure)
      let temperature = Self.right(raw, .datasheetDouble).temperature
      return Observation(
        temperature: .temperature("\(Self.text(temperature, 4))C"),
        pressure: .pressure("\(Self.text(pressure / 100))hPa"))
    }
    let diagnosis = Diagnosis(Self.evidence(), shown)
    let first = try #require(diagnosis.explanations.first)
    #expect(first.isWhole && first.defects.map(\.title) == ["B14 q24.8-not-scaled"])
    #expect(first.formula.contains("temperature datasheet-double"))
  }

  @Test("one quantity is explained even if another quantity remains unexplained")
  func perQuantity() throws {
    var shown = Self.observations { raw in
      (40.0 + Double(raw.humidity % 7), Self.right(raw, .datasheetInt64).pressure * 2.56, nil)
    }
    for index in shown.indices { shown[index].humidity = nil }
    let diagnosis = Diagnosis(Self.evidence(), shown)
    let first = try #require(diagnosis.explanations.first)
    #expect(first.unexplainedQuantities == ["temperature"])
    #expect(first.defects.map(\.title) == ["B14 q24.8-divided-by-100"])
    #expect(diagnosis.isUnexplained)
  }

  @Test(
    "correct values are accepted with any number of digits, rounded or truncated",
    arguments: [0, 1, 2, 3, 5])
  func digits(_ digits: Int) {
    for variant in CompensationVariant.allCases {
      for cut in [false, true] {
        let shown = Self.raws.map { raw in
          let value = Self.right(raw, variant)
          func text(_ value: Double) -> String {
            cut ? Decimals.cut(value, digits) : Decimals.text(value, digits)
          }
          return Observation(
            temperature: .temperature("\(text(value.temperature))C"),
            pressure: .pressure("\(text(value.pressure / 100))hPa"),
            humidity: .humidity("\(text(value.humidity))%"))
        }
        let diagnosis = Diagnosis(Self.evidence(), shown)
        #expect(diagnosis.isClean, "\(variant.name) \(cut) \(diagnosis.explanations)")
      }
    }
  }

  @Test("if quantities are read separately, use of the previous reading's t_fine is detected")
  func carriedState() throws {
    let nvm = Part.adversarial.bytes
    func hex(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { String($0, radix: 16) }.joined(separator: " ")
    }
    var lines: [(Double, String)] = [
      (1, "wd0,r60"), (2, "w88,r\(hex((0..<26).map { nvm[$0] }))"),
      (3, "we1,r\(hex((26..<33).map { nvm[$0] }))"), (4, "wf2 01"),
    ]
    for (index, raw) in Self.raws.enumerated() {
      let (start, bytes) = (Double(index + 1) * 1000, Part.bytes(raw))
      lines += [
        (start, "wf4 25"), (start + 20, "wfd,r\(hex(bytes[6...]))"),
        (start + 21, "wf7,r\(hex(bytes[..<3]))"), (start + 22, "wfa,r\(hex(bytes[3..<6]))"),
      ]
    }
    var decoding = Decoding()
    decoding.fine = .previous
    let all = decoding.shown(
      FormulaTests.registers(Part.adversarial), Self.raws.map(Part.bytes))
    let shown = all.map { shown in
      Observation(
        temperature: shown.values.temperature.flatMap { .temperature("\(Self.text($0))C") },
        pressure: shown.values.pressure.flatMap { .pressure("\(Self.text($0 / 100))hPa") },
        humidity: shown.values.humidity.flatMap { .humidity("\(Self.text($0))%") })
    }
    let diagnosis = Diagnosis(Evidence(ConversationTests.transfers(lines)), shown)
    let first = try #require(diagnosis.explanations.first)
    #expect(
      first.isWhole && first.defects.map(\.title) == ["B13 fine-temperature-stale"], "\(first)")
  }

  @Test(
    "a value that is clamped to the part's range is reported as a defect", arguments: [true, false])
  func clamped(_ isCut: Bool) throws {
    let raw = RawMeasurement(temperature: 519_888, pressure: 215_000, humidity: 27_500)
    let whole = Self.right(raw, .datasheetInt64)
    try #require(whole.pressure > 110_500)
    let shown = Observation(
      temperature: .temperature("\(Self.text(whole.temperature))C"),
      pressure: .pressure(isCut ? "1100.00hPa" : "\(Self.text(whole.pressure / 100))hPa"))
    let diagnosis = Diagnosis(Self.evidence([raw]), [shown])
    #expect(diagnosis.isClean != isCut)
    if isCut { #expect(diagnosis.explanations.first?.defects.map(\.classID) == ["B20"]) }
  }

  @Test(
    "defects are found in truncated values; an explanation never mixes truncation and rounding")
  func cutDigits() throws {
    let names = ["fine-temperature-from-raw-pressure", "p6-for-p5"]
    let decoder = try #require(FaultyDecoder(defects: names, formula: "datasheet-int64"))
    func explanations(_ text: (Int, Double) -> String) throws -> [Explanation] {
      let shown = try Self.raws.enumerated().map { index, raw in
        let value = try #require(decoder.shows(raw, of: Part.adversarial).values.pressure)
        return Observation(pressure: .pressure("\(text(index, value))Pa"))
      }
      return Diagnosis(Self.evidence(), shown).explanations.filter(\.isWhole)
    }
    let cut = try explanations { Decimals.cut($1, 2) }
    #expect(cut.map { Set($0.defects.map(\.name)) } == [Set(names)])
    // One digit up, one digit down: no program shows that.
    let mixed = try explanations { $0 == 0 ? Decimals.cut($1 + 0.01, 2) : Decimals.cut($1, 2) }
    #expect(mixed.isEmpty, "\(mixed)")
  }

  @Test("a built-in correction is found and reported with its amount")
  func constant() throws {
    let shown = Self.observations { raw in
      let right = Self.right(raw, .datasheetInt32)
      return (right.temperature, right.pressure + 3080, right.humidity)
    }
    let first = try #require(Diagnosis(Self.evidence(), shown).explanations.first)
    #expect(first.isWhole && first.defects.map(\.classID) == ["B49"])
    #expect(first.amounts == ["pressure +30.8 hPa"])
  }

  @Test(
    "a humidity of 0 or 100 % is explained by one defect at most, with a note in the report")
  func limits() throws {
    let raw = RawMeasurement(temperature: 519_888, pressure: 345_148, humidity: 61_234)
    for text in ["0.0%", "100.0%"] {
      let diagnosis = Diagnosis(
        Self.evidence([raw]), [Observation(humidity: .humidity(text))])
      guard let first = diagnosis.explanations.first, first.isWhole, !first.defects.isEmpty
      else { continue }
      #expect(first.defects.count == 1 && first.reliesOnLimits)
      let report = DiagnosisReport.text(diagnosis, file: "x")
      #expect(report.contains("values at a limit do not identify the defect"))
    }
  }

  @Test("at most a quarter of random single values are explained, and each states its chance")
  func chance() throws {
    var generator = Seeded("single values that nothing explains")
    var (found, promised) = (0, 0.0)
    let evidence = Self.evidence([Self.raws[0]])
    let count = 60
    for _ in 0..<count {
      let pascals = Double.random(in: 90_000...115_000, using: &generator)
      let diagnosis = Diagnosis(
        evidence, [Observation(pressure: .pressure("\(Self.text(pascals / 100))hPa"))])
      let first = try #require(diagnosis.explanations.first)
      // Some are correct by chance, which is not an explanation.
      if first.isWhole, !first.defects.isEmpty {
        found += 1
        promised += try #require(first.chance)
      }
    }
    print(
      "\(found) of \(count) explained by chance, said on average \(promised / Double(max(found, 1)))"
    )
    #expect(found <= count / 4)
    #expect(promised / Double(max(found, 1)) < 0.25)
    #expect(found == 0 || promised > 0)
  }
}

/// Numbers with some decimals.
enum Decimals {
  static func text(_ value: Double, _ digits: Int) -> String { of(value, digits) { $0.rounded() } }
  static func cut(_ value: Double, _ digits: Int) -> String {
    of(value, digits) { $0.rounded(.towardZero) }
  }

  private static func of(_ value: Double, _ digits: Int, _ whole: (Double) -> Double) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let number = Int64(whole(abs(value) * scale))
    let (integer, fraction) = number.quotientAndRemainder(dividingBy: Int64(scale))
    let decimals = String(fraction)
    let zeros = String(repeating: "0", count: max(digits - decimals.count, 0))
    return (value < 0 ? "-" : "") + "\(integer)" + (digits > 0 ? ".\(zeros)\(decimals)" : "")
  }
}
