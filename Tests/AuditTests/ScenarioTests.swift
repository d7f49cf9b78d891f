import Audit
import BME280
import BME280Model
import Diagnosis
import Environment
import Parts
import Quantities
import Rigs
import Testing

/// Every scenario is a valid rig.
struct ScenarioTests {
  /// The defect classes that no output reveals; the module's page gives the reasons.
  static let inexpressible: Set<String> = ["B31", "B46", "B55"]

  @Test(
    "the chip id of the scenario wrong-chip is not that of a BMP180, BMP280, BME280 or BME680")
  func wrongChip() throws {
    let scenario = try #require(Scenario.all.first { $0.name == "wrong-chip" })
    let known = ["0x55", "0x56", "0x57", "0x58", "0x60", "0x61"]
    #expect(scenario.faults.contains { $0.contains("reads: 0x") })
    #expect(
      !scenario.faults.contains { fault in known.contains { fault.contains("reads: \($0)") } })
  }

  @Test(
    "every scenario's rig is valid, and the part in the rig can measure the scenario's air",
    arguments: Scenario.all)
  func rig(_ scenario: Scenario) throws {
    let rig = try Rig(text: scenario.rig(at: Scenario.Place()), file: "\(scenario.name).yaml")
    #expect(rig.name == scenario.name)
    #expect(rig.summary.hasPrefix(scenario.summary))
    for phase in scenario.truths {
      let truth = ExpectedReading(phase, in: scenario)
      let widths = truth.bounds.mapValues { $0.upperBound - $0.lowerBound }
      #expect(try #require(widths[.temperature]) < 0.05 + 2 * scenario.slack.temperature)
      #expect(try #require(widths[.pressure]) < 25 + 2 * scenario.slack.pressure)
      guard scenario.chip.measuresHumidity else { continue }
      #expect(try #require(widths[.humidity]) < 0.2 + 2 * scenario.slack.humidity)
    }
  }

  @Test("scenario names are unique, and every detectable defect class is covered by a scenario")
  func classes() {
    #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
    let cited = Set(Scenario.all.flatMap(\.classes))
    #expect(cited == Set(DefectClass.all.map(\.id)).subtracting(Self.inexpressible))
  }

  @Test(
    "in the dry and saturated scenarios, no H5 decoding error moves the humidity into the range",
    arguments: [("dry", -3.0), ("above-saturation", 103)])
  func limits(_ name: String, _ humidity: Double) throws {
    let scenario = try #require(Scenario.all.first { $0.name == name })
    #expect(scenario.device.contains { $0.hasPrefix("offset: {humidity: ") })
    let calibration = scenario.part.calibration
    let air = scenario.truths[0].air
    var raw = try #require(ExpectedReading.measure(air, scenario.part, .bme280, .x1))
    func shown(_ defects: [String]) throws -> Double {
      let decoder = try #require(
        FaultyDecoder(defects: defects + ["humidity-not-limited"], formula: "datasheet-double"))
      return try #require(decoder.shows(raw, of: calibration).values.humidity)
    }
    raw.humidity = try #require(
      try (0...0xFFFF).first {
        raw.humidity = $0
        return try shown([]) >= humidity
      })
    for defect in FaultyDecoder.defectNames where defect.hasPrefix("h5-") {
      #expect(try !(0...100).contains(shown([defect])), "\(defect)")
    }
  }

  @Test(
    "in each skip-code scenario, the raw value of a real measurement is exactly the skip code",
    arguments: [
      ("code-of-skipped-temperature", 0, 0x80000), ("code-of-skipped-pressure", 1, 0x80000),
      ("code-of-skipped-humidity", 2, 0x8000),
    ] as [(String, Int, Int32)])
  func codes(_ name: String, _ channel: Int, _ code: Int32) throws {
    let scenario = try #require(Scenario.all.first { $0.name == name })
    let air = scenario.truths[0].air
    let raw = try #require(ExpectedReading.measure(air, scenario.part, .bme280, .x1))
    #expect([raw.temperature, raw.pressure, raw.humidity][channel] == code)
  }

  @Test("the calibration bytes of each scenario's part decode to the part's calibration words")
  func bytes() throws {
    for part in [Part.real, .packed, .negativeH4, .negativeH5, .negativeH6, .negativeH2, .signs] {
      let bytes = part.calibration.bytes
      #expect(Calibration(bytes: bytes.span) == part.calibration)
    }
  }

  @Test("the placeholders in a scenario's rig are replaced by the program's bus, address and times")
  func places() throws {
    let loss = try #require(Scenario.all.first { $0.name == "power-loss" })
    var place = Scenario.Place()
    (place.bus, place.address, place.event) = (3, 0x77, 12.25)
    let text = loss.rig(at: place)
    #expect(text.contains("at: 12.25s") && text.contains("address: 0x77"))
    #expect(try Rig(text: text, file: "loss.yaml").buses[0].number == 3)
    #expect(loss.needsSeveralReadings && !Scenario.calm.needsSeveralReadings)
  }

  @Test("scenarios that test humidity are not run for a BMP280")
  func bmp280() throws {
    let fitted = Scenario.all.compactMap { $0.fitted(with: .bmp280) }
    #expect(fitted.count < Scenario.all.count && !fitted.contains { $0.name.contains("h4") })
    for scenario in fitted {
      let rig = try Rig(text: scenario.rig(at: Scenario.Place()), file: "bmp.yaml")
      #expect(rig.buses[0].devices[0].part.model.name == "bmp280")
      #expect(ExpectedReading(scenario.truths[0], in: scenario).values[.humidity] == nil)
    }
  }
}
