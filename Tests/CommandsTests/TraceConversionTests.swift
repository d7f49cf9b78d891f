import Foundation
import TestSupport
import Testing

/// `aneroid trace import` and `export`, verified with sigrok-cli.
struct TraceConversionTests {
  @Test("sigrok-cli decodes the exported signals of a run to the transfers of its trace")
  func sigrok() throws {
    try TraceTests.withFiles(4) { paths in
      let (trace, lines, decoded, again) = (paths[0], paths[1], paths[2], paths[3])
      _ = try CommandLineTool.run("run", "rigs/thesis.yaml", "--trace", trace)
      let export = try CommandLineTool.run("trace", "export", "--to", "vcd", trace, "-o", lines)
      #expect(export.status == 0)
      #expect(export.errors.isEmpty)
      let sigrok = try CommandLineTool.run(
        URL(filePath: "/usr/bin/sigrok-cli"),
        [
          "-I", "vcd:compress=100000", "-i", lines, "-P", "i2c:scl=SCL:sda=SDA", "-A",
          "i2c=addr-data", "--protocol-decoder-samplenum",
        ])
      #expect(sigrok.status == 0)
      try sigrok.output.write(toFile: decoded, atomically: true, encoding: .utf8)
      for (kind, file) in [("sigrok", decoded), ("vcd", lines)] {
        let imported = try CommandLineTool.run(
          "trace", "import", "--from", kind, "--samplerate", "1e9", file, "-o", again)
        #expect(imported.status == 0)
        let diff = try CommandLineTool.run("trace", "diff", trace, again)
        #expect(diff.output.hasPrefix("identical: "), "\(kind)")
        #expect(diff.status == 0)
      }
    }
  }

  @Test("a VCD written by sigrok is read")
  func sigrokLines() throws {
    try TraceTests.withFiles(3) { paths in
      let lines = "fixtures/captures/lines.vcd"
      let sigrok = try CommandLineTool.run(
        URL(filePath: "/usr/bin/sigrok-cli"), ["-i", lines, "-O", "vcd", "-o", paths[0]])
      #expect(sigrok.status == 0)
      for (file, output) in [(lines, paths[1]), (paths[0], paths[2])] {
        let imported = try CommandLineTool.run(
          "trace", "import", "--from", "vcd", file, "-o", output)
        #expect(imported.status == 0)
      }
      let diff = try CommandLineTool.run("trace", "diff", paths[1], paths[2])
      #expect(diff.output == "identical: 5 transfers, at the same times\n")
    }
  }

  @Test("an exported script repeats the transfers on another bus")
  func script() throws {
    try TraceTests.withFiles(3) { paths in
      let (trace, script, again) = (paths[0], paths[1], paths[2])
      let rig = "rigs/thesis.yaml"
      _ = try CommandLineTool.run("read", "--bus", "rig:\(rig)", "--trace", trace)
      _ = try CommandLineTool.run("trace", "export", "--to", "i2ctransfer", trace, "-o", script)
      let run = try VirtualBusBench.exec(
        ["/bin/sh", script], options: ["--rig", rig, "--clock", "virtual", "--trace", again])
      #expect(run.output.hasPrefix("0x60\n"))
      let diff = try CommandLineTool.run("trace", "diff", trace, again)
      #expect(diff.output.hasPrefix("identical: 12 transfers, "))
    }
  }

  @Test("an invalid capture gives exit status 65 and the line, and an existing file is kept")
  func wrong() throws {
    try TraceTests.withFiles(2) { paths in
      let capture = "i2cget -y 1 0x76 0xd0\n0x60\ni2cget -y 1 0x76 0xd0\n0x6\n"
      try capture.write(toFile: paths[0], atomically: true, encoding: .utf8)
      let arguments = ["trace", "import", "--from", "i2c-tools", paths[0], "-o", paths[1]]
      let result = try CommandLineTool.run(CommandLineTool.path, arguments)
      #expect(result.status == 65)
      #expect(result.errors == "aneroid: \(paths[0]):4: error: '0x6' is not a byte such as 0x60\n")
      #expect(!FileManager.default.fileExists(atPath: paths[1]))
      try "older".write(toFile: paths[1], atomically: true, encoding: .utf8)
      _ = try CommandLineTool.run(CommandLineTool.path, arguments)
      #expect(try String(contentsOfFile: paths[1], encoding: .utf8) == "older")
      let missing = try CommandLineTool.run("trace", "import", "--from", "vcd", "nowhere.vcd")
      #expect(missing.status == 66)
      let folder = try CommandLineTool.run(
        "trace", "import", "--from", "periph", "fixtures/captures/periph.go", "-o", "/nowhere/a")
      #expect(folder.status == 74)
    }
  }

  @Test("a capture is read from a pipe, and its trace written to one")
  func pipes() throws {
    let text = try Fixtures.text("fixtures/captures/ftrace.txt")
    let result = try CommandLineTool.run(
      "trace", "import", "--from", "ftrace", "-", "--note", "bench 4", input: text)
    #expect(result.status == 0)
    #expect(result.outputLines.count == 5)
    #expect(result.outputLines[0].contains("imported from ftrace; bench 4; messages longer"))
    let piped = try CommandLineTool.run(
      URL(filePath: "/bin/sh"),
      [
        "-c",
        "cat fixtures/captures/ftrace.txt | $0 trace import --from ftrace - | $0 trace check -",
        CommandLineTool.path.path,
      ])
    #expect(piped.output == "standard input: ok, 4 transfers, 1 failed, 0.0304 s\n")
  }

  @Test("an export of a trace with several buses requires --bus with an existing number")
  func buses() throws {
    try TraceTests.withFiles(2) { paths in
      _ = try CommandLineTool.run("run", "rigs/many-sensors.yaml", "--trace", paths[0])
      let open = try CommandLineTool.run("trace", "export", "--to", "vcd", paths[0])
      #expect(open.status == 69)
      #expect(open.errors.contains("use --bus N"))
      let none = try CommandLineTool.run("trace", "export", "--to", "csv", "--bus", "9", paths[0])
      #expect(none.status == 69)
      let one = try CommandLineTool.run(
        "trace", "export", "--to", "vcd", "--bus", "2", paths[0], "-o", paths[1])
      #expect(one.status == 0)
      #expect(try String(contentsOfFile: paths[1], encoding: .utf8).contains("$scope module i2c-2"))
    }
  }
}
