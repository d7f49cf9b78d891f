import Campaigns
import Foundation
import Schema
import Support
import TestSupport
import Testing

/// Campaign files: what they mean, and what is wrong with them.
struct CampaignFileTests {
  /// A rig in constant air.
  static let rig: String = {
    let file = FileManager.default.temporaryDirectory.appending(path: "rig-\(UUID()).yaml")
    let text = """
      name: rig
      duration: 1min
      buses: [{number: 1, devices: [{model: bme280}]}]
      environment: {constant: {temperature: 21C}}
      pipeline: {samples: 3, sample_every: 2s, cycle: 30s}
      expect: [{that: temperature, within: 0.1C, of: environment}]
      """
    try? text.write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }()

  /// A campaign on a rig.
  static func campaign(_ keys: String, rig: String = rig) throws -> Campaign {
    try Campaign(text: "name: test\nrig: \(rig)\n\(keys)\n", file: "test.yaml")
  }

  @Test(
    "an error in a campaign has its line and column, and says what is accepted",
    arguments: [
      ("vary: [{key: x y, values: [1]}]", "x y"),
      (
        "vary: [{key: 'a[', values: [1]}]",
        "test.yaml:3:8: error: vary: 'a[' is not the address of a key"
      ),
      ("vary: [{key: seed}]", "needs at least one of 'values', 'choice'"),
      ("vary: [{key: seed, values: [1], choice: [2]}]", "only one of values, choice"),
      ("vary: [{key: seed, uniform: {from: 2, to: 1}}]", "'from' is 2, which is above 'to', 1"),
      ("vary: [{key: seed, uniform: {from: 2C, to: 9Pa}}]", "'2C' and '9Pa' have different units"),
      ("vary: [{key: seed, uniform: {from: cold, to: 9Pa}}]", "'cold' is not a number with a unit"),
      ("vary: [{key: seed, logarithmic: {from: 0, to: 9}}]", "must be above 0"),
      ("vary: [{key: seed, integer: {from: 0.5, to: 9}}]", "are whole numbers"),
      ("vary: [{key: seed, normal: {mean: 0, deviation: -1}}]", "is not negative"),
      (
        "vary: [{key: environment.constant.temperature, values: [5C, 5Kelvin]}]",
        "test.yaml:3:61: error: environment.constant.temperature=5Kelvin:"
      ),
      ("vary: [{key: 'buses[7].number', values: [1]}]", "so there is no [7]"),
      ("vary: [{key: name.inner, values: [1]}]", "'inner' is not inside a group of keys"),
      ("measure: [{name: a}]", "needs at least one of 'event', 'error', 'output'"),
      ("measure: [{name: a, event: readin, take: count}]", "did you mean 'reading'"),
      ("measure: [{name: a, event: reading, field: pressure}]", "did you mean 'pressure_pa'"),
      ("measure: [{name: a, event: reading}]", "'a' needs a 'field', or 'take: count'"),
      ("measure: [{name: seed, event: reading, take: count}]", "already the name of a column"),
      ("measure: [{name: a, output: '('}]", "'(' is not a regular expression"),
      ("program: [true]\nmeasure: [{name: a, error: pressure}]", "needs a rig with a pipeline"),
      ("runs: 0", "runs"), ("seeds: some", "is not one of each, same"),
      (
        "runs: 1\nvary: [{key: environment.constant.temperature, values: [1C, 2C]}]",
        "'runs' is 1, but 'values' have 2 combinations"
      ),
      (
        "measure: [{name: a, error: pressure}, {name: A, error: pressure}]",
        "'A' is already the name of a column"
      ),
      ("measure: [{name: a, output: 'T=[0-9]'}]", "has no group around the number"),
      (
        "program: [true]\nmeasure: [{name: a, event: reading, take: count}]",
        "is an event of a pipeline"
      ),
      ("varry: []", "did you mean 'vary'"), ("files: [missing.py]", "missing.py"),
      ("audit: {program: [true]}", "'rig' and 'audit' cannot be combined"),
    ])
  func errors(_ keys: String, _ message: String) {
    let failure = #expect(throws: Failure.self) { try Self.campaign(keys) }
    #expect(failure?.description.contains(message) == true, "\(failure?.description ?? "")")
  }

  @Test("a rig without a duration, without a pipeline or in real time has no runs")
  func unsuitableRigs() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "campaign-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let rig = folder.appending(path: "rig.yaml")
    for (keys, message) in [
      ("", "neither 'pipeline' nor 'firmware'"), ("pipeline: {}\n", "that has a duration"),
      ("pipeline: {}\nclock: real\nduration: 1h\n", "in virtual time"),
    ] {
      try "name: r\nbuses: [{number: 1, devices: [{model: bme280}]}]\n\(keys)"
        .write(to: rig, atomically: true, encoding: .utf8)
      let failure = #expect(throws: Failure.self) { try Self.campaign("", rig: rig.path) }
      #expect(failure?.description.contains(message) == true, "\(failure?.description ?? "")")
    }
  }

  @Test("values are combined with each other, and random ones are drawn for each run")
  func draws() throws {
    let campaign = try Self.campaign(
      """
      vary:
        - {key: "buses[0].devices[0].timing", values: [typical, maximum]}
        - {key: environment.constant.temperature, uniform: {from: -5C, to: 5C}}
        - {key: environment.constant.pressure, values: [990hPa, 1000hPa, 1010hPa]}
      """)
    #expect(campaign.runs == 6)
    let values = (0..<6).map { campaign.values(of: $0).map(\.yaml) }
    #expect(
      values.map { $0[0] } == ["typical", "maximum", "typical", "maximum", "typical", "maximum"])
    #expect(
      values.map { $0[2] } == ["990hPa", "990hPa", "1000hPa", "1000hPa", "1010hPa", "1010hPa"])
    let temperatures = values.map { Double($0[1].dropLast()) ?? .nan }
    #expect(Set(temperatures).count == 6 && temperatures.allSatisfy { abs($0) <= 5 })
    #expect(campaign.columns[3] == "environment.constant.temperature [C]")
  }

  @Test(
    "a number of runs draws uniform, logarithmic, whole and normal numbers with their distributions"
  )
  func distributions() throws {
    let campaign = try Self.campaign(
      """
      runs: 4000
      vary:
        - {key: environment.constant.temperature, uniform: {from: -10C, to: 30C}}
        - {key: environment.constant.pressure, normal: {mean: 1000hPa, deviation: 5hPa}}
        - {key: environment.constant.humidity, logarithmic: {from: 1%, to: 100%}}
        - {key: seed, integer: {from: 1, to: 6}}
      """)
    let rows = (0..<4000).map { run in
      campaign.values(of: run).compactMap { value in
        value.text.flatMap { NumberWithUnit($0)?.number }
      }
    }
    func mean(_ index: Int) -> Double { rows.reduce(0) { $0 + $1[index] } / 4000 }
    #expect(abs(mean(0) - 10) < 0.8)
    #expect(abs(mean(1) - 1000) < 0.4)
    // The mean of a logarithmic distribution from 1 to 100 is 99 / ln 100.
    #expect(abs(mean(2) - 21.5) < 2)
    #expect(Set(rows.map { $0[3] }) == [1, 2, 3, 4, 5, 6])
    let deviation = rows.reduce(0) { $0 + ($1[1] - 1000) * ($1[1] - 1000) } / 4000
    #expect(abs(deviation.squareRoot() - 5) < 0.3)
  }

  @Test("the seed of a run depends on its number only, and 'seeds: same' gives all runs one seed")
  func seeds() throws {
    let campaign = try Self.campaign("runs: 100\nseed: 7")
    #expect(Set((0..<100).map(campaign.seed(of:))).count == 100)
    #expect(try Self.campaign("runs: 9\nseed: 7").seed(of: 3) == campaign.seed(of: 3))
    let same = try Self.campaign("runs: 9\nseed: 7\nseeds: same")
    #expect(Set((0..<9).map(same.seed(of:))) == [7])
  }

  @Test("a varied seed is the seed of the run")
  func variedSeed() throws {
    let campaign = try Self.campaign("vary: [{key: seed, values: [5, 6]}]")
    #expect(campaign.seed(of: 0) == 5 && campaign.seed(of: 1) == 6)
    #expect(campaign.columns.prefix(3) == ["run", "seed", "seed of the rig"])
  }

  @Test("the digest changes with the campaign, the rig and the files of a program")
  func digest() throws {
    let first = try Self.campaign("runs: 5")
    #expect(try Self.campaign("runs: 5").digest == first.digest)
    #expect(try Self.campaign("runs: 6").digest != first.digest)
    #expect(try Self.campaign("runs: 5", rig: "thesis-jacket").digest != first.digest)
    #expect(
      try Self.campaign("runs: 5\nfiles: [\(Fixtures.root.appending(path: "LICENSE").path)]").digest
        != first.digest)
  }

  @Test("shards cover each run once, for any number of shards", arguments: [1, 2, 3, 7, 64, 100])
  func shards(_ count: Int) throws {
    let campaign = try Self.campaign("runs: 100")
    let runs = (1...count).flatMap { Array(campaign.runs(ofShard: $0, of: count)) }
    #expect(runs == Array(0..<100))
  }

  @Test("the command of a run sets its keys, and the rig of a run has them")
  func commands() throws {
    let campaign = try Self.campaign(
      "vary: [{key: [environment.constant.temperature, 'expect[0].within'], values: [5C]}]")
    let command = campaign.command(of: 0)
    #expect(
      command.hasPrefix("aneroid run /") && command.contains("--seed \(campaign.seed(of: 0))"))
    #expect(command.contains("--set environment.constant.temperature=5C"))
    #expect(try campaign.rigText(of: 0).contains("temperature: 5C"))
  }

  @Test("the schema in rigs/ and the page of keys are those of the program")
  func generated() throws {
    #expect(
      try Fixtures.text("rigs/campaign.schema.json") == Campaign.schema,
      "aneroid campaign schema > rigs/campaign.schema.json")
    #expect(
      try Fixtures.text("Sources/Work/Campaigns/Campaigns.docc/CampaignKeys.md")
        == Campaign.reference,
      "aneroid campaign reference > Sources/Work/Campaigns/Campaigns.docc/CampaignKeys.md")
  }

  @Test("mutated campaign files are read or rejected, and nothing else happens")
  func mutations() throws {
    var generator = Seeded("campaign files")
    let good = Array(try Fixtures.text("rigs/leak-campaign.yaml").utf8)
    let path = Fixtures.root.appending(path: "rigs/mutated.yaml").path
    for _ in 0..<Repetitions.count(300, long: 20_000) {
      let text = String(decoding: Mutator.mutated(good, using: &generator), as: UTF8.self)
      do throws(Failure) {
        _ = try Campaign(text: text, file: path)
      } catch {
        #expect(!error.messages.isEmpty)
      }
    }
  }
}
