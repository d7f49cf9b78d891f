import Foundation
import FoundationXML
import TestSupport
import Testing

/// `aneroid audit` on the command line.
struct AuditTests {
  static let python = ["/usr/bin/python3", "Tests/Peers/audit/reader.py"]

  static func audit(
    _ options: [String], _ program: [String]
  ) throws -> CommandLineTool.Result {
    try CommandLineTool.run(CommandLineTool.path, ["audit"] + options + ["--"] + program)
  }

  /// A short Python program.
  static func script(_ text: String) -> [String] { ["/usr/bin/python3", "-c", text] }

  @Test(
    "a program that handles or ignores SIGTERM is ended",
    arguments: ["lambda *_: going.clear()", "lambda *_: None", "signal.SIG_IGN"])
  func terminated(_ handler: String) throws {
    let source = try Fixtures.text("Tests/Peers/audit/reader.py").replacing(
      "    while True:\n        try:",
      with: """
            import signal
            going = [1]
            signal.signal(signal.SIGTERM, \(handler))
            while going:
                try:
        """)
    let path = try Mutants.written(source, name: "terminated-\(handler.utf8.count).py")
    let scenarios = ["--scenario", "calm", "--scenario", "weather"]
    let result = try Self.audit(scenarios, ["/usr/bin/python3", path])
    #expect(result.output.contains("2 scenarios: 2 right"), "\(result)")
  }

  @Test(
    "the output format of a correct Python reader is detected, and it passes without bus errors")
  func rightPython() throws {
    let result = try Self.audit([], Self.python)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("65 scenarios: 6 reported, 59 right"))
    #expect(
      result.output.contains(/values in its output: .*\[\d+\.\d+\]/), "\(result.output.prefix(300))"
    )
    #expect(!result.output.contains("--match") && !result.output.contains("next:"))
  }

  @Test("a correct C reader passes")
  func rightC() throws {
    let program = try Mutants.compiled(Fixtures.text("Tests/Peers/audit/reader.c"), name: "right")
    let result = try Self.audit([], [program, "{bus}", "{address}"])
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("66 scenarios: 5 reported, 61 right"))
  }

  @Test("two audits of the same program give identical traces, to the last transfer")
  func sameTransfers() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = ["calm", "changing", "left-in-normal-mode", "power-loss"]
    let traces = try ["one", "other"].map { turn in
      let place = folder.appending(path: turn)
      let options = names.flatMap { ["--scenario", $0] } + ["--traces", place.path]
      #expect(try Self.audit(options, Self.python).status == 0)
      return try names.map { try Data(contentsOf: place.appending(path: "\($0).i2ctrace")) }
    }
    #expect(traces[0].allSatisfy { $0.count > 1000 })
    #expect(traces[0] == traces[1])
  }

  @Test("the defect of a broken reader is reported in every format")
  func forms() throws {
    let mutant = try #require(Mutants.of("reader.py").first { $0.classID == "B01" })
    let path = try Mutants.written(mutant.source, name: "forms.py")
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (junit, table) = (folder.appending(path: "a.xml").path, folder.appending(path: "a.md").path)
    let options = ["--scenario", "packed-h5", "--scenario", "calm", "--traces", folder.path]
    let text = try Self.audit(
      options + ["--junit", junit, "--markdown", table], ["/usr/bin/python3", path])
    #expect(text.status == 1)
    #expect(text.output.contains("likely B01 the nibbles of H5 in the wrong order"))
    #expect(text.output.contains("not 37.40 %"))
    let xml = try XMLDocument(contentsOf: URL(filePath: junit))
    #expect(try xml.nodes(forXPath: "//testcase").count == 2)
    #expect(try xml.nodes(forXPath: "//testcase[@name='packed-h5']/failure").count == 1)
    let markdown = try String(contentsOfFile: table, encoding: .utf8)
    #expect(markdown.contains("| packed-h5: H4 and H5 share") && markdown.contains("B01"))
    let trace = folder.appending(path: "packed-h5.i2ctrace").path
    #expect(try CommandLineTool.run("trace", "check", trace).status == 0)

    let json = try Self.audit(options + ["--format", "json"], ["/usr/bin/python3", path])
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(object["findings"] as? Int == 1)
    try CommandLineTool.withFile(json.output, suffix: ".json") { baseline in
      let known = try Self.audit(options + ["--baseline", baseline], ["/usr/bin/python3", path])
      #expect(known.status == 0 && known.output.contains("0 new"))
      let new = try #require(Mutants.of("reader.py").first { $0.classID == "B14" })
      let other = try Mutants.written(new.source, name: "new.py")
      #expect(
        try Self.audit(options + ["--baseline", baseline], ["/usr/bin/python3", other]).status == 1)
    }
    #expect(try Self.audit(["--baseline", junit], Self.python).status == 65)
    #expect(try Self.audit(["--baseline", "/no/such/file"], Self.python).status == 66)
  }

  @Test("the first run writes the baseline and passes; a later run fails if there are new findings")
  func startBaseline() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let baseline = folder.appending(path: "audit.json").path
    let junit = folder.appending(path: "audit.xml").path
    let options = [
      "--scenario", "calm", "--scenario", "packed-h5", "--baseline", baseline, "--start-baseline",
      "--junit", junit,
    ]
    let known = try #require(Mutants.of("reader.py").first { $0.classID == "B01" })
    let program = ["/usr/bin/python3", try Mutants.written(known.source, name: "known.py")]
    let first = try Self.audit(options, program)
    #expect(first.status == 0 && first.output.contains("0 new"), "\(first.output)")
    #expect(first.errors.contains("written as the baseline"))
    #expect(try XMLDocument(contentsOf: URL(filePath: junit)).nodes(forXPath: "//failure").isEmpty)
    let written = try Data(contentsOf: URL(filePath: baseline))

    let again = try Self.audit(options, program)
    #expect(
      again.status == 0 && !again.errors.contains("written as the baseline"), "\(again.errors)")
    let other = try #require(Mutants.of("reader.py").first { $0.classID == "B14" })
    let new = ["/usr/bin/python3", try Mutants.written(other.source, name: "later.py")]
    #expect(try Self.audit(options, new).status == 1)
    #expect(try Data(contentsOf: URL(filePath: baseline)) == written)
    #expect(try Self.audit(["--start-baseline"], Self.python).status == 64)
  }

  @Test("findings become annotations on GitHub Actions")
  func annotations() throws {
    let mutant = try #require(Mutants.of("reader.py").first { $0.classID == "B14" })
    let path = try Mutants.written(mutant.source, name: "annotated.py")
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      ["GITHUB_ACTIONS=true", CommandLineTool.path.path, "audit", "--scenario", "calm", "--"]
        + ["/usr/bin/python3", path])
    #expect(result.errors.hasPrefix("::error title=aneroid audit%3A calm::"))
  }

  @Test("for a program that prints one reading, scenarios with events between readings are not run")
  func once() throws {
    let text = try Fixtures.text("Tests/Peers/audit/reader.py")
      .replacing("        time.sleep(1)\n\n\nmain()", with: "        return\n\n\nmain()")
    let result = try Self.audit(
      [], ["/usr/bin/python3", try Mutants.written(text, name: "once.py")])
    #expect(result.output.contains("one reading per run"))
    #expect(result.output.contains("not run   power-loss"))
    #expect(result.output.contains("right     negative-h4"))
    #expect(result.status == 0, "\(result.output)")
  }

  @Test("a quantity missing from the output fails, unless --ignore names it (D10)")
  func unjudged() throws {
    let text = try Fixtures.text("Tests/Peers/audit/reader.py")
    func audit(_ label: String, _ options: [String] = []) throws -> Int32 {
      let program = text.replacing("pressure {pressure / 100:.2f} hPa", with: label)
      let path = try Mutants.written(program, name: "\(UUID().uuidString).py")
      return try Self.audit(["--scenario", "calm"] + options, ["/usr/bin/python3", path]).status
    }
    #expect(try audit("pres={pressure / 100:.2f}") == 0, "recognized by its label")
    #expect(try audit("pres={pressure / 100 + 30:.2f}") == 1)
    #expect(try audit("level={pressure / 100:.2f}") == 1)
    #expect(try audit("level={pressure / 100:.2f}", ["--ignore", "pressure"]) == 0)
  }

  @Test("self-heating by continuous normal mode is a warning, not a finding (D6)")
  func warm() throws {
    let text = try Fixtures.text("Tests/Peers/audit/reader.c").replacing(
      "0xF4, 0x25", with: "0xF4, 0x27"
    )
    .replacing("  if (wait_for(0x08) != 0) return -1;\n", with: "")
    let program = try Mutants.compiled(text, name: "warm")
    let result = try Self.audit(["--scenario", "self-heating"], [program])
    #expect(
      result.status == 0 && result.output.contains("own measurements heat the sensor"),
      "\(result.output)")
  }

  @Test("a program that measures every 2.5 s and prints every second passes (D12)")
  func decoupled() throws {
    let text = try Fixtures.text("Tests/Peers/audit/reader.py")
      .replacing(
        "    sensor = None\n    while True:",
        with: "    sensor = None\n    due, values = 0, None\n    while True:"
      )
      .replacing(
        "            temperature, pressure, humidity = sensor.measure()\n",
        with:
          "            if time.monotonic() >= due:\n                due = time.monotonic() + 2.5\n"
          + "                values = sensor.measure()\n            temperature, pressure, humidity = values\n"
      )
    let path = try Mutants.written(text, name: "decoupled.py")
    let options = ["changing", "weather", "power-loss"].flatMap { ["--scenario", $0] }
    let result = try Self.audit(options, ["/usr/bin/python3", path])
    #expect(result.output.contains("3 scenarios: 3 right"), "\(result.output)")
  }

  @Test(
    "an output that cannot be interpreted gives exit status 64 with advice",
    arguments: [
      ("print('temp 18.6 C, temp 18.7 C')", "ambiguous temperature"),
      ("print('hello')", "no number"), ("pass", "no output on the calm bench"),
      ("import sys; sys.exit('broken')", "broken"),
    ])
  func unclear(_ text: String, _ message: String) throws {
    let result = try Self.audit([], Self.script(text))
    #expect(result.status == 64)
    #expect(result.errors.contains(message))
  }

  @Test("a program that hangs is ended and fails the audit")
  func hangs() throws {
    let program = """
      import os, signal
      print('temperature 18.63 C, pressure 1009.37 hPa, humidity 42.60 %', flush=True)
      signal.pause()
      """
    let start = Date()
    let result = try Self.audit(
      ["--scenario", "calm", "--scenario", "nobody", "--timeout", "300ms"], Self.script(program))
    #expect(result.status == 1)
    #expect(result.output.contains("wrong     " + "nobody"), "values from nowhere")
    #expect(Date().timeIntervalSince(start) < 30)
  }

  @Test("unknown scenarios, programs and options are usage errors")
  func usage() throws {
    #expect(try CommandLineTool.run("audit").status == 64)
    #expect(try Self.audit(["--scenario", "no-such"], Self.python).status == 64)
    #expect(try Self.audit(["--match", "(?<x>.)"], Self.python).status == 64)
    #expect(
      try Self.audit(["--json", "temperature_c=a", "--csv", "humidity=1"], Self.python).status == 64
    )
    #expect(try Self.audit(["--address", "0x50"], Self.python).status == 64)
    #expect(try Self.audit([], ["/no/such/program"]).status == 127)
    let list = try CommandLineTool.run("audit", "--list")
    #expect(list.status == 0 && list.output.contains("negative-h4"))
    for option in ["--scenario", "--show"] {
      let other = try CommandLineTool.run("audit", option, "unpluged", "--", "true")
      let words = "unknown scenario 'unpluged'; did you mean 'unplugged'?"
      #expect(other.status == 64 && other.errors.contains(words), "\(other)")
    }
    let rig = try CommandLineTool.run("audit", "--show", "negative-h4", "--address", "0x77")
    #expect(rig.status == 0 && rig.output.contains("address: 0x77"))
  }

  @Test("the documented scenarios equal those of the program")
  func page() throws {
    let page = try CommandLineTool.run("audit", "--page").output
    #expect(try Fixtures.text("Sources/Work/Audit/Audit.docc/Scenarios.md") == page)
  }

  @Test(
    "the documented findings in drivers equal those of the audit",
    arguments: Repetitions.areMany
      ? [nil] : ["RPi.bme280 0.2.4", "bmp-280 0.1.2", "RPi.bme280 0.2.2"])
  func drivers(_ title: String?) throws {
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/python3"),
      ["Tests/Peers/audit/driver_table.py", CommandLineTool.path.path] + [title].compactMap(\.self))
    #expect(result.status == 0, "\(result.errors)")
    let page = try Fixtures.text("Sources/Work/Audit/Audit.docc/Drivers.md")
    if let title {
      #expect(result.output.contains("### \(title)\n"))
      #expect(page.contains(result.output))
    } else {
      #expect(page == result.output)
    }
  }
}
