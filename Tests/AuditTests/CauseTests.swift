import Audit
import Quantities
import Runs
import Testing

/// Causes that several findings have in common.
struct CauseTests {
  static func wrong(_ scenario: Scenario, _ values: [(Measurand, Double, Double)]) -> Judgement {
    Judgement(
      scenario: scenario, verdict: .wrong, shown: [],
      differences: values.map { quantity, shown, right in
        Judgement.Difference(
          quantity: quantity, shown: "\(shown)", right: "\(right)", values: (shown, right, 0.01))
      }, reason: "", likely: [], conduct: [], readings: 4, seconds: 0)
  }

  @Test("a constant pressure offset is grouped as one finding, and other errors are still reported")
  func seaLevel() throws {
    let scenarios = Array(Scenario.all.prefix(12))
    var judgements = scenarios.enumerated().map { index, scenario in
      let right = 98_000 + 500 * Double(index)
      return Self.wrong(scenario, [(.pressure, right + 3080, right)])
    }
    judgements[3] = Self.wrong(
      scenarios[3], [(.humidity, 12, 37.4), (.pressure, 103_080, 100_000)])
    judgements[5] = Self.wrong(scenarios[5], [(.pressure, 65_000, 100_000)])
    let told = judgements.withCommonDifferences()
    let expected = "pressure + 30.80 hPa everywhere: reduced to sea level?"
    for (index, judgement) in told.enumerated() {
      #expect(judgement.common == ([3, 5].contains(index) ? nil : expected), "\(index)")
    }
    let groups = FindingGroup.all(of: told)
    #expect(groups.map(\.judgements.count) == [10, 2])
    #expect(groups[0].isCommon && !groups[1].isCommon)
  }

  @Test("a constant offset that no conversion produces is reported as a built-in correction")
  func correction() {
    let judgements = Scenario.all.prefix(9).enumerated().map { index, scenario in
      let right = 10 + 3 * Double(index)
      return Self.wrong(scenario, [(.temperature, right - 3, right)])
    }
    let told = judgements.withCommonDifferences()
    #expect(told.allSatisfy { $0.common == "temperature - 3.00 C everywhere" })
    #expect(told.allSatisfy { $0.likely.map(\.classID) == ["B49"] })
  }

  @Test("a constant factor in all humidity values is recognised")
  func factor() {
    let judgements = Scenario.all.prefix(9).enumerated().map { index, scenario in
      let right = 10 + 9 * Double(index)
      return Self.wrong(scenario, [(.humidity, right * 1.024, right)])
    }
    let told = judgements.withCommonDifferences()
    #expect(told.allSatisfy { $0.common == "humidity x 1.0240 everywhere" && $0.likely.isEmpty })
  }

  @Test("a difference that varies or is absent in one scenario is not reported as common")
  func individual() {
    let mixed = Scenario.all.prefix(9).enumerated().map { index, scenario in
      Self.wrong(scenario, [(.humidity, Double(index * index), 40)])
    }
    #expect(mixed.withCommonDifferences().allSatisfy { $0.common == nil })
    var judgements = Scenario.all.prefix(9).map { Self.wrong($0, [(.pressure, 103_080, 100_000)]) }
    judgements.append(
      Judgement(
        scenario: .calm, verdict: .right, shown: [], differences: [], reason: "", likely: [],
        conduct: [], readings: 4, seconds: 0))
    #expect(judgements.withCommonDifferences().allSatisfy { $0.common == nil })
  }

  @Test("a first reading that is always wrong is a common cause and does not hide later errors")
  func badStart() throws {
    let powerOn = try JudgeTests.reading("22.97", "649.54", "73.10")
    let right = try JudgeTests.reading("18.63", "1009.37", "42.60")
    let bad = try JudgeTests.reading("18.63", "1009.37", "63.10")
    let quantities: Set<Measurand> = [.temperature, .pressure, .humidity]
    var outcome = Outcome()
    outcome.readings = [powerOn, right, right, right]
    let calm = Judge(.calm, quantities: quantities)
    #expect(calm.badStart(of: outcome) == 1)
    let scenario = try #require(Scenario.all.first { $0.name == "status-bit-2" })
    let judge = Judge(scenario, quantities: quantities, usualBadStart: 1)
    let usual = judge.judge(outcome)
    #expect(usual.verdict == .wrong && usual.common == Judge.badStart)
    outcome.readings = [powerOn, right, bad, right]
    let own = judge.judge(outcome)
    #expect(own.verdict == .wrong && own.common == nil)
    #expect(own.differences.map(\.shown) == ["63.10 %"])
    outcome.readings = [right, right, right, right]
    #expect(judge.judge(outcome).verdict == .right)
  }
}
