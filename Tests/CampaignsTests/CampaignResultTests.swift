import Campaigns
import Foundation
import Support
import TestSupport
import Testing

/// Rows, shards and their merge.
struct CampaignResultTests {
  /// A campaign of short runs.
  static func campaign(_ runs: Int, in folder: URL) throws -> Campaign {
    try """
    name: tiny
    duration: 1min
    buses: [{number: 1, devices: [{model: bme280, noise: datasheet}]}]
    environment: {constant: {temperature: 21C}}
    pipeline: {samples: 3, sample_every: 2s, cycle: 30s}
    expect: [{that: temperature, within: 0.008C, of: environment}]
    """.write(to: folder.appending(path: "rig.yaml"), atomically: true, encoding: .utf8)
    return try Campaign(
      text: """
        name: tiny
        rig: rig.yaml
        runs: \(runs)
        vary:
          - {key: environment.constant.temperature, uniform: {from: -20C, to: 60C}}
          - {key: "buses[0].adapter.frequency", values: [100kHz, 400kHz]}
        measure:
          - {name: error, error: temperature}
          - {name: readings, event: reading, take: count}
          - {name: first pressure, event: readings, field: pressure_pa, take: first, worst: lowest}
        """, file: folder.appending(path: "campaign.yaml").path)
  }

  /// Creates a folder for a test.
  static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "campaign-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Executes the shards of a campaign; returns the rows of the merge.
  static func rows(_ campaign: Campaign, shards: Int, in folder: URL) throws -> String {
    let results = folder.appending(path: "results-\(shards)").path
    let runner = CampaignRunner(campaign, allowsPrograms: false)
    for index in (1...shards).reversed() {
      try Folder.make(ShardFile.folder(in: results))
      _ = try ShardFile.write(
        campaign, runs: campaign.runs(ofShard: index, of: shards),
        to: ShardFile.path(index, of: shards, in: results)
      ) { run throws(Failure) in try runner.row(run) }
    }
    _ = try CampaignMerge([results]).write(to: results, database: false)
    return try ["runs.csv", "summary.json", "index.html"].map {
      try String(contentsOf: URL(filePath: "\(results)/\($0)"), encoding: .utf8)
    }.joined(separator: "\n")
  }

  @Test("the results have the same bytes for any number of shards")
  func sameBytes() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let campaign = try Self.campaign(60, in: folder)
    let one = try Self.rows(campaign, shards: 1, in: folder)
    #expect(try Self.rows(campaign, shards: 2, in: folder) == one)
    #expect(try Self.rows(campaign, shards: 60, in: folder) == one)
    let lines = one.split(separator: "\n")
    #expect(
      lines[0].hasPrefix(
        "run,seed,environment.constant.temperature [C],buses[0].adapter.frequency [kHz],outcome,"))
    #expect(lines[1].hasPrefix("0,") && lines[60].hasPrefix("59,"))
    #expect(lines[1].split(separator: ",", omittingEmptySubsequences: false)[6] == "6")
  }

  @Test("a run that is impossible is a row with the outcome error, and others go their way")
  func impossibleRun() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let table = folder.appending(path: "weather.csv")
    try "time,pressure\n2013-01-01T00:00:00Z,1000\n2013-01-02T00:00:00Z,1001\n"
      .write(to: table, atomically: true, encoding: .utf8)
    let series = "file: weather.csv, time: time, columns: {pressure: {name: pressure, unit: hPa}}"
    try """
    name: series
    duration: 1min
    buses: [{number: 1, devices: [{model: bme280}]}]
    environment: {series: {\(series)}}
    pipeline: {samples: 1, cycle: 30s}
    """.write(to: folder.appending(path: "rig.yaml"), atomically: true, encoding: .utf8)
    let campaign = try Campaign(
      text: "name: series\nrig: rig.yaml\nruns: 3",
      file: folder.appending(path: "campaign.yaml").path)
    let runner = CampaignRunner(campaign, allowsPrograms: false)
    #expect(try runner.row(0).outcome == .passed)
    try FileManager.default.removeItem(at: table)
    let row = try runner.row(1)
    #expect(row.outcome == .error && row.message.contains("weather.csv: no such file"))
  }

  @Test("missing, foreign, damaged and doubled shards are reported")
  func shardErrors() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let campaign = try Self.campaign(12, in: folder)
    _ = try Self.rows(campaign, shards: 3, in: folder)
    let results = folder.appending(path: "results-3").path
    let second = ShardFile.path(2, of: 3, in: results)
    let bytes = try Data(contentsOf: URL(filePath: second))

    try FileManager.default.removeItem(atPath: second)
    let missing = #expect(throws: Failure.self) { try CampaignMerge([results]) }
    #expect(missing?.messages.first == "runs are missing: 4 to 7 (of 0 to 11)")
    let partial = try CampaignMerge([results], isPartial: true)
    #expect(try partial.write(to: nil, database: false).outcomes.count == 8)

    var damaged = bytes
    damaged[bytes.count - 60] ^= 1
    try damaged.write(to: URL(filePath: second))
    let harm = #expect(throws: Failure.self) {
      try CampaignMerge([results]).write(to: nil, database: false)
    }
    #expect(
      harm?.description.contains("damaged") == true
        || harm?.description.contains("not a row") == true)
    try bytes.prefix(bytes.count - 20).write(to: URL(filePath: second))
    #expect(throws: Failure.self) { try CampaignMerge([results]).write(to: nil, database: false) }

    try bytes.write(to: URL(filePath: second))
    let copy = folder.appending(path: "copy").path
    try FileManager.default.copyItem(atPath: ShardFile.folder(in: results), toPath: copy)
    let doubled = try CampaignMerge([copy, results])
    #expect(doubled.notes.count == 3)
    #expect(try doubled.write(to: nil, database: false).outcomes.count == 12)

    let other = try Self.campaign(13, in: folder)
    _ = try ShardFile.write(other, runs: 0..<1, to: "\(copy)/foreign.csv") { run throws(Failure) in
      try CampaignRunner(other, allowsPrograms: false).row(run)
    }
    let foreign = #expect(throws: Failure.self) { try CampaignMerge([copy]) }
    #expect(foreign?.description.contains("1 shard of another campaign") == true)
  }

  @Test(
    "quantiles, extremes, means and histograms are those of the sorted numbers",
    arguments: [1, 2, 99, 40_000])
  func statistics(_ count: Int) throws {
    var generator = Seeded("column of \(count)")
    let numbers = (0..<count).map { _ in
      Double(Int64(truncatingIfNeeded: generator.next()) >> 40) / 7
        * (generator.next() % 9 == 0 ? 0 : 1)
    }
    let column = try ColumnFile()
    numbers.forEach(column.append)
    let sorted = numbers.sorted()
    let shares = [0, 0.01, 0.25, 0.5, 0.75, 0.99, 1]
    let expected = shares.map { share in
      sorted[min(max(Int((Double(count) * share).rounded(.up)) - 1, 0), count - 1)]
    }
    #expect(try column.quantiles(shares) == expected)
    #expect(column.minimum == sorted[0] && column.maximum == sorted[count - 1])
    let histogram = try #require(try column.histogram(40))
    #expect(histogram.counts.reduce(0, +) == count)
    #expect(histogram.start <= sorted[0])
  }

  @Test("few whole numbers get one interval each")
  func wholeNumbers() throws {
    let column = try ColumnFile()
    for number in [3.0, 4, 4, 7] { column.append(number) }
    let histogram = try #require(try column.histogram(40))
    #expect(histogram.isDiscrete && histogram.counts == [1, 2, 0, 0, 1])
  }

  @Test(
    "the summary counts outcomes by value, names the worst runs, and the first run of each failure")
  func summary() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let campaign = try Self.campaign(40, in: folder)
    _ = try Self.rows(campaign, shards: 4, in: folder)
    let summary = try CampaignMerge([folder.appending(path: "results-4").path])
      .write(to: nil, database: false)
    let runner = CampaignRunner(campaign, allowsPrograms: false)
    let rows = try (0..<40).map { try runner.row($0) }
    #expect(summary.outcomes.failed == rows.count { $0.outcome == .failed })
    #expect(summary.outcomes.failed > 0 && summary.outcomes.passed > 0)
    #expect(
      summary.groups.count == 1 && summary.groups[0].values.map(\.outcomes.count) == [20, 20])
    let errors = rows.sorted { ($0.numbers[0] ?? 0, $1.run) > ($1.numbers[0] ?? 0, $0.run) }
    #expect(summary.distributions[0].worst.map(\.run) == errors.prefix(5).map(\.run))
    let low = rows.sorted { ($0.numbers[2] ?? 0, $0.run) < ($1.numbers[2] ?? 0, $1.run) }
    #expect(summary.distributions[2].worst.map(\.run) == low.prefix(5).map(\.run))
    #expect(summary.messages.first?.first == rows.first { $0.outcome == .failed }?.run)
  }

  @Test("a field with a comma, a quote or a line break survives in the CSV")
  func quoting() throws {
    let line = CampaignRow.line(["a,b", "say \"x\"", "plain"])
    #expect(line == "\"a,b\",\"say \"\"x\"\"\",plain")
    #expect(CSV.fields(of: Array(line.utf8), CSV.Form()) == ["a,b", "say \"x\"", "plain"])
  }
}
