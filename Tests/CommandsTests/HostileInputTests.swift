import Foundation
import TestSupport
import Testing

/// Inputs from pipes and of any size, with small stacks.
struct HostileInputTests {
  static func shell(_ script: String, _ arguments: String...) throws -> CommandLineTool.Result {
    try CommandLineTool.run(
      URL(filePath: "/bin/bash"), ["-c", script, CommandLineTool.path.path] + arguments)
  }

  @Test("a rig or a table can be read from a pipe")
  func pipes() throws {
    let rig = try Self.shell(
      "cd rigs && \"$0\" rig check <(cat thesis.yaml | sed 's|: \\.\\./|: '$PWD/../'|')")
    #expect(rig.status == 0 && rig.output.hasSuffix(": ok\n"), "\(rig)")
    let score = try Self.shell("\"$0\" score <(cat fixtures/weather/jfk-2013.csv)")
    let named = try CommandLineTool.run("score", "fixtures/weather/jfk-2013.csv")
    // Only the first line of the output names the table.
    #expect(score.outputLines.count > 20)
    #expect(score.outputLines.dropFirst() == named.outputLines.dropFirst())
    let standardInput = try Self.shell("\"$0\" rig check /dev/stdin < rigs/no-such-rig.yaml")
    #expect(standardInput.status != 0)
  }

  @Test("a folder and an endless file are rejected as rigs, with the reason")
  func unreadable() throws {
    let folder = try CommandLineTool.run("rig", "check", "rigs")
    #expect(folder.status == 74 && folder.output == "rigs: is a folder, not a rig\n")
    let endless = try CommandLineTool.run("rig", "check", "/dev/zero")
    #expect(
      endless.status == 65 && endless.output == "/dev/zero: the file is longer than 1048576 bytes\n"
    )
  }

  @Test("no command crashes with a stack of 512 kB", arguments: [512, 1024])
  func smallStack(_ kilobytes: Int) throws {
    let nests = [
      String(repeating: "[", count: 100_000),
      String(repeating: "[", count: 990) + String(repeating: "]", count: 990),
      String(repeating: "{a: ", count: 990) + "1" + String(repeating: "}", count: 990),
      String(repeating: "- ", count: 990) + "x",
    ]
    for nest in nests {
      try CommandLineTool.withFile(nest) { path in
        let result = try Self.shell("ulimit -s \(kilobytes); \"$0\" rig check $1", path)
        #expect(result.status == 78 && result.output.hasPrefix(path + ":"), "\(result)")
      }
    }
    for nest in [nests[0], nests[1]] {
      for command in ["trace check", "audit --csv temperature_c=1 --scenario calm --baseline"] {
        try CommandLineTool.withFile(nest + "\n", suffix: ".json") { path in
          let result = try Self.shell("ulimit -s \(kilobytes); \"$0\" \(command) $1 -- true", path)
          #expect([64, 65].contains(result.status), "\(command): \(result)")
        }
      }
    }
    let whole = try Self.shell("ulimit -s \(kilobytes); \"$0\" run rigs/weather-station.yaml")
    #expect(whole.status == 0, "\(whole.errors)")
  }
}
