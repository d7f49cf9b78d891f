import ArgumentParser
import Files
import Glibc
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
        "Write the recording as a table (CSV), sealed with its rows and a SHA-256, and end it or go on.",
      discussion: """
        EXAMPLES
          aneroid recording export cabin.csv
          aneroid recording export --go-on
          aneroid recording verify cabin.csv

        On a terminal it asks whether the recording ends or goes on; elsewhere it ends unless --go-on is given. A \
        table that is not named has the name of the sensor and of the first moment. The exit status is 1 where rows are damaged: all good ones are exported, and the \
        recording stays. It also stays where the table goes into a pipe, and nothing is \
        exported while 'aneroid watch --record' is adding to it.
        """)

    @Argument(
      help: "The table; it is named after the sensor unless given.",
      completion: .file(extensions: ["csv"]))
    var table: String?

    @Flag(
      exclusivity: .exclusive,
      help: .init("Whether the recording ends once it is in the table, or stays and goes on."))
    var fate: Fate?

    /// What becomes of the recording.
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
        let (table, result) = try RecordingExport.export(path, to: table, ends: ends)
        // A table on standard output stands alone.
        let tell = result.isFile ? output.write : StandardError.write
        tell(
          "\(table): \(result.rows.lines.count) rows of \(result.rows.name)\(result.rows.runsRemark)"
            .visible + "\n")
        if let digest = result.digest { tell("SHA-256 \(digest)\n") }
        if !ends { tell("the recording goes on: 'aneroid watch BUS --record' adds to it\n") }
        if let reason = result.stays {
          StandardError.say(
            "\(path): \(reason); the recording stays until 'aneroid recording discard'")
        }
        return result.rows.damage == nil
      }
    }
  }

  /// What is asked on a terminal.
  enum Question {
    /// Whether the recording is to end.
    ///
    /// - Returns: `true` also where there is no terminal to ask on, `nil` for any other answer.
    static func ends() -> Bool? {
      guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return true }
      StandardError.write("Stop recording (s), or go on recording (g) after the export? ")
      switch readLine()?.lowercased() {
      case "s", "stop": return true
      case "g", "go on": return false
      default: return nil
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
