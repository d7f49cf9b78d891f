import ArgumentParser
import Files
import Recordings
import Text

/// `aneroid recording`: what `aneroid watch --record` has kept.
struct RecordingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recording",
    abstract: "Export, discard or verify what 'aneroid watch --record' has kept.",
    subcommands: [Show.self, Export.self, Discard.self, Verify.self])

  /// The recording of this user.
  private static func path() throws(Failure) -> String {
    guard let path = Recording.path(ProgramEnvironment.variables) else {
      throw Failure(.unavailable, "neither XDG_STATE_HOME nor HOME says where recordings lie")
    }
    return path
  }

  /// Prints what there is.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Say what is recorded.",
      discussion: """
        EXAMPLES
          aneroid recording show

        The exit status is 1 where rows are damaged.
        """)

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let path = try RecordingCommand.path()
        guard TextFile.exists(path) else {
          throw Failure(
            .missingInput, "nothing is recorded; 'aneroid watch BUS --record' begins a recording")
        }
        let rows = try RecordedRows(path)
        output.write("\(path): \(rows.name), \(rows.lines.count) rows".visible + "\n")
        for line in [rows.lines.first, rows.lines.last].compactMap({ $0 }) {
          output.write("  \(line)".visible + "\n")
        }
        if let damage = rows.damage { StandardError.say("\(path): \(damage)") }
        return rows.damage == nil
      }
    }
  }

  /// Writes the table; the recording goes once it is written.
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract:
        "Write the recording as a table (CSV), sealed with its rows and a SHA-256, and end it.",
      discussion: """
        EXAMPLES
          aneroid recording export cabin.csv
          aneroid recording verify cabin.csv

        The exit status is 1 where rows are damaged: all good ones are exported, and the \
        recording stays. It also stays where the table goes into a pipe, and nothing is \
        exported while 'aneroid watch --record' is adding to it.
        """)

    @Argument(help: "The table.", completion: .file(extensions: ["csv"]))
    var table: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let path = try RecordingCommand.path()
        let result = try RecordingExport.export(path, to: table)
        // A table on standard output stands alone.
        let tell = result.isFile ? output.write : StandardError.write
        tell("\(table): \(result.rows.lines.count) rows of \(result.rows.name)".visible + "\n")
        if let reason = result.stays {
          StandardError.say(
            "\(path): \(reason); the recording stays until 'aneroid recording discard'")
        }
        return result.rows.damage == nil
      }
    }
  }

  /// Removes the recording.
  struct Discard: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "discard",
      abstract: "Remove the recording.",
      discussion: """
        EXAMPLES
          aneroid recording discard
        """)

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let rows = try RecordingExport.discard(RecordingCommand.path())
        output.write("discarded \(rows.lines.count) rows of \(rows.name)".visible + "\n")
        return true
      }
    }
  }

  /// Checks an exported table.
  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Say whether an exported table is as it was exported.",
      discussion: """
        EXAMPLES
          aneroid recording verify cabin.csv

        The exit status is 1 for a table that was changed or cut, 65 for any other file.
        """)

    @Argument(help: "The table.", completion: .file(extensions: ["csv"]))
    var table: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let found = try RecordedRows.verify(table)
        output.write(found.sentence.visible + "\n")
        return found.isWhole
      }
    }
  }
}
