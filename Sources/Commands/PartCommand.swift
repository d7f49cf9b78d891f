import ArgumentParser
import Bench
import PartFiles
import Parts
import Schema
import Support
import TraceTools

/// `aneroid part`: works on part files, which describe sensors.
struct PartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "part",
    abstract: "List, show and check part files, which describe sensors; write a new one.",
    discussion: """
      EXAMPLES
        aneroid part list
        aneroid part show sht4x
        aneroid part new my-sensor.yaml
        aneroid part check my-sensor.yaml
        aneroid part test my-sensor.yaml
        aneroid exec --part my-sensor.yaml -- python3 reader.py

      In a rig, the model of a device is the name of a built-in part, or the path of a part file: \
      'model: sht4x', 'model: my-sensor.yaml'.
      """,
    subcommands: [
      List.self, Show.self, Check.self, Test.self, New.self, Reference.self, SchemaCommand.self,
    ])

  /// `aneroid part list`: lists the built-in part files.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the built-in part files with a summary.")

    @Flag(help: "Print the table of the documentation instead, as Markdown.")
    var page = false

    @Option(
      help: ArgumentHelp(
        "With --page: the table of the drivers that read them.", valueName: "file",
        visibility: .hidden))
    var drivers: String?

    @Option(
      help: ArgumentHelp(
        "With --page: the table of published defects that audits exposed.", valueName: "file",
        visibility: .hidden))
    var bugs: String?

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        if page {
          output.write(PartFile.table)
          if let drivers { output.write(try PartFile.drivers(drivers)) }
          if let bugs { output.write(try PartFile.bugs(bugs)) }
          return true
        }
        let parts = BuiltInFile.names(.part).compactMap(PartFile.builtIn)
        let width = parts.map(\.name.count).max() ?? 0
        for part in parts {
          let gap = String(repeating: " ", count: width - part.name.count + 2)
          output.write("\(part.name)\(gap)\(part.title): \(part.description.summary)\n")
        }
        return true
      }
    }
  }

  /// `aneroid part show`: prints what a part file describes.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print the values, commands, registers and durations of a part, or its file.")

    @Argument(help: "The part: a built-in name or a file.", completion: Completions.parts)
    var part: String

    @Flag(help: "Print the file itself, for example as a starting point for your own.")
    var source = false

    @Flag(help: "Print the durations as a picture, in SVG.")
    var svg = false

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let path = try PartFile.path(part)
        if svg {
          output.write(PartDiagram(try PartFile.read(path: path)).svg)
        } else if source {
          output.write(try TextFile.read(NamedInput.open(path)))
        } else {
          let file = try TextFile.read(NamedInput.open(path))
          output.write(PartPage(try PartFile.read(path: path), file: file).text)
        }
        return true
      }
    }
  }

  /// `aneroid part check`: reports all errors of part files.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Report all errors in part files.",
      discussion: """
        Errors are printed as file:line:column: error: message. Exit status: 0 if there are none; 65 \
        for an error in a file; 66 for a missing file.
        """)

    @Argument(help: "The parts: files or built-in names.", completion: Completions.parts)
    var parts: [String]

    func run() throws {
      let output = Output()
      var status: Int32 = 0
      for word in parts {
        do throws(Failure) {
          _ = try PartFile.read(path: PartFile.path(word))
          output.write(
            Output.line(of: Finding(.passed, "part", at: Finding.Location(file: word), "ok")) + "\n"
          )
        } catch {
          status = max(status, error.exitStatus)
          output.write(error.findings.map { Output.line(of: $0) + "\n" }.joined())
        }
      }
      output.flush()
      if status != 0 { throw ExitCode(status) }
    }
  }

  /// `aneroid part test`: checks the facts of a part file on a bus.
  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test",
      abstract: "Check on a bus which facts of a part file a client observes.",
      discussion: """
        EXAMPLES
          aneroid part test my-sensor.yaml
          aneroid part test sht4x --bus /dev/i2c-1

        Without --bus, the bus has the virtual part of the file, which shows whether the file says \
        what you mean. With --bus, the part may be real: registers are then written only with --write, \
        and restored, and the part is reset; other commands are sent, unless they change the mode.

        Exit status: 0 if all facts were observed that can be; 1 if not; 65 or 66 for an invalid or \
        missing file; 69 if the bus cannot be opened.
        """)

    @Argument(help: "The part: a built-in name or a file.", completion: Completions.parts)
    var part: String

    @Option(
      help:
        "The bus: /dev/i2c-N or the name of an adapter, or a rig. Default: a virtual bus with the part.",
      completion: Completions.buses)
    var bus: String?

    @Option(help: "Address of the part. Default: its first.")
    var address: Address?

    @Flag(
      help:
        "With --bus: also write the writable bits of the registers, restore them, and reset the part."
    )
    var write = false

    func run() throws {
      var isAllObserved = true
      try TraceCommand.finish { output throws(Failure) in
        let part = try PartFile.read(path: PartFile.path(part))
        let place = address?.address ?? part.addresses[0]
        var walk: PartWalk
        if let bus {
          let open = try OpenBus(BusReference(bus), ReplayOptions(.model), trace: nil)
          walk = PartWalk(part, on: open.adapter, open.clock, at: place)
        } else {
          walk = try PartWalk(of: part, at: place)
        }
        for result in walk.walk(mayWrite: bus == nil || write) {
          let word = result.isObserved.map { $0 ? "ok      " : "FAILED  " } ?? "-       "
          let detail = result.detail.isEmpty ? "" : ": \(result.detail)"
          output.write("\(word)\(result.fact)\(detail)\n")
          if result.isObserved == false { isAllObserved = false }
        }
        return isAllObserved
      }
    }
  }

  /// `aneroid part new`: writes a part file to start from.
  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new", abstract: "Write a commented part file to start from.")

    @Argument(help: "The file to write, which must not exist.", completion: .file())
    var file: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        guard !TextFile.exists(file) else {
          throw Failure(.inputOutput, "\(file): exists already")
        }
        let name = file.split(separator: "/").last?.prefix { $0 != "." } ?? ""
        let isName =
          !name.isEmpty
          && name.utf8.allSatisfy {
            (97...122).contains($0) || (48...57).contains($0) || $0 == 45
          }
        let text = (BuiltInFile.named("my-sensor", .skeleton)?.text ?? "")
          .replacing("my-sensor", with: isName ? String(name) : "my-sensor")
        let draft = try OutputFile(file)
        draft.write(Array(text.utf8))
        try draft.finish()
        output.write("\(file)\n")
        return true
      }
    }
  }

  /// `aneroid part reference`: prints the reference of all keys.
  struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reference",
      abstract: "Print the reference of all keys of a part file, as Markdown.")

    func run() {
      let output = Output()
      output.write(PartFile.reference)
      output.flush()
    }
  }

  /// `aneroid part schema`: prints the JSON Schema of part files.
  struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "schema", abstract: "Print the JSON Schema of part files, for editors.")

    func run() {
      let output = Output()
      output.write(PartFile.schema)
      output.flush()
    }
  }
}
