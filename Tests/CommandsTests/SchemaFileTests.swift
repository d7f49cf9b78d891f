import Foundation
import TestSupport
import Testing

/// The schema for editors, next to each rig.
struct SchemaFileTests {
  @Test("the schema in the folder of the rigs equals that of the program")
  func file() throws {
    let printed = try CommandLineTool.run("rig", "schema").output
    #expect(try Fixtures.text("rigs/rig.schema.json") == printed)
    #expect(printed.contains("\"$id\": \"urn:aneroid:rig-schema\""))
    #expect(printed.contains("\"examples\": ["))
    #expect(printed.utf8.count < 200_000, "\(printed.utf8.count) bytes")
  }

  @Test("every rig of the repository validates against the schema in its first line")
  func validates() throws {
    let folders = ["rigs", "rigs/warehouse"]
    let rigs = try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(
        atPath: Fixtures.root.appending(path: folder).path
      ).filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
    }
    var bySchema: [String: [String]] = [:]
    for rig in rigs {
      let first = try #require(try Fixtures.text(rig).split(separator: "\n").first)
      let name = try #require(first.wholeMatch(of: /# yaml-language-server: \$schema=(.+)/)?.1)
      let folder = Fixtures.root.appending(path: rig).deletingLastPathComponent()
      bySchema[folder.appending(path: String(name)).standardizedFileURL.path, default: []]
        .append(rig)
    }
    #expect(bySchema.count == 3 && rigs.count > 25, "\(bySchema.keys) \(rigs.count)")
    let python = Fixtures.root.appending(path: ".build-peers/bin/python")
    for (schema, rigs) in bySchema {
      let judged = try CommandLineTool.run(
        python, ["Tests/Peers/validate_rigs.py", schema] + rigs)
      #expect(judged.outputLines.count == rigs.count, "\(judged)")
      for line in judged.outputLines { #expect(line.hasSuffix(" valid"), "\(line)") }
    }
  }

  @Test("each rig names the schema in its first line, which is not part of the summary")
  func rigs() throws {
    let names = try Fixtures.rigs()
    #expect(names.count > 10)
    for name in names {
      let text = try Fixtures.text("rigs/\(name)")
      #expect(text.hasPrefix("# yaml-language-server: $schema=rig.schema.json\n"), "\(name)")
    }
    #expect(!(try CommandLineTool.run("rig", "list").output.contains("yaml-language-server")))
  }

  @Test("each key has its own valid example in the schema, according to jsonschema")
  func examples() throws {
    let python = Fixtures.root.appending(path: ".build-peers/bin/python")
    let judged = try CommandLineTool.run(
      python, ["Tests/Peers/validate_examples.py", "rigs/rig.schema.json"])
    let lines = judged.outputLines
    #expect(judged.status == 0 && lines.count == 1, "\(judged)")
    let count = lines.first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    #expect(count > 500 && lines.first?.hasSuffix(" examples") == true, "\(judged)")
  }

  @Test("no object of the schema has a duplicate key")
  func onceEach() throws {
    let program = """
      import json, sys
      def once(pairs):
          names = [name for name, _ in pairs]
          assert len(names) == len(set(names)), names
          return dict(pairs)
      json.load(open("rigs/rig.schema.json"), object_pairs_hook=once)
      """
    let result = try CommandLineTool.run(URL(filePath: "/usr/bin/env"), ["python3", "-c", program])
    #expect(result.status == 0, "\(result.errors)")
  }

  /// Devices, faults and times, and whether they are valid.
  static let judged = [
    ("{address: 0x76, model: bme280}", "{at: 10min, kind: nack-address}", true),
    ("{address: \"0x76\", model: bme280}", "{at: 10min, kind: nack-address}", true),
    ("{address: 0x20, model: bme280}", "{at: 10min, kind: nack-address}", false),
    ("{address: 0x76, model: bme280, nois: off}", "{at: 10min, kind: nack-address}", false),
    ("{address: 0x76, model: bme281}", "{at: 10min, kind: nack-address}", false),
    ("{address: 0x76, model: bme280}", "{at: -10min, kind: nack-address}", false),
    ("{address: 0x76, model: bme280}", "{at: 0s, kind: nack-address}", true),
    ("{address: 0x76, model: bme280}", "{at: 1s, kind: offset}", false),
    ("{address: 0x76, model: bme280}", "{at: 1s, kind: offset, pressure: -5hPa}", true),
    ("{address: 0x76, model: bme280}", "{at: 1s, kind: stuck-scl}", false),
  ]

  @Test("the schema and the checker accept and reject the same rigs", arguments: judged)
  func agree(_ device: String, _ fault: String, _ isRight: Bool) throws {
    let rig = """
      name: judged
      duration: 1h
      buses: [{number: 1, devices: [\(device)]}]
      faults: [\(fault)]
      """
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    try rig.write(to: file, atomically: true, encoding: .utf8)
    #expect((try CommandLineTool.run("rig", "check", file.path).status == 0) == isRight)
    let python = Fixtures.root.appending(path: ".build-peers/bin/python")
    let peer = ["Tests/Peers/validate_rigs.py", "rigs/rig.schema.json", file.path]
    let judged = try CommandLineTool.run(python, peer).output
    #expect(judged.hasSuffix(" valid\n") == isRight, "\(judged)")
    // A validator names the wrong key instead of all twenty models.
    if device.contains("nois") { #expect(judged.contains("'nois' was unexpected")) }
  }
}
