import ArgumentParser
import Parts
import Rigs
import Runs
import Schema
import Support

/// `aneroid rig`: works on rig files without running them.
struct RigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rig",
    abstract:
      "Check rig files; list and show the built-in rigs; print the reference of their keys and the JSON Schema.",
    subcommands: [Check.self, List.self, Show.self, Reference.self, SchemaCommand.self])

  /// `aneroid rig check`: reports all errors of rig files.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Report all errors in rig files and in the files that they name.",
      discussion: """
        EXAMPLES
          aneroid rig check my-rig.yaml
          aneroid rig check --format github rigs/*.yaml

        Errors are printed as file:line:column: error: message. Exit status: 0 if there are none; 78 \
        for an error in a rig; 65 or 66 if only a file that a rig names is bad or missing. Offsets \
        and drifts beyond the data sheet are reported as warnings. Rigs with the key 'warehouse' are \
        checked by 'aneroid hub check'.
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
        // The result of each file is printed as soon as it is checked.
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

  /// `aneroid rig reference`: prints the reference of all keys.
  struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reference",
      abstract: "Print the reference of all keys of a rig file, as Markdown.",
      discussion: """
        EXAMPLES
          aneroid rig reference | less
          aneroid rig reference --events | less
        """)

    @Flag(help: "Print the reference of all events of a run and their fields instead.")
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

        To use it in an editor with a YAML language server, add this line at the top of a rig:
          # yaml-language-server: $schema=rig.schema.json
        """)

    /// The kinds of rigs; each has its own schema.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
      case bench, warehouse
    }

    @Option(
      name: .customLong("for"),
      help: .value(
        "kind", "bench, or warehouse for rigs with the key 'warehouse' (printed by the hub)."))
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

extension RigCommand {
  /// `aneroid rig list`: lists the built-in rigs.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the built-in rigs with a summary.",
      discussion: """
        EXAMPLES
          aneroid rig list
          aneroid run weather-station

        A built-in name can be used wherever a file is accepted; an existing file of that name takes \
        precedence.
        """)

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let names = BuiltInFile.names(.rig)
        let width = names.map(\.count).max() ?? 0
        for name in names {
          let sentence = try Rig(path: name).summary.split(separator: "\n").joined(separator: " ")
          let gap = String(repeating: " ", count: width - name.count + 2)
          output.write("\(name)\(gap)\(sentence.firstSentence)\n")
        }
        return true
      }
    }
  }

  /// `aneroid rig show`: prints a rig.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print a built-in rig, for example as a starting point for your own.",
      discussion: """
        EXAMPLES
          aneroid rig show weather-station
          aneroid rig show weather-station > my-rig.yaml
        """)

    @Argument(help: "The rig: a built-in name or a file.", completion: Completions.rigs)
    var rig: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let input = try NamedInput(rig, .rig)
        output.write(try TextFile.read(NamedInput.open(input.path)))
        return true
      }
    }
  }
}

extension String {
  /// The text up to the end of the first sentence.
  fileprivate var firstSentence: Substring {
    let words = split(separator: " ")
    let end = words.firstIndex { $0.hasSuffix(".") } ?? words.endIndex
    guard end < words.endIndex else { return self[...] }
    return self[..<words[end].index(before: words[end].endIndex)]
  }
}
