import Audit
import Diagnosis
import Testing

/// Inputs of parts, such as voltages, in the output of programs.
struct MeasurandTests {
  /// The measurands of a part, and their values on the calm bench.
  static func calm(_ part: String) throws -> (known: [Measurand], truth: [Measurand: Double]) {
    let part = try AuditedPart(part)
    let scenario = Scenario.calm(of: part)
    return (part.measurands, ExpectedReading(scenario.phases[0], in: scenario).values)
  }

  /// Returns the inferred values of the last reading by field name.
  static func guessed(_ part: String, _ lines: [String]) throws -> [String: Double] {
    let (known, truth) = try calm(part)
    let guess = try FormatInference(lines, truth: truth, known: known)
    let source = try PatternSource(guess.patterns, of: known)
    var assembly = ReadingAssembly()
    for line in lines { assembly.take(source.values(in: line)) }
    assembly.finish()
    let reading = try #require(assembly.readings.last)
    return Dictionary(
      uniqueKeysWithValues: reading.map {
        ($0.key.fieldName, (($0.value.value ?? .nan) * 1e6).rounded() / 1e6)
      })
  }

  @Test(
    "the outputs of libraries' examples are recognised",
    arguments: [
      ("ads1115", ["AIN0: 12000  1.5000V", "AIN1: 8000  1.0000V"], ["ain0": 1.5, "ain1": 1]),
      // A wrong value keeps the name of its channel.
      ("ads1115", ["AIN0: 8000  1.0000V", "AIN1: 12000  1.5000V"], ["ain0": 1, "ain1": 1.5]),
      ("ads1115", ["Channel 0: 1.2500 V", "Channel 3: 1.5000 V"], ["ain0": 1.25, "ain3": 1.5]),
      ("ads1115", ["A0: 1.5 V  A1: 1.0 V"], ["ain0": 1.5, "ain1": 1]),
      ("ads1115", ["ain0-ain1: 500.0 mV"], ["ain0_ain1": 0.5]),
      (
        "ads1115", ["'AIN0 voltage': Sending state 1.50000 V with 3 decimals of accuracy"],
        ["ain0": 1.5]
      ),
      (
        "ina219",
        [
          "Bus Voltage:   5.000 V", "Shunt Voltage: 12.40 mV", "Load Voltage:  5.012 V",
          "Current:       124.00 mA", "Power:         620.00 mW",
        ], ["bus_voltage": 5, "shunt_voltage": 0.0124, "current": 0.124, "power": 0.62]
      ),
      (
        "ina219", ["Bus: 5.000V, Current: 124.000mA, Power: 620mW, Shunt: 12.400mV"],
        ["bus_voltage": 5, "shunt_voltage": 0.0124, "current": 0.124, "power": 0.62]
      ),
      (
        "ina219", ["Bus voltage: 5.00000 V", "Bus power: 0.62000 W", "Shunt current: 0.12400 A"],
        ["bus_voltage": 5, "current": 0.124, "power": 0.62]
      ),
      ("ina219", ["ina219: bus voltage is 5000.000mV."], ["bus_voltage": 5]),
      (
        "ina219", ["PSU Voltage: 5.012 V", "Shunt Voltage: 0.012400 V", "Load Voltage: 5.000 V"],
        ["shunt_voltage": 0.0124]
      ),
      (
        "ina219", ["5.000\t12.400\t124.000\t620.000"],
        ["bus_voltage": 5, "shunt_voltage": 0.0124, "current": 0.124, "power": 0.62]
      ),
      ("bh1750", ["Light: 320 lx"], ["light": 320]),
      ("bh1750", ["Ambient: 320.8"], ["light": 320.8]),
      ("bh1750", [#"{"lux": 321.5}"#], ["light": 321.5]),
      (
        "scd4x", ["CO2 620", "Temperature 18.63", "Humidity 42.6"],
        ["co2": 620, "temperature": 18.63, "humidity": 42.6]
      ),
    ])
  func labels(_ part: String, _ lines: [String], _ values: [String: Double]) throws {
    #expect(try Self.guessed(part, lines) == values)
  }

  @Test("a prefix that changes with the size of the value is followed")
  func prefixes() throws {
    let (known, truth) = try Self.calm("ina219")
    let guess = try FormatInference(
      ["Bus: 5.000V, Current: 124.000mA"], truth: truth, known: known)
    let source = try PatternSource(guess.patterns, of: known)
    let values = source.values(in: "Bus: 750mV, Current: 1.250A").compactMap(\.value).sorted()
    #expect(values == [0.75, 1.25])
  }

  @Test("names in options are those of the inputs, with their units")
  func names() throws {
    let known = try Self.calm("ads1115").known
    #expect(known.unit(named: "ain0_mv")?.scale == 0.001)
    #expect(known.unit(named: "ain0_ain1_mv")?.measurand.name == "ain0-ain1")
    #expect(known.unit(named: "ain0")?.symbol == "V")
    #expect(known.unit(named: "pressure_hpa") == nil && known.unit(named: "ain9_v") == nil)
    #expect(known.fieldNames.hasPrefix("ain0_v, ain0_mv, ain0_uv, ain1_v"))
  }

  @Test("inputs that follow from others have the values of these; the range of each is kept")
  func inputs() throws {
    let part = try AuditedPart("ads1115")
    for share in stride(from: 0, through: 1, by: 0.07) {
      let phase = Scenario.Phase(start: .seconds(0), air: part.mild, inputs: part.inputs(at: share))
      let values = part.measurands.map { part.value(of: $0, in: phase) ?? .nan }
      #expect(values[..<4].allSatisfy { (0...2).contains($0) } && Set(values[..<4]).count == 4)
      #expect(abs(values[4] - (values[0] - values[1])) < 1e-12)
    }
    let negative = try #require(part.negativeInputs)
    #expect(negative == negative.sorted())
    #expect(try AuditedPart("bh1750").negativeInputs == nil)
  }

  @Test("a program that only prints errors has a finding; an output in an unknown form has none")
  func silent() {
    func isDead(_ lines: [String], errors: [String] = [], status: Int32? = nil) -> Bool {
      var outcome = Outcome()
      (outcome.lines, outcome.errors, outcome.status) = (lines, errors, status)
      return DeadProgram(outcome) != nil
    }
    #expect(isDead(["start", "error: Errno 5", "error: Errno 5"]))
    #expect(isDead([], errors: ["read failed", "read failed"]))
    #expect(!isDead(["error: Errno 5", "error: Errno 5", "value 1860"]))
    #expect(!isDead(["start"], errors: ["read failed"]) && !isDead(["start", "ready"]))
  }

  @Test(
    "the likely defect follows from the values, else from the situation",
    arguments: [
      ("ads1115", "ain1", 1.5, 1.0, "calm", "P02"),
      ("ina219", "current", 6.4, -0.14, "calm", "P03"),
      ("tmp102", "temperature", -7.63, -39.6, "cold-end", "P03"),
      ("bh1750", "light", 640, 320, "calm", "P04"),
      ("bh1750", "light", 0, 320, "longest-time", "P01"),
      ("ina219", "current", 0, 0.124, "brief-power-loss", "P05"),
      ("sht4x", "temperature", -12, 18.6, "flipped-bit", "P06"),
      ("sht4x", "temperature", 18.6, 24, "failures-in-weather", "P07"),
    ])
  func likely(
    _ name: String, _ quantity: String, _ shown: Double, _ right: Double, _ situation: String,
    _ id: String
  ) throws {
    let part = try AuditedPart(name)
    let scenario = try #require(Scenario.all(of: part).first { $0.name == situation })
    let measurand = try #require(part.measurands.first { $0.name == quantity })
    let difference = Judgement.Difference(
      quantity: measurand, shown: "\(shown)", right: "\(right)", values: (shown, right, 0.01))
    let judgement = Judgement(
      scenario: scenario, verdict: .wrong, shown: [], differences: [difference], reason: "",
      likely: [], conduct: [], readings: 4, seconds: 0)
    #expect(PartDefect(part, judgement, isUsual: situation == "calm").classID == id)
    #expect(DefectClass.named(id) != nil)
  }
}
