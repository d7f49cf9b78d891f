import Foundation
import TestSupport
import Testing

/// `aneroid run` and `aneroid rig` on the command line.
struct RunCommandTests {
  @Test("a run whose expectations are met prints text and exits with status 0")
  func text() throws {
    let result = try CommandLineTool.run("run", "rigs/weather-station.yaml")
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    #expect(result.output.contains("7 of 7 expectations met"))
    #expect(!result.output.contains("\u{1B}"))
  }

  @Test(
    "two runs of the same rig print the same bytes",
    arguments: ["weather-station", "stormy-week", "thesis", "many-sensors"])
  func sameBytes(_ rig: String) throws {
    let first = try CommandLineTool.run("run", "rigs/\(rig).yaml", "--format", "jsonl")
    let second = try CommandLineTool.run("run", "rigs/\(rig).yaml", "--format", "jsonl")
    #expect(first.status == 0)
    #expect(!first.output.isEmpty)
    #expect(first.output == second.output)
  }

  @Test("--seed changes the values and is printed")
  func seed() throws {
    let result = try CommandLineTool.run(
      "run", "rigs/thesis.yaml", "--format", "jsonl", "--seed", "99")
    #expect(result.outputLines.first?.contains("\"seed\":99") == true)
    let own = try CommandLineTool.run("run", "rigs/thesis.yaml", "--format", "jsonl")
    #expect(own.outputLines[1] != result.outputLines[1])
  }

  static let failing = """
    name: failing
    duration: 10min
    buses:
      - number: 1
        devices:
          - {address: 0x76, model: bme280, calibration: CALIBRATION}
    pipeline: {cycle: 5min, sample_every: 1s}
    expect:
      - {that: temperature, within: 0.1C, of: 30C}
      - {that: transfers, errors: 0}
    """.replacingOccurrences(
      of: "CALIBRATION", with: Fixtures.root.appending(path: "fixtures/calibrations/xft.yaml").path)

  @Test("an unmet expectation gives exit status 1 and a failure in the JUnit file")
  func expectation() throws {
    try CommandLineTool.withFile(Self.failing) { path in
      let junit = path + ".xml"
      defer { try? FileManager.default.removeItem(atPath: junit) }
      let result = try CommandLineTool.run("run", path, "--junit", junit)
      #expect(result.status == 1)
      #expect(result.output.contains("FAIL  every temperature is within 0.1 C of 30 C"))
      let document = try String(contentsOfFile: junit, encoding: .utf8)
      #expect(document.contains("tests=\"2\" failures=\"1\""))
      #expect(document.contains("line=\"9\""))
    }
  }

  @Test("a JUnit file that cannot be written is exit status 74")
  func junitUnwritable() throws {
    let result = try CommandLineTool.run(
      "run", "rigs/thesis.yaml", "--junit", "/nowhere/result.xml")
    #expect(result.status == 74)
    #expect(result.errors.hasPrefix("aneroid: /nowhere/result.xml: cannot be written"))
  }

  @Test(
    "each failure gives its exit status and a message that begins with aneroid:, without output",
    arguments: [
      ("run", "rigs/none.yaml", 66, "aneroid: rigs/none.yaml: no such file"),
      ("run", "README.md", 78, "aneroid: README.md:"),
      ("read", "rig:rigs/none.yaml", 66, "aneroid: rigs/none.yaml: no such file"),
      (
        "read", "rig:rigs/thesis.yaml#4", 69,
        "aneroid: rigs/thesis.yaml: unknown bus '4' (accepted: "
      ),
      (
        "read", "rig:rigs/many-sensors.yaml", 69,
        "aneroid: rigs/many-sensors.yaml: the rig has several buses, "
      ),
      ("read", "/dev/i2c-1", 69, "aneroid: /dev/i2c-1: cannot be opened:"),
    ] as [(String, String, Int32, String)])
  func failures(_ command: String, _ argument: String, _ status: Int32, _ message: String) throws {
    let arguments = command == "read" ? ["read", "--bus", argument] : [command, argument]
    let result = try CommandLineTool.run(CommandLineTool.path, arguments)
    #expect(result.status == status)
    #expect(result.errors.hasPrefix(message), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test("a missing sensor is exit status 69, without partial JSON")
  func absentSensor() throws {
    let result = try CommandLineTool.run(
      "read", "--bus", "rig:rigs/thesis.yaml", "--address", "0x77", "--format", "json")
    #expect(result.status == 69)
    #expect(result.output.isEmpty)
    #expect(
      result.errors == "aneroid: rigs/thesis.yaml: 0x77 on bus 1: identifying the chip: "
        + "address not acknowledged (message 0, EREMOTEIO)\n")
  }

  @Test("a bad file named by a rig is exit status 65, and both files are named")
  func badSeries() throws {
    let rig = try Fixtures.text("rigs/weather-station.yaml")
      .replacingOccurrences(of: "    gaps: {interpolate: 3h}", with: "    gaps: {interpolate: 2h}")
      .replacingOccurrences(of: "../fixtures", with: Fixtures.root.path + "/fixtures")
    try CommandLineTool.withFile(rig) { path in
      let result = try CommandLineTool.run("run", path)
      #expect(result.status == 65)
      #expect(result.output.isEmpty)
      #expect(
        result.errors.contains("jfk-2013.csv:14: error: the column 'pressure' has a gap of 3 h"))
      #expect(result.errors.contains("aneroid: \(path):"))
      #expect(result.errors.contains(": error: the rig references this file"))
    }
  }

  @Test("rig check accepts every rig of the repository")
  func checkGood() throws {
    let rigs = try Fixtures.rigs().map { "rigs/\($0)" }
    let result = try CommandLineTool.run(CommandLineTool.path, ["rig", "check"] + rigs)
    #expect(result.status == 0)
    #expect(result.outputLines == rigs.map { "\($0): ok" })
  }

  @Test("rig check prints every error and ends with 78")
  func checkBad() throws {
    let bad = Self.failing.replacingOccurrences(of: "duration: 10min", with: "duration: 10")
      .replacingOccurrences(of: "expect:", with: "expects:")
    try CommandLineTool.withFile(bad) { path in
      let result = try CommandLineTool.run("rig", "check", path, "rigs/thesis.yaml")
      #expect(result.status == 78)
      #expect(
        result.outputLines.map { $0.replacingOccurrences(of: path, with: "RIG") } == [
          "RIG:2:11: error: duration: '10' needs a unit; for example 10s",
          "RIG:8:1: error: unknown key 'expects' in the rig; did you mean 'expect'? "
            + "(accepted: name, seed, clock, duration, clock_steps, harsh, buses, fleet, environment, pipeline, firmware, "
            + "stimuli, plant, faults, notify, expect)",
          "rigs/thesis.yaml: ok",
        ])
    }
  }

  @Test("the documented key reference equals that of the program")
  func reference() throws {
    let result = try CommandLineTool.run("rig", "reference")
    #expect(result.status == 0)
    #expect(try Fixtures.text("Sources/Rig/Rigs/Rigs.docc/RigKeys.md") == result.output)
  }

  @Test("the documented fidelity pages equal those of the program")
  func fidelity() throws {
    let pages = [
      ("bme280", "BME280Model/BME280Model.docc/ModelFidelity.md"),
      ("sht21", "Chips/Chips.docc/SHT21ModelFidelity.md"),
      ("hdc1000", "Chips/Chips.docc/HDC1000ModelFidelity.md"),
      ("bmp180", "Chips/Chips.docc/BMP180ModelFidelity.md"),
    ]
    var all: [String] = []
    for (part, file) in pages {
      let page = try Fixtures.text("Sources/Chips/\(file)")
      #expect(try CommandLineTool.run("doctor", "--fidelity", part).output == page)
      all.append(page)
    }
    #expect(try CommandLineTool.run("doctor", "--fidelity").output == all.joined(separator: "\n"))
    let stranger = try CommandLineTool.run("doctor", "--fidelity", "sht12")
    #expect(stranger.status == 64 && stranger.errors.contains("did you mean 'sht21'?"))
    #expect(try CommandLineTool.run("doctor", "sht21").status == 64)
  }

  @Test("the documented personalities equal those of the program")
  func personalities() throws {
    let result = try CommandLineTool.run("doctor", "--personalities")
    #expect(result.status == 0)
    let page = try Fixtures.text("Sources/Bench/VirtualI2C/VirtualI2C.docc/Personalities.md")
    #expect(page == result.output)
    #expect(try CommandLineTool.run("doctor", "--personalities", "--fidelity").status == 64)
  }

  @Test(
    "the documented scores of the forecasters equal those of the program and of an independent count"
  )
  func scores() throws {
    let table = "fixtures/weather/jfk-2013.csv"
    let told = try CommandLineTool.run("score", table)
    #expect(
      told.status == 0 && told.output.contains("A settled fine") && !told.output.contains("|"))
    let result = try CommandLineTool.run("score", "--page", table)
    #expect(result.status == 0)
    #expect(try Fixtures.text("Sources/Rig/Rigs/Rigs.docc/ForecastScores.md") == result.output)
    let counted = try CommandLineTool.run(
      URL(filePath: "/usr/bin/python3"), ["Tests/Peers/score_oracle.py", table])
    #expect(counted.outputLines.count == 5)
    for line in counted.outputLines {
      let words = line.split(separator: " ")
      #expect(result.output.contains("| \(words[0]) | \(words[1]) | \(words[2]) % |"))
    }
    #expect(try CommandLineTool.run("score", "/no/such/table").status == 66)
    #expect(try CommandLineTool.run("score", "fixtures/weather/five-forecasts.csv").status == 65)
  }

  @Test(
    "in a table for 'score', missing numbers are accepted and out-of-range ones are rejected",
    arguments: [
      ("nan", "nan", "nan", 0, ""), ("inf", "-inf", "NA", 0, ""), ("NaN", "", "0.1", 0, ""),
      ("1e300", "180", "0", 65, ":9:22: error: 1e300 is out of range"),
      ("9999999", "0", "0", 65, ":9:22: error: "),
      ("1013", "1e30", "0", 65, ":9:27: error: 1e30 is out of range"),
      ("1013", "-1", "0", 65, ":9:27: error: -1"),
    ])
  func numbersOfScores(
    _ pressure: String, _ wind: String, _ rain: String, _ status: Int, _ message: String
  ) throws {
    func row(_ hour: Int) -> String {
      let values = hour == 7 ? "\(pressure),\(wind),\(rain)" : "\(1010 + hour),\(hour),0"
      return "2026-01-01T\(hour < 10 ? "0" : "")\(hour):00:00Z,\(values)"
    }
    let table = (["time_hour,pressure,wind_dir,precip"] + (0..<24).map(row)).joined(separator: "\n")
    try CommandLineTool.withFile(table, suffix: ".csv") { path in
      let result = try CommandLineTool.run("score", path)
      #expect(result.status == Int32(status), "\(result.errors)")
      #expect(status == 0 || result.errors.contains(message), "\(result.errors)")
      if status == 0 {
        #expect(
          result.output.contains("\(path): ") && !result.output.contains("New York"))
      }
    }
  }

  @Test("'score' rejects a table in which no hour can be scored")
  func emptyScores() throws {
    try CommandLineTool.withFile("time_hour,pressure,wind_dir,precip\n", suffix: ".csv") { path in
      let result = try CommandLineTool.run("score", path)
      #expect(result.status == 65 && result.output.isEmpty)
      #expect(result.errors.contains("no hour can be scored"))
    }
  }

  @Test("the schema is valid, accepts every rig and rejects errors, according to jsonschema")
  func schema() throws {
    let python = Fixtures.root.appending(path: ".build-peers/bin/python")
    try #require(
      FileManager.default.isExecutableFile(atPath: python.path), "Tests/run installs this judge")
    let schema = try CommandLineTool.run("rig", "schema").output
    let rigs = ["weather-station", "stormy-week", "thesis", "many-sensors"]
    let mistakes = [
      ("seed: 42", "sed: 42"), ("48h", "48"), ("number: 1", "number: one"), ("0x76", "0x75"),
      ("samples: 5", "samples: 0"), ("that: readings", "that: reading"), ("unit: F", "unit: R"),
    ]
    let good = try Fixtures.text("rigs/weather-station.yaml")
    try CommandLineTool.withFile(schema, suffix: ".json") { schemaPath in
      let accepted = try CommandLineTool.run(
        python, ["Tests/Peers/validate_rigs.py", schemaPath] + rigs.map { "rigs/\($0).yaml" })
      #expect(accepted.errors.isEmpty)
      #expect(accepted.outputLines == rigs.map { "rigs/\($0).yaml valid" })
      for (old, new) in mistakes {
        try CommandLineTool.withFile(good.replacingOccurrences(of: old, with: new)) { rig in
          let refused = try CommandLineTool.run(
            python, ["Tests/Peers/validate_rigs.py", schemaPath, rig])
          #expect(refused.status == 0)
          #expect(!refused.output.contains("valid\n"), "\(new): \(refused.output)")
        }
      }
    }
  }
}
