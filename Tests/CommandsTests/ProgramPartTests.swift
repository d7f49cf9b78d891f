import Foundation
import TestSupport
import Testing

/// Parts that are programs, in rigs.
@Suite("parts that are programs")
struct PartProgramTests {
  /// Runs the command with a rig in which a program in Python is an SHT4x.
  static func run(
    _ words: [String], model: String = "{program: [python3, sht4x.py], like: sht4x}",
    then last: [String] = []
  ) throws -> CommandLineTool.Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The folder of the rig is the program's working directory.
    try FileManager.default.copyItem(
      at: Fixtures.root.appending(path: "fixtures/parts/sht4x.py"),
      to: folder.appending(path: "sht4x.py"))
    let rig = folder.appending(path: "rig.yaml")
    try Data(
      """
      name: a program
      duration: 10min
      buses: [{number: 1, devices: [{address: 0x44, model: \(model)}]}]
      environment: {ramp: {from: {temperature: -20C}, to: {temperature: 30C}, over: 10min}}
      pipeline: {samples: 1, cycle: 10s}
      expect: [{that: temperature, within: 0.1C, of: environment}]
      """.utf8
    ).write(to: rig)
    return try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      ["PYTHONPATH=\(Fixtures.root.path)/Sources/Python", CommandLineTool.path.path]
        + words.map { $0 == "RIG" ? rig.path : $0 } + last)
  }

  @Test("'exec --part' runs a program in Python or an executable at the given address")
  func option() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let answers = #"while read -r line; do echo '{"bytes": [18, 52]}'; done"#
    let part = folder.appending(path: "my part").path
    try Data("#!/bin/sh\n\(answers)\n".utf8).write(to: URL(filePath: part))
    func exec(_ part: String, _ options: [String] = ["--address", "0x44"]) throws
      -> CommandLineTool.Result
    {
      try VirtualBusBench.exec(
        ["i2ctransfer", "-y", "1", "r2@0x44"], options: ["--part", part] + options,
        environment: ["PYTHONPATH": "\(Fixtures.root.path)/Sources/Python"])
    }
    #expect(try exec(part).errors.contains("in .py or executable"))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: part)
    #expect(try exec(part).output == "0x12 0x34\n")
    let python = try VirtualBusBench.exec(
      ["sh", "-c", "i2ctransfer -y 1 w1@0x44 0xFD; sleep 0.01; i2ctransfer -y 1 r6@0x44"],
      options: ["--part", "fixtures/parts/sht4x.py", "--address", "0x44", "--clock", "virtual"],
      environment: ["PYTHONPATH": "\(Fixtures.root.path)/Sources/Python"])
    #expect(python.output.hasPrefix("0x60 0x8c "), "\(python)")
    let unplaced = try exec(part, [])
    #expect(unplaced.status == 64 && unplaced.errors.contains("add --address"), "\(unplaced)")
    let harsh = try exec(part, ["--address", "0x44", "--harsh"])
    #expect(harsh.status == 64 && harsh.errors.contains("not for programs"), "\(harsh)")
  }

  @Test("a program in Python is read by the driver of the model that it is like, at the right time")
  func pipeline() throws {
    let result = try Self.run(["run", "RIG", "--allow-run"])
    #expect(result.status == 0 && result.output.contains("60 readings"), "\(result)")
    let again = try Self.run(["run", "RIG", "--allow-run"])
    #expect(again.output == result.output, "a run with a deterministic program is deterministic")
  }

  @Test("a program runs only with --allow-run", arguments: ["run", "read", "exec"])
  func permission(_ command: String) throws {
    let words = ["run": ["run", "RIG"], "read": ["read", "--bus", "RIG"]]
    let result = try Self.run(
      words[command] ?? ["exec", "--rig", "RIG"],
      then: command == "exec" ? ["--", "i2cget", "-y", "1", "0x44"] : [])
    #expect(result.status == 64, "\(result)")
    #expect(
      result.errors.contains(
        "the part at 0x44 on bus 1 is the program 'python3 sht4x.py'; --allow-run permits it"),
      "\(result.errors)")
  }

  @Test("a foreign program reads it through exec, and is not acknowledged while it measures")
  func exec() throws {
    let result = try Self.run(
      ["exec", "--rig", "RIG", "--allow-run", "--clock", "virtual"],
      then: [
        "--", "sh", "-c",
        "i2ctransfer -y 1 w1@0x44 0xFD; i2ctransfer -y 1 r6@0x44; sleep 0.01; i2ctransfer -y 1 r6@0x44",
      ])
    // The air is -20 C and 50 %.
    let bytes = result.output.split(separator: " ").map {
      UInt32($0.trimmingCharacters(in: .newlines).dropFirst(2), radix: 16)
    }
    try #require(bytes.count == 6, "\(result)")
    let code = Double((bytes[0] ?? 0) << 8 | (bytes[1] ?? 0))
    #expect(abs(-45 + 175 * code / 65535 + 20) < 0.01)
    #expect(result.errors.contains("No such device or address"))
  }

  @Test("exec ends with an error if a part failed, although its program tolerated that")
  func failure() throws {
    let result = try Self.run(
      ["exec", "--rig", "RIG", "--allow-run"],
      model: "{program: [sh, -c, \"read line; echo '{}'; read line; exit 1\"]}",
      then: ["--", "sh", "-c", "i2cget -y 1 0x44; exit 0"])
    #expect(result.status == 69, "\(result)")
    #expect(result.errors.contains("has ended with status 1, at event 2"))
  }

  @Test(
    "a program without an address, with keys of a described part, or in a fleet is an error",
    arguments: [
      ("devices: [{model: {program: [x]}}]", "a part that is a program needs 'address'"),
      (
        "devices: [{address: 0x44, noise: off, model: {program: [x]}}]",
        "noise: a program has no such key"
      ),
      ("devices: [{address: 0x44, model: {progam: [x]}}]", "did you mean 'program'?"),
      (
        "devices: [{address: 0x44, model: {program: [x], like: sht4}}]", "did you mean 'sht4x'?"
      ),
    ])
  func mistakes(_ devices: String, _ message: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
    try Data("name: a\nbuses: [{number: 1, \(devices)}]\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let result = try CommandLineTool.run("rig", "check", file.path)
    #expect(result.status != 0 && result.output.contains(message), "\(result)")
  }
}
