import ArgumentParser
import Files
import Findings
import KeyPages
import Rigs
import Runs
import Schema
import Text

/// `aneroid rig`: works on rig files without running them.
struct RigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rig",
    abstract:
      "Check rig files; list and show the built-in ones; print what their keys mean and the schema for editors.",
    subcommands: [Check.self, List.self, Show.self, Reference.self, SchemaCommand.self])

  /// `aneroid rig check`: finds every mistake.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Find every mistake in rig files and in the files that they name.",
      discussion: """
        EXAMPLES
          aneroid rig check my-rig.yaml
          aneroid rig check --format github rigs/*.yaml

        Mistakes are printed as file:line:column: error: message. The exit status is 0 when there \
        are none, 78 for a mistake in a rig, 65 or 66 when only a file that a rig names is bad or \
        missing. A sensor whose offset or drift is larger than the data sheet allows is warned of. \
        Rigs with the key 'warehouse' are checked by 'aneroid hub check'.
        """)

    @Argument(
      help: "The rigs: files or built-in names.", completion: Completions.rigs)
    var rigs: [String]

    @Option(help: "text, json (one object), junit, github (annotations) or markdown.")
    var format: PlainFormat = .text

    func run() throws {
      try startWarehouses()
      let output = Output()
      var status: Int32 = 0
      var findings: [Finding] = []
      for path in rigs {
        var found: [Finding]
        do throws(Failure) {
          try Self.refuseWarehouse(path)
          found = try Rig(path: path).findings
        } catch {
          found = error.findings
          if status != Failure.Kind.badRig.rawValue {
            status = error.kind == .badRig || status == 0 ? error.exitStatus : status
          }
        }
        // Many files take their time: each is told when it has been looked at.
        if format == .text { output.write(found.map { Output.line(of: $0) + "\n" }.joined()) }
        findings += found
      }
      let inspection = Inspection(
        "aneroid rig check", of: rigs.count == 1 ? rigs[0] : "",
        nouns: Inspection.Nouns(rule: "check", message: "found", defect: "speak against the rigs"),
        findings)
      output.write(format.text(inspection) { "" })
      output.flush()
      if format != .github { GitHub.annotate(GitHubAnnotations.lines(inspection)) }
      if status != 0 { throw ExitCode(status) }
    }
  }

  /// `aneroid rig reference`: prints what every key means.
  struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reference",
      abstract: "Print what every key of a rig file means, as Markdown.",
      discussion: """
        EXAMPLES
          aneroid rig reference | less
          aneroid rig reference --events | less
        """)

    @Flag(help: "Instead print what every event of a run and its fields mean.")
    var events = false

    func run() {
      let output = Output()
      output.write(events ? EventPage.text : RigReference.page)
      output.flush()
    }
  }

  /// `aneroid rig schema`: prints the JSON Schema.
  struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "schema",
      abstract: "Print the JSON Schema of rig files, for editors.",
      discussion: """
        EXAMPLES
          aneroid rig schema > rig.schema.json
          aneroid rig schema --for warehouse > warehouse.schema.json

        An editor with a YAML language server takes it with this line at the head of a rig:
          # yaml-language-server: $schema=rig.schema.json
        """)

    /// The kinds of rigs, each with a schema of its own.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
      case bench, warehouse
    }

    @Option(
      name: .customLong("for"),
      help: .value(
        "kind", "bench, or warehouse: rigs with the key 'warehouse', whose schema the hub prints."))
    var kind = Kind.bench

    func run() throws {
      guard kind == .bench else {
        return try CompanionProgram.hub.start(
          ["schema", "--for", "warehouse"], because: "the hub prints the schema of warehouses")
      }
      let output = Output()
      output.write(RigReference.schema)
      output.flush()
    }
  }
}
