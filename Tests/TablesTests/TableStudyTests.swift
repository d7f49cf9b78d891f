import Diagnosis
import Quantities
import Rigs
import Runs
import Support
import Tables
import Testing

/// Explanations of tables with planted causes.
struct TableStudyTests {
  /// Returns the table displayed by a rig's program with defects.
  static func shown(
    by compare: String, _ calibration: String = "kkoovalsky-internet"
  ) throws -> ShownTable {
    let text = """
      name: planted
      duration: 121min
      buses: [{number: 1, devices: [{address: 0x76, model: bme280, calibration: \(calibration)}]}]
      environment:
        steps:
          - {at: 0s, pressure: 1012hPa, temperature: 26.21C}
          - {at: 30min, pressure: 1003hPa, temperature: 21.5C}
          - {at: 90min, pressure: 1021hPa, temperature: 30.8C}
      pipeline:
        oversampling: {temperature: 1, pressure: 1, humidity: 0}
        cycle: 1h
        compare: \(compare)
      """
    var pressures: [Double] = []
    try RigRun(Rig(text: text, file: "planted.yaml")).run { event in
      if case .average(let average) = event, let shown = average.compared?.shown.pressure {
        pressures.append(shown)
      }
    }
    let air = [(1012, 26.21), (1003, 21.5), (1021, 30.8)]
    return ShownTable(
      zip(pressures, air).enumerated().map { hour, row in
        ShownTable.Row(
          time: Double(hour) * 3600, shown: (row.0 / 10).rounded() * 10, shownHalf: 5,
          right: Double(row.1.0) * 100, rightHalf: 5, celsius: row.1.1)
      })
  }

  static func settings(_ change: (inout TableStudy.Settings) -> Void = { _ in })
    -> TableStudy
    .Settings
  {
    var settings = TableStudy.Settings()
    settings.limits.defects = 1
    settings.limits.parts = 0
    settings.limits.controls = 20
    change(&settings)
    return settings
  }

  @Test(
    "if a program with one defect made the table, the best explanation is this defect alone",
    arguments: [
      "pressure-block-from-0x8d", "p9-byte-twice", "fine-temperature-stale",
      "fine-temperature-zero", "fine-temperature-of-the-first",
      "pressure-words-from-temperature-reply",
    ])
  func single(_ name: String) throws {
    let study = try TableStudy(Self.shown(by: "{defects: [\(name)]}"), Self.settings())
    let best = try #require(study.answers.first, "\(study.text)")
    #expect(best.explanation.defects.map(\.name) == [name], "\(study.text)")
    // Parts that this defect changes in the same way are equivalent: none of them misses a row.
    #expect(study.answers.allSatisfy { $0.explanation.distance <= 1 })
    #expect(study.isExplained)
    #expect(study.answers.first?.file == "explanation-1.yaml")
    #expect(best.explanation.changes == 0 && study.unconfirmed == 0)
  }

  @Test("if pressures are missing from a sum, the explanation gives their row and number")
  func lost() throws {
    let study = try TableStudy(
      Self.shown(by: "{defects: [p9-byte-twice], changes: [{at: 2h, lost: 2}]}"), Self.settings())
    let best = try #require(study.answers.first).explanation
    #expect(best.steps.map(\.row) == [0, 2])
    #expect(best.steps.map(\.lost) == [0, 2])
    #expect(best.defects.map(\.name) == ["p9-byte-twice"])
    #expect(study.isExplained)
  }

  @Test(
    "a row without the defect of the other rows is found, and the written rig reproduces the table")
  func rightInBetween() throws {
    let study = try TableStudy(
      Self.shown(
        by: "{defects: [p9-byte-twice], changes: [{at: 1h, defects: []}, "
          + "{at: 2h, defects: [p9-byte-twice]}]}"), Self.settings())
    let best = try #require(study.answers.first, "\(study.text)").explanation
    let names = best.steps.map { $0.defects.map(\.name) }
    #expect(names == [["p9-byte-twice"], [], ["p9-byte-twice"]])
    #expect(study.unconfirmed == 0)
    #expect(study.text.contains("no defect"))
  }

  @Test(
    "if the program has other defects from a certain row on, these defects and this row are found")
  func builds() throws {
    let study = try TableStudy(
      Self.shown(
        by: "{defects: [pressure-block-from-0x8d], changes: [{at: 1h, defects: [p9-byte-twice]}]}"),
      Self.settings())
    let best = try #require(study.answers.first, "\(study.text)").explanation
    #expect(
      best.steps.map { $0.defects.map(\.name) } == [
        ["pressure-block-from-0x8d"], ["p9-byte-twice"],
      ])
    #expect(best.steps.map(\.row) == [0, 1])
  }

  @Test("if no known part made the table, a calibration that comes close to the table is fitted")
  func fitted() throws {
    let table = try Self.shown(by: "{defects: [pressure-block-from-0x8d]}", "saph")
    let study = try TableStudy(
      table,
      Self.settings {
        $0.parts = ["kkoovalsky-internet", "periph-i2c", "bme280pi", "dump-2d6f", "go-ee6eca68"]
        $0.formulas = ["datasheet-int32"]
        $0.given = ["pressure-block-from-0x8d"]
        $0.limits.parts = 60
        $0.limits.controls = 4
      })
    let best = study.answers.first?.explanation ?? study.nearest?.explanation
    let near = try #require(best)
    #expect(near.distance < 40, "\(study.text)")
  }

  @Test("a table without an explanation is reported as such, with the rig of the nearest miss")
  func nothing() throws {
    let rows = [(178_900.0, 26.0), (40_000, 25.9), (391_100, 26.1)]
    let table = ShownTable(
      rows.enumerated().map {
        ShownTable.Row(
          time: Double($0) * 3600, shown: $1.0, shownHalf: 5, right: 101_200, rightHalf: 5,
          celsius: $1.1)
      })
    let study = try TableStudy(table, Self.settings())
    #expect(!study.isExplained)
    #expect(
      study.text.contains("No significant explanation")
        || study.text.contains("No explanation was found"))
    let near = try #require(study.nearest)
    #expect(near.explanation.distance > 1)
    #expect(try RigRun(Rig(text: near.rig, file: near.file)).run().passed)
  }

  @Test(
    "an insignificant result is written as a near miss, a significant one as an explanation")
  func names() throws {
    let table = ShownTable(
      [(90_000.0, 26.0), (123_400, 25.9)].enumerated().map {
        ShownTable.Row(
          time: Double($0) * 3600, shown: $1.0, shownHalf: 50, right: 101_200, rightHalf: 50,
          celsius: $1.1)
      })
    let study = try TableStudy(
      table,
      Self.settings {
        $0.limits.parts = TableSearch.Limits().parts
        $0.limits.controls = TableSearch.Limits().controls
        $0.limits.climbs = 16
      })
    #expect(!study.isExplained && !study.answers.isEmpty, "\(study.text)")
    for (index, answer) in study.answers.enumerated() {
      #expect(answer.file == "nearest-miss-\(index + 1).yaml")
      #expect(
        answer.rig.hasPrefix("# Written by 'aneroid explain': not an explanation, since random"))
      #expect(answer.rig.contains("name: nearest-miss-\(index + 1)\n"))
    }
  }

  @Test("the same seed gives the same result")
  func seeded() throws {
    let table = try Self.shown(by: "{defects: [p9-byte-twice]}")
    let settings = Self.settings {
      $0.limits.parts = 10
      $0.formulas = ["datasheet-int32"]
      $0.seed = 7
    }
    #expect(
      try TableStudy(table, settings).json.compact == TableStudy(table, settings).json.compact)
  }
}
