import Foundation
import TestSupport
import Testing

/// Regression tests for usability problems in messages.
struct FrictionTests {
  @Test(
    "the message for a missing -- contains the corrected command",
    arguments: [
      (["exec", "python3", "x.py"], "put -- before the program: aneroid exec -- python3 x.py"),
      (
        ["exec", "--log", "--rig", "thesis", "./reader", "-v"],
        "put -- before the program: aneroid exec --log --rig thesis -- ./reader -v"
      ),
      (["exec"], "no program given; usage: aneroid exec [options] -- PROGRAM ARGUMENTS..."),
      (
        ["exec", "--log", "--"],
        "no program given; usage: aneroid exec [options] -- PROGRAM ARGUMENTS..."
      ),
    ])
  func terminator(_ arguments: [String], _ message: String) throws {
    let result = try CommandLineTool.run(CommandLineTool.path, arguments)
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("Error: \(message)\n"), "\(result)")
  }

  @Test(
    "a misspelt command gets a suggestion",
    arguments: [
      (["runn", "x"], "unknown command 'runn'; did you mean 'run'? (accepted: new, run, "),
      (["rig", "chek", "x"], "unknown command 'chek'; did you mean 'check'? (accepted: check, "),
      (["nonsense"], "unknown command 'nonsense' (accepted: "),
    ])
  func command(_ arguments: [String], _ message: String) throws {
    let result = try CommandLineTool.run(CommandLineTool.path, arguments)
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("Error: \(message)"), "\(result)")
  }

  @Test("'help', --version and a command without a subcommand print the usual text")
  func known() throws {
    #expect(try CommandLineTool.run("help", "run").status == 0)
    #expect(try CommandLineTool.run("--version").status == 0)
    #expect(try CommandLineTool.run("rig").output.contains("SUBCOMMANDS"))
  }

  @Test(
    "the error for an address without 0x suggests the hexadecimal address",
    arguments: ["read --bus", "watch"])
  func address(_ command: String) throws {
    let words = command.split(separator: " ").map(String.init) + ["thesis", "--address", "76"]
    let result = try CommandLineTool.run(CommandLineTool.path, words)
    #expect(result.status == 64)
    #expect(
      result.errors.contains(
        "--address 76 is 0x4c, which no supported part uses; did you mean 0x76?"))
    #expect(try CommandLineTool.run("read", "--bus", "thesis", "--address", "118").status == 0)
  }

  @Test("a missing recording is reported")
  func recording() throws {
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      ["XDG_STATE_HOME=/nonexistent", CommandLineTool.path.path, "recording", "show"])
    #expect(result.status == 66)
    #expect(
      result.errors
        == "aneroid: no recording found; 'aneroid watch BUS --record' starts one\n")
  }

  @Test("the error for a rig without a reader names the missing keys, with which the rig runs")
  func pipeline() throws {
    let rig = """
      name: cold
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]

      """
    try CommandLineTool.withFile(rig) { path in
      let result = try CommandLineTool.run("run", path)
      #expect(result.status == 78)
      #expect(
        result.errors.hasSuffix(
          "or add 'duration: 1h' and 'pipeline: {}' for 'aneroid run'\n"),
        "\(result)")
    }
    try CommandLineTool.withFile(rig + "duration: 1h\npipeline: {}\n") { path in
      let result = try CommandLineTool.run("run", path)
      #expect(result.status == 0)
    }
  }

  @Test(
    "the value of --fault may be enclosed in braces",
    arguments: ["{kind: nack-address}", " { kind: nack-address } "])
  func braces(_ fault: String) throws {
    let result = try CommandLineTool.run(
      "exec", "--fault", fault, "--", "i2cget", "-y", "1", "0x76", "0xd0")
    #expect(result.errors.contains("nack-address"), "\(result)")
    #expect(result.errors.contains("fired"), "\(result)")
  }

  @Test("for part of a fault's name, the error suggests the full names")
  func partOfName() throws {
    let result = try CommandLineTool.run("exec", "--fault", "kind: nack", "--", "true")
    #expect(result.errors.contains("did you mean 'nack-address' or 'nack-data'?"), "\(result)")
  }

  @Test(
    "a file of another kind is reported with its kind",
    arguments: [
      (["run", "rigs"], "aneroid: rigs: is a folder, not a rig\n"),
      (["trace", "show", "rigs"], "aneroid: rigs: is a folder, not a file\n"),
      (
        ["run", "Tests/Peers/kills.py"],
        "aneroid: Tests/Peers/kills.py:1:1: error: this is not a rig file: the keys of one are name, "
      ),
      (
        ["trace", "show", "Tests/Peers/kills.py"],
        "aneroid: Tests/Peers/kills.py:1: error: this is not a trace, which begins with {\"i2ctrace\":1\n"
      ),
    ])
  func foreign(_ arguments: [String], _ message: String) throws {
    let result = try CommandLineTool.run(CommandLineTool.path, arguments)
    #expect(result.errors.hasPrefix(message), "\(result)")
  }
}
