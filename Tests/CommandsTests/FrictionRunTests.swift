import Foundation
import TestSupport
import Testing

/// Regression tests for usability problems in the output of runs.
struct FrictionRunTests {
  /// Returns the output of a command on a terminal of a width, without colours and progress.
  static func onTerminal(_ columns: Int, _ arguments: [String], colours: Bool = false) throws
    -> [String]
  {
    let environment = ["COLUMNS=\(columns)", "python3", "Tests/Peers/on_terminal.py"]
    let program = ["/usr/bin/env"] + (colours ? [] : ["NO_COLOR=1"])
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      environment + program + [CommandLineTool.path.path] + arguments)
    return result.output.replacing(/\r\u{1B}\[K(aneroid: \[[^%]*%)?/, with: "")
      .replacing("\r\n", with: "\n")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test(
    "the output of a run fits the terminal's width, and the table has column names",
    arguments: [80, 60],
    ["weather-station", "thesis-bug", "many-sensors", "stormy-week", "iss-leak"])
  func width(_ columns: Int, _ rig: String) throws {
    let lines = try Self.onTerminal(columns, ["run", rig])
    for line in lines { #expect(line.count <= columns, "\(line)") }
    if rig != "iss-leak" {
      #expect(lines.contains { $0.contains("time  ") && $0.contains("°C") }, "\(lines)")
    }
  }

  @Test("a table with omitted rows says which rows are omitted; lines in a pipe are not truncated")
  func subsample() throws {
    let lines = try CommandLineTool.run("run", "weather-station").outputLines
    let heads = "       time       hPa   hPa/h      °C      %  forecast"
    #expect(lines.contains("  " + heads), "\(lines)")
    #expect(
      lines.contains(
        "  16 of 96 averages: each new forecast, and at least every 6 h; use --format jsonl for all"
      ), "\(lines)")
    #expect(lines.contains { $0.count > 100 })
    let table = try CommandLineTool.run("run", "thesis-bug").outputLines
    #expect(table.contains { $0.hasSuffix("temperature, °C                 pressure, hPa") })
  }

  @Test("values are printed in the units of the rig")
  func units() throws {
    let rig = """
      name: units
      duration: 1h
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      environment: {constant: {pressure: 30inHg}}
      pipeline: {samples: 1, cycle: 10min}
      expect:
        - {that: pressure, within: 1hPa, of: 29.9inHg}
        - {that: pressure, within: 20Pa, of: environment}
      """
    try CommandLineTool.withFile(rig) { path in
      let output = try CommandLineTool.run("run", path).output
      #expect(
        output.contains("every pressure is within 1 hPa of 29.9 inHg: largest deviation 3.3"),
        "\(output)")
      #expect(output.contains("within 20 Pa of the environment: largest deviation "))
      #expect(output.contains(" hPa at 0:"))
    }
  }

  @Test("air outside a part's range is reported by rig check and run")
  func range() throws {
    let rig = """
      name: deep
      duration: 1h
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      environment: {ramp: {from: {pressure: 1000hPa}, to: {pressure: 1500hPa}, begin: 0s, over: 30min}}
      pipeline: {samples: 1, cycle: 10min}
      """
    let note =
      ": note: the air reaches 1500 hPa, outside the range of a BME280, 300 to 1100 hPa; its values there are invalid"
    try CommandLineTool.withFile(rig) { path in
      let check = try CommandLineTool.run("rig", "check", path)
      #expect(check.status == 0 && check.output == "\(path)\(note)\n\(path): ok\n", "\(check)")
      #expect(try CommandLineTool.run("run", path).errors.contains("aneroid: \(path)\(note)\n"))
    }
    let quiet = try CommandLineTool.run("run", "stormy-week").errors
    #expect(quiet == "")
    try CommandLineTool.withFile(rig.replacing("over: 30min", with: "over: 9h")) { path in
      let check = try CommandLineTool.run("rig", "check", path)
      #expect(check.output == "\(path): ok\n")
    }
  }

  @Test("the columns of read stay aligned when the time gets more digits")
  func columns() throws {
    let lines = try CommandLineTool.run(
      "read", "--bus", "thesis", "--count", "12", "--every", "10s"
    ).outputLines
    #expect(lines.count == 12)
    let places = Set(lines.map { line in line.firstRange(of: " s   0x76")?.lowerBound })
    #expect(places.count == 1 && !places.contains(nil), "\(lines)")
    #expect(Set(lines.map(\.count)).count == 1, "\(lines)")
  }

  @Test(
    "rig check and doctor are coloured on a terminal, unless NO_COLOR is set",
    arguments: [["rig", "check", "rigs/thesis.yaml"], ["doctor"]])
  func colours(_ arguments: [String]) throws {
    let coloured = try Self.onTerminal(80, arguments, colours: true).joined()
    #expect(coloured.contains("\u{1B}[32m"), "\(coloured)")
    let plain = try Self.onTerminal(80, arguments).joined()
    let piped = try CommandLineTool.run(CommandLineTool.path, arguments).output
    #expect(!plain.contains("\u{1B}[") && !piped.contains("\u{1B}"))
  }

  @Test("differences between a run and a trace are reported and compared with tolerances")
  func within() throws {
    try TraceTests.withFiles(1) { paths in
      _ = try CommandLineTool.run("run", "weather-station", "--trace", paths[0])
      func against(_ tolerances: String) throws -> CommandLineTool.Result {
        try CommandLineTool.run(
          "run", "weather-station", "--seed", "7", "--against", paths[0], "--within", tolerances)
      }
      let near = try against("50Pa,0.5C")
      #expect(near.status == 0, "\(near)")
      let line = try #require(near.outputLines.first { $0.contains("0x76 on bus 1") })
      #expect(
        line.wholeMatch(
          of:
            /ok    0x76 on bus 1: 480 readings, differing at most: pressure by \d+\.\d{3} Pa \(50 Pa allowed\), temperature by 0\.0\d\d C \(0\.5 C allowed\), humidity by 0\.\d{3} %RH \(no tolerance\)/
        ) != nil, "\(line)")
      #expect(!near.output.contains("first response that differs"))
      let far = try against("1Pa, 0.5C, 2%")
      #expect(far.status == 1 && far.output.contains("FAIL  0x76 on bus 1"), "\(far)")
      let shorter = try CommandLineTool.run(
        "run", "thesis", "--against", paths[0], "--within", "50Pa")
      #expect(
        shorter.status == 1 && shorter.output.contains("480 readings in the trace, "), "\(shorter)")
    }
  }

  @Test(
    "invalid tolerances are rejected with a reason",
    arguments: [
      ("50", "--within: '50' needs a unit; for example 50Pa,0.5C,2% (accepted: "),
      (
        "5mbarr",
        "--within: unknown unit 'mbarr' for pressure, temperature or humidity; did you mean 'mbar'?"
      ),
      ("5s", "--within: unknown unit 's' for pressure, temperature or humidity"),
      ("5Pa,6hPa", "--within: the tolerance of pressure is given twice"),
      ("-5Pa", "--within: the tolerance '-5Pa' is below 0"),
      ("-Pa", "--within: '-Pa' is not a change of pressure; for example"),
    ])
  func badTolerances(_ text: String, _ message: String) throws {
    let result = try CommandLineTool.run(
      "run", "thesis", "--against", "none", "--within=\(text)")
    #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
    #expect(
      try CommandLineTool.run("run", "thesis", "--within", "5Pa").errors
        .contains("requires --against"))
  }

  @Test("--for ends an endless program, in virtual and in real time")
  func limited() throws {
    let script = "import time\nwhile True:\n  print(1)\n  time.sleep(60)"
    func run(_ options: String...) throws -> CommandLineTool.Result {
      try CommandLineTool.run(
        CommandLineTool.path, ["exec"] + options + ["--", "python3", "-c", script])
    }
    let day = try run("--clock", "virtual", "--for", "24h")
    #expect(day.status == 0 && day.outputLines.count == 1440, "\(day.outputLines.count)")
    let short = try run("--for", "2s")
    #expect(short.status == 0 && short.output == "1\n", "\(short)")
    let own = try CommandLineTool.run(
      "exec", "--clock", "virtual", "--for", "1h", "--", "sh", "-c", "exit 3")
    #expect(own.status == 3)
    let stubborn = try CommandLineTool.run(
      "exec", "--for", "200ms", "--grace", "200ms", "--", "sh", "-c",
      "trap '' TERM; while :; do sleep 1; done")
    #expect(stubborn.status == 0, "\(stubborn)")
  }
}
