import Audit
import BME280
import Environment
import Quantities
import Runs
import Testing

/// Verdicts on recorded outcomes.
struct JudgeTests {
  static func reading(_ temperature: String, _ pressure: String, _ humidity: String) throws
    -> ShownReading
  {
    var reading: ShownReading = [:]
    for (name, text) in [
      ("temperature", temperature), ("pressure", pressure), ("humidity", humidity),
    ] where !text.isEmpty {
      let value = ShownValue(text, try #require(Measurand.air.unit(named: name)))
      reading[value.quantity] = value
    }
    return reading
  }

  static func judge(_ name: String, _ change: (inout Outcome) throws -> Void) throws -> Judgement {
    var outcome = Outcome()
    outcome.status = 0
    try change(&outcome)
    let scenario = try #require(Scenario.all.first { $0.name == name })
    return Judge(scenario, quantities: [.temperature, .pressure, .humidity]).judge(outcome)
  }

  @Test(
    "the number of printed digits determines the required accuracy",
    arguments: [
      ("18.63", "1009.37", "42.60", true), ("18.6", "1009.3", "42.6", true),
      ("18", "1009", "42", true), ("19", "1009", "43", true), ("18.66", "1009.37", "42.60", false),
      ("18.63", "1009.60", "42.60", false), ("18.63", "1009.37", "43.10", false),
      ("17", "1009", "43", false),
    ])
  func digits(_ temperature: String, _ pressure: String, _ humidity: String, _ isRight: Bool) throws
  {
    let judgement = try Self.judge("calm") {
      $0.readings = [try Self.reading(temperature, pressure, humidity)]
    }
    #expect(judgement.verdict == (isRight ? .right : .wrong), "\(judgement.differences)")
  }

  @Test("one wrong value among correct ones gives the verdict 'wrong' and the correct value")
  func wrong() throws {
    let judgement = try Self.judge("calm") {
      let right = try Self.reading("18.63", "1009.37", "42.60")
      $0.readings = [right, try Self.reading("18.63", "1789.00", "42.60"), right]
    }
    #expect(judgement.verdict == .wrong)
    #expect(judgement.differences.map(\.sentence) == ["1789.00 hPa, not 1009.37 hPa"])
  }

  @Test("an error without a value is 'reported' if no measurement was possible, otherwise 'failed'")
  func nothing() throws {
    for (scenario, verdict) in [("nobody", .reported), ("calm", .failed)]
      as [(String, Judgement.Verdict)]
    {
      let judgement = try Self.judge(scenario) {
        $0.status = 1
        $0.errors = ["OSError: no such device"]
      }
      #expect(judgement.verdict == verdict)
      #expect(judgement.reason.contains("OSError"))
    }
    let success = try Self.judge("nobody") {
      $0.status = 0
      $0.errors = ["no sensor"]
    }
    #expect(success.verdict == .reported)
    #expect(success.reason == "warning: exit status 0 without a value: no sensor")
    #expect(try Self.judge("nobody") { _ in }.verdict == .failed, "neither a value nor a message")
    #expect(
      try Self.judge("nobody") {
        $0.tookTooLong = true
        $0.errors = ["trying"]
      }.verdict == .failed, "a program that hangs does not tell")
    #expect(
      try Self.judge("nobody") { $0.readings = [try Self.reading("18.6", "1009.3", "42.6")] }
        .verdict == .wrong, "values from nowhere")
  }

  @Test("a quantity that is printed as nan or not at all gives the verdict 'failed'")
  func absent() throws {
    for humidity in ["nan", ""] {
      let judgement = try Self.judge("calm") {
        $0.readings = [try Self.reading("18.63", "1009.37", humidity)]
      }
      #expect(judgement.verdict == .failed && judgement.reason.contains("humidity"))
    }
  }

  @Test("on a BMP280, a reading without humidity is right and one with any humidity is wrong")
  func bmp280() throws {
    for (humidity, verdict) in [("", .right), ("0.0", .wrong)] as [(String, Judgement.Verdict)] {
      let judgement = try Self.judge("bmp280") {
        $0.readings = [try Self.reading("18.63", "1009.37", humidity)]
      }
      #expect(judgement.verdict == verdict)
    }
  }

  @Test("readings must follow a change of the air, and no reading may mix old and new values")
  func changes() throws {
    let before = try Self.reading("18.63", "1009.37", "42.60")
    let after = try Self.reading("27.94", "975.12", "62.80")
    let mixed = try Self.reading("27.94", "1009.37", "62.80")
    func verdict(_ readings: [ShownReading]) throws -> Judgement.Verdict {
      try Self.judge("changing") { $0.readings = readings }.verdict
    }
    #expect(try verdict([before, before, after, after]) == .right)
    #expect(try verdict([before, before, before, before]) == .wrong)
    #expect(try verdict([before, mixed, after, after]) == .wrong)
    #expect(try verdict([before]) == .notRun, "it ended before the change")
  }

  @Test("a filtered value between two states of the air is compared with the nearer state")
  func nearest() throws {
    let scenario = try #require(Scenario.all.first { $0.name == "changing" })
    let truths = scenario.truths.map { ExpectedReading($0, in: scenario) }
    let between = ExpectedReading(between: truths[0], and: truths[1], in: scenario)
    for (text, right) in [("15.63", 18.63), ("22", 18.63), ("24", 27.94), ("31.00", 27.94)] {
      let shown = ShownValue(text, try #require(Measurand.air.unit(named: "temperature")))
      #expect(between.right(of: .temperature, nearest: shown) == right)
    }
  }

  @Test("with the filter, humidity compensated by the lagging temperature is right")
  func laggingTemperature() throws {
    let airs = [
      Air(pressure: 100_937, temperature: 18.63, humidity: 42.6),
      Air(pressure: 100_937, temperature: 64.2, humidity: 42.6),
    ]
    let phases = zip([Scenario.Phase.Start.seconds(0), .event], airs).map {
      Scenario.Phase(start: $0, air: $1)
    }
    let scenario = Scenario("heating", "", exposes: [], phases: phases)
    let truths = scenario.truths.map { ExpectedReading($0, in: scenario) }
    let between = ExpectedReading(between: truths[0], and: truths[1], in: scenario)
    let codes = try airs.map {
      try #require(ExpectedReading.measure($0, scenario.part, scenario.chip, .x16))
    }
    let unit = try #require(Measurand.air.unit(named: "humidity"))
    for share in [0.25, 0.5, 0.9] {
      let difference = Double(codes[1].temperature - codes[0].temperature)
      let raw = RawMeasurement(
        temperature: codes[0].temperature + Int32(difference * share), pressure: codes[0].pressure,
        humidity: codes[1].humidity)
      let humidity = scenario.part.calibration.compensateSI(raw).humidity
      let shown = ShownValue("\(humidity)", unit)
      #expect(between.allows(shown) && !truths.contains { $0.allows(shown) }, "\(humidity)")
    }
    #expect(!between.allows(ShownValue("30.0", unit)))
  }

  @Test("a fault that did not fire gives the verdict 'not run'")
  func unfired() throws {
    let judgement = try Self.judge("power-loss") {
      $0.readings = [try Self.reading("18.63", "1009.37", "42.60")]
      $0.hasFired = false
    }
    #expect(judgement.verdict == .notRun)
  }
}
