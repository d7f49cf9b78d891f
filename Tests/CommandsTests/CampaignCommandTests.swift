import Foundation
import TestSupport
import Testing

/// `aneroid campaign` and `aneroid run --set`.
struct CampaignCommandTests {
  /// Runs a campaign with a file in a new folder.
  private static func campaign(_ text: String, _ arguments: String...) throws -> (
    result: CommandLineTool.Result, folder: URL
  ) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "campaign-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "campaign.yaml")
    try text.write(to: file, atomically: true, encoding: .utf8)
    let words =
      ["campaign", "run", file.path] + arguments.map { $0.replacing("OUT", with: folder.path) }
    return (try CommandLineTool.run(CommandLineTool.path, words), folder)
  }

  @Test("a program on the buses of a rig is measured by what it prints and by its events")
  func program() throws {
    let (result, folder) = try Self.campaign(
      """
      name: program
      rig: thesis-jacket
      program: [sh, -c, "i2cget -y 1 0x76 0xd0 && echo value 7.5; exit 3"]
      runs: 2
      measure:
        - {name: value, output: 'value ([0-9.]+)'}
        - {name: transfers, event: charge, take: count}
      """, "--out", "OUT/results")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(result.status == 1, "\(result)")
    let rows = try String(contentsOf: folder.appending(path: "results/runs.csv"), encoding: .utf8)
    #expect(rows.contains(",failed,7.5,1,exit status 3"), "\(rows)")
  }

  @Test("a program that does not end is killed after 'timeout', and its run fails")
  func timeout() throws {
    let (result, folder) = try Self.campaign(
      "name: hang\nrig: thesis-jacket\nprogram: [sh, -c, 'while :; do :; done']\nruns: 1\ntimeout: 1s\n"
    )
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(result.status == 1 && result.output.contains("no end within 1 s"), "\(result)")
  }

  @Test("a program that prints more than 4 MiB fails, and what it printed first is measured")
  func tooMuch() throws {
    let (result, folder) = try Self.campaign(
      """
      name: much
      rig: thesis-jacket
      program: [sh, -c, 'echo T=1; yes x | head -c 5000000; while :; do :; done']
      runs: 1
      measure: [{name: T, output: 'T=([0-9]+)'}]
      """)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(result.status == 1 && result.output.contains("printed more than 4 MiB"), "\(result)")
    #expect(result.output.contains("T: always 1"), "\(result)")
  }

  @Test(
    "numbers of any size are summarised as valid JSON", arguments: ["1.7e308", "5e-324", "inf"])
  func extremes(_ number: String) throws {
    let (result, folder) = try Self.campaign(
      """
      name: extremes
      rig: thesis-jacket
      program: [sh, -c, 'i2cget -y 1 0x76 0xd0; echo T=$(i2cget -y 1 0x76 0xf7 | tail -c 3)']
      vary: [{key: name, values: [a, b]}]
      measure: [{name: T, output: 'T=(.*)'}]
      """.replacing(
        "echo T=$(i2cget -y 1 0x76 0xf7 | tail -c 3)",
        with: "if [ -e OUT ]; then echo T=\(number); else echo T=-\(number); mkdir OUT; fi"),
      "--jobs", "1", "--format", "json")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(result.status == 0, "\(result)")
    #expect(throws: Never.self) {
      try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    }
  }

  @Test("a campaign that is edited during its runs ends, and names the file")
  func edited() throws {
    let (result, folder) = try Self.campaign(
      """
      name: edited
      rig: thesis-jacket
      program: [sh, -c, "echo '# edited' >> campaign.yaml"]
      runs: 4
      shard: 1
      """, "--out", "OUT/results", "--jobs", "1")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(
      result.status == 65 && result.errors.contains("campaign.yaml: the campaign, or a file"),
      "\(result)")
    let shards = try FileManager.default.contentsOfDirectory(
      atPath: "\(folder.path)/results/shards")
    #expect(shards.count == 1, "\(shards)")
  }

  @Test("the shard of a job that is killed is executed again, and no other shard is lost")
  func killed() throws {
    let (result, folder) = try Self.campaign(
      """
      name: killed
      rig: thesis-jacket
      program:
        - sh
        - -c
        - 'echo run >> runs; [ $(wc -l < runs) != 2 ] || kill -9 $(ps -o ppid= -p $(ps -o ppid= -p $PPID))'
      runs: 6
      shard: 2
      """, "--out", "OUT/results", "--jobs", "1")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(result.status == 0, "\(result)")
    let rows = try String(contentsOf: folder.appending(path: "results/runs.csv"), encoding: .utf8)
    #expect(rows.split(separator: "\n").count { $0.contains(",passed,") } == 6, "\(rows)")
    let runs = try String(contentsOf: folder.appending(path: "runs"), encoding: .utf8)
    #expect(runs.split(separator: "\n").count == 8)
  }

  @Test("files that only values of keys name belong to the campaign")
  func valuedFiles() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "campaign-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ name: String, _ text: String) throws {
      try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    func table(_ pressure: Int) -> String {
      "t,p\n2026-01-01T00:00:00Z,\(pressure)\n2026-01-01T01:00:00Z,\(pressure)\n"
    }
    try write("a.csv", table(1000))
    try write("b.csv", table(1010))
    try write(
      "rig.yaml",
      """
      name: files
      duration: 1min
      buses: [{number: 1, devices: [{model: bme280}]}]
      environment:
        series: {file: a.csv, time: t, columns: {pressure: {name: p, unit: hPa}}}
      pipeline: {cycle: 50s}
      """)
    try write(
      "c.yaml",
      """
      name: files
      rig: rig.yaml
      vary: [{key: environment.series.file, values: [a.csv, b.csv]}]
      measure: [{name: p, event: average, field: pressure_pa}]
      """)
    func run() throws -> CommandLineTool.Result {
      try CommandLineTool.run(
        CommandLineTool.path,
        ["campaign", "run", "\(folder.path)/c.yaml", "--out", "\(folder.path)/out"])
    }
    #expect(try run().status == 0)
    #expect(try run().errors.contains("were finished earlier"))
    try write("b.csv", table(900))
    let changed = try run()
    #expect(changed.status == 64 && changed.errors.contains("another version"), "\(changed)")
  }

  @Test(
    "names and values with line breaks, doubled columns and too many shards are rejected",
    arguments: [
      ("vary: [{key: name, values: [\"a\\nb\", c]}]", "line break"),
      ("measure: [{name: \"a\\nb\", event: reading, take: count}]", "line break"),
      ("runs: 3000000\nshard: 1", "more than 1000000"),
      (
        "vary: [{key: seed, integer: {from: 1, to: 9}}]\n"
          + "measure: [{name: seed of the rig, event: reading, take: count}]", "two columns"
      ),
    ])
  func impossible(_ keys: String, _ message: String) throws {
    let (result, folder) = try Self.campaign("name: impossible\nrig: thesis-jacket\n\(keys)\n")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(result.status == 78 && result.errors.contains(message), "\(result)")
  }

  @Test("a hunt rejects an unusable folder before it starts")
  func huntFolder() throws {
    let result = try CommandLineTool.run(
      "campaign", "hunt", "--out", "README.md", "--trials", "5", "--", "sleep", "100")
    #expect(result.status == 74 && result.errors.contains("README.md"), "\(result)")
  }

  @Test("an audit counts its verdicts, and names the first finding")
  func audit() throws {
    let (result, folder) = try Self.campaign(
      """
      name: audits
      audit:
        program: [sh, -c, "while :; do echo temperature 18.63 C; i2cget -y 1 0x76 0xd0 >&2; sleep 1; done"]
        options: {scenario: [frost, heat], ignore: [pressure, humidity]}
      """, "--out", "OUT/results")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(result.status == 1, "\(result)")
    let rows = try String(contentsOf: folder.appending(path: "results/runs.csv"), encoding: .utf8)
    #expect(rows.contains("outcome,right,reported,wrong,failed,small,not run,message"))
    #expect(rows.contains(",failed,0,0,2,0,0,0,wrong"), "\(rows)")
  }

  @Test("--set sets a key of a rig; a wrong key or value is an error that names it")
  func set() throws {
    let good = try CommandLineTool.run(
      "run", "iss-leak", "--set", "environment.cabin.leak.module=cargo", "--set",
      "expect[1].found=cargo")
    #expect(good.status == 0, "\(good)")
    let bad = try CommandLineTool.run("run", "iss-leak", "--set", "environment.cabin.leak.hol=4mm")
    #expect(bad.status == 78 && bad.errors.contains("did you mean 'hole'"), "\(bad)")
    let form = try CommandLineTool.run("run", "iss-leak", "--set", "seed")
    #expect(form.status == 64 && form.errors.contains("'seed' is not KEY=VALUE"), "\(form)")
  }

  @Test(
    "a rig that is given to 'campaign run', and a campaign given to 'run', name the right command")
  func otherKind() throws {
    let rig = try CommandLineTool.run("campaign", "run", "rigs/iss-leak.yaml")
    #expect(
      rig.status == 78
        && rig.errors.contains(
          "this is a rig, not a campaign; 'aneroid run rigs/iss-leak.yaml' runs it"),
      "\(rig)")
    let campaign = try CommandLineTool.run("run", "rigs/leak-campaign.yaml")
    #expect(
      campaign.status == 78
        && campaign.errors.contains("'aneroid campaign run rigs/leak-campaign.yaml' runs it"),
      "\(campaign)")
  }

  @Test("a hunt finds the published defect of RPi.bme280 0.2.1 (its issue 11)")
  func hunt() throws {
    let peers = VirtualBusBench.peers
    let result = try VirtualBusBench.run(
      [
        "campaign", "hunt", "--trials", "100", "--", "\(peers)/bin/python",
        "Tests/Peers/read_driver.py", "rpi_bme280", "loop",
      ],
      environment: ["PYTHONPATH": "\(peers)/drivers/rpi_bme280_0_2_1:\(peers)/drivers/smbus2"],
      seconds: 400)
    #expect(result.status == 1 && result.output.contains("likely B01"), "\(result)")
    #expect(result.output.contains("name: found-1\nbuses:"))
  }
}
