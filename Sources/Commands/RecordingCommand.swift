import ArgumentParser
import Glibc
import Quantities
import Support
import Watch

/// `aneroid recording`: works on the recording of `aneroid watch --record`.
struct RecordingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recording",
    abstract: "Show, export, discard or verify the recording of 'aneroid watch --record'.",
    subcommands: [Show.self, Export.self, Discard.self, Verify.self])

  /// Returns the path of this user's recording.
  private static func path() throws(Failure) -> String {
    guard let path = Recording.path(ProgramEnvironment.variables) else {
      throw Failure(
        .unavailable, "no folder for recordings: neither XDG_STATE_HOME nor HOME is set")
    }
    return path
  }

  /// `aneroid recording show`: prints the number of rows and the last rows.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show the size and the state of the recording.",
      discussion: """
        EXAMPLES
          aneroid recording show

        The exit status is 1 if rows are damaged.
        """)

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let path = try RecordingCommand.path()
        guard TextFile.exists(path) else {
          throw Failure(
            .missingInput, "no recording found; 'aneroid watch BUS --record' starts one")
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

  /// `aneroid recording export`: writes the recording as a table and removes or continues it.
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract:
        "Write the recording as a table (CSV) and its SHA-256 to a side file, and end it or continue it.",
      discussion: """
        EXAMPLES
          aneroid recording export cabin.csv
          aneroid recording export --go-on
          aneroid recording verify cabin.csv

        Each row has the time, the time since the start, the pressure in Pa and in the crew's unit, its \
        rate of change over the last 30 s, temperature, humidity and marks. The row count and the \
        SHA-256 are in the side file TABLE.sha256, which 'sha256sum --check' reads too.

        On a terminal, the command prompts whether to end or continue the recording; elsewhere the \
        recording ends unless --go-on is given. The default file name consists of the sensor and the \
        time of the first sample. If rows are damaged, the exit status is 1, all good rows are \
        exported and the recording is kept. The recording is also kept if the table is written to a \
        pipe. Nothing is exported while 'aneroid watch --record' is writing to the recording.
        """)

    @Argument(
      help: "The table. Default: named after the sensor and the first sample.",
      completion: .file(extensions: ["csv"]))
    var table: String?

    @Option(
      help: "Unit of pressure in the table: that of the key 'u' in 'watch'. Default: the last one.")
    var unit: WatchUnit?

    @Flag(
      exclusivity: .exclusive,
      help: .init("End the recording after the export, or keep and continue it."))
    var fate: Fate?

    /// The recording's state after an export.
    enum Fate: String, EnumerableFlag {
      case end, goOn
    }

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let path = try RecordingCommand.path()
        guard let ends = fate.map({ $0 == .end }) ?? Question.ends() else {
          StandardError.say("nothing was exported")
          return false
        }
        let (table, result) = try RecordingExport.export(
          path, to: table,
          in: unit?.unit
            ?? WatchSettings(path: WatchSettings.path(ProgramEnvironment.variables)).pressureUnit,
          ends: ends)
        // A table on standard output is not mixed with messages.
        let write = result.isFile ? output.write : StandardError.write
        write(
          "\(table): \(result.rows.lines.count) rows of \(result.rows.name)\(result.rows.runsRemark)"
            .visible + "\n")
        if let digest = result.digest { write("SHA-256 \(digest)\n") }
        if !ends { write("the recording continues: 'aneroid watch BUS --record' adds to it\n") }
        if let reason = result.stays {
          StandardError.say(
            "\(path): \(reason); the recording is kept until 'aneroid recording discard'")
        }
        return result.rows.damage == nil
      }
    }
  }

  /// The prompt on a terminal.
  enum Question {
    /// Prompts whether to end the recording.
    ///
    /// - Returns: `true` to end it, also without a terminal; `nil` for an unknown answer.
    static func ends() -> Bool? {
      guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return true }
      StandardError.write("Stop the recording (s) or continue it (g) after the export? ")
      switch readLine()?.lowercased() {
      case "s", "stop": return true
      case "g", "go on", "continue": return false
      default: return nil
      }
    }
  }

  /// `aneroid recording discard`: removes the recording.
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

  /// `aneroid recording verify`: checks an exported table.
  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Check whether an exported table is unchanged.",
      discussion: """
        EXAMPLES
          aneroid recording verify cabin.csv

        Exit status: 1 if the table was changed or truncated; 65 for any other file.
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
