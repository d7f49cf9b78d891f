import ArgumentParser
import Files
import Rigs
import Runs
import Schema
import Text

/// `aneroid rig`: works on rig files without running them.
struct RigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rig",
    abstract: "Check rig files; print the reference of their keys and the schema for editors.",
    subcommands: [Check.self, Reference.self, SchemaCommand.self])

  /// `aneroid rig check`: finds every mistake.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Find every mistake in rig files and in the files that they name.",
      discussion: """
        EXAMPLES
          aneroid rig check rigs/*.yaml

        Mistakes are printed as file:line:column: error: message. The exit status is 0 when there
        are none, 78 for a mistake in a rig, 65 or 66 when only a file that a rig names is bad or
        missing. A sensor whose offset or drift is larger than the data sheet allows is warned of.
        """)

    @Argument(help: "The rig files.", completion: .file(extensions: ["yaml", "yml"]))
    var rigs: [String]

    func run() throws {
      let output = Output()
      var status: Int32 = 0
      for path in rigs {
        do throws(Failure) {
          let rig = try Rig(path: path)
          for warning in rig.notes + rig.accuracyWarnings { output.write(warning.visible + "\n") }
          output.write("\(path.visible): ok\n")
        } catch {
          output.write(error.description + "\n")
          if status != Failure.Kind.badRig.rawValue {
            status = error.kind == .badRig || status == 0 ? error.exitStatus : status
          }
        }
      }
      output.flush()
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

        An editor with a YAML language server takes it with this line at the head of a rig:
          # yaml-language-server: $schema=rig.schema.json
        """)

    func run() {
      let output = Output()
      output.write(RigReference.schema)
      output.flush()
    }
  }
}
