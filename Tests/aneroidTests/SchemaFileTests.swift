import Foundation
import TestSupport
import Testing

/// Editors find the schema next to each rig, without a network.
struct SchemaFileTests {
  @Test("the schema beside the rigs is the one that the program prints")
  func file() throws {
    let printed = try CommandLineTool.run("rig", "schema").output
    #expect(try Fixtures.text("rigs/rig.schema.json") == printed)
    #expect(printed.contains("\"$id\": \"urn:aneroid:rig-schema\""))
    #expect(printed.contains("\"examples\": ["))
  }

  @Test("each rig names it in its first line, and the summary does not")
  func rigs() throws {
    let names = try Fixtures.rigs()
    #expect(names.count > 10)
    for name in names {
      let text = try Fixtures.text("rigs/\(name)")
      #expect(text.hasPrefix("# yaml-language-server: $schema=rig.schema.json\n"), "\(name)")
    }
    #expect(!(try CommandLineTool.run("rig", "list").output.contains("yaml-language-server")))
  }

  @Test("each key has an example of its own in the schema, and each fits: judged by jsonschema")
  func examples() throws {
    let python = Fixtures.root.appending(path: ".build-peers/bin/python")
    let judged = try CommandLineTool.run(
      python, ["Tests/Peers/validate_examples.py", "rigs/rig.schema.json"])
    let lines = judged.outputLines
    #expect(judged.status == 0 && lines.count == 1, "\(judged)")
    let count = lines.first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    #expect(count > 700 && lines.first?.hasSuffix(" examples") == true, "\(judged)")
  }

  @Test("no object of the schema says a thing twice")
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
}
