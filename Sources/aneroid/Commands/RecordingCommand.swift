import ArgumentParser
import Foundation
import Rigs
import Text

/// `aneroid recording`: what `aneroid watch --record` has kept.
struct RecordingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recording",
    abstract: "Export, discard or verify what 'aneroid watch --record' has kept.",
    subcommands: [Show.self, Export.self, Discard.self, Verify.self])

  /// The recording of this user.
  private static func path() throws(BenchFailure) -> String {
    guard let path = Recording.path(ProcessInfo.processInfo.environment) else {
      throw BenchFailure(.unavailable, "neither XDG_STATE_HOME nor HOME says where recordings lie")
    }
    return path
  }

  /// Prints what there is.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say what is recorded.",
      discussion: """
        EXAMPLES
          aneroid recording show
        """)

    func run() throws {
      try RecordingCommand.guarded { () throws(BenchFailure) in
        let path = try RecordingCommand.path()
        let rows = try RecordedRows(path)
        print("\(path): \(rows.name), \(rows.lines.count) rows".visible)
        for line in [rows.lines.first, rows.lines.last].compactMap({ $0 }) {
          print("  \(line)".visible)
        }
      }
    }
  }

  /// Writes the table; the recording goes once it is written.
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Write the recording as a table (CSV), sealed with its rows and a SHA-256, and end it.",
      discussion: """
        EXAMPLES
          aneroid recording export cabin.csv
          aneroid recording verify cabin.csv
        """)

    @Argument(help: "The table.", completion: .file(extensions: ["csv"]))
    var table: String

    func run() throws {
      try RecordingCommand.guarded { () throws(BenchFailure) in
        let path = try RecordingCommand.path()
        let rows = try RecordedRows(path)
        guard !FileManager.default.fileExists(atPath: table) else {
          throw BenchFailure(.inputOutput, "\(table): there is such a file already")
        }
        try OutputFile.write(rows.table, to: table)
        guard try RecordedRows.verify(table).isWhole else {
          throw BenchFailure(
            .inputOutput, "\(table): was not written as it should be; the recording stays")
        }
        try? FileManager.default.removeItem(atPath: path)
        print("\(table): \(rows.lines.count) rows of \(rows.name)".visible)
      }
    }
  }

  /// Removes the recording.
  struct Discard: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove the recording.",
      discussion: """
        EXAMPLES
          aneroid recording discard
        """)

    func run() throws {
      try RecordingCommand.guarded { () throws(BenchFailure) in
        let path = try RecordingCommand.path()
        let rows = try RecordedRows(path)
        do {
          try FileManager.default.removeItem(atPath: path)
        } catch {
          throw BenchFailure(.inputOutput, "\(path): \(error.localizedDescription)")
        }
        print("discarded \(rows.lines.count) rows of \(rows.name)".visible)
      }
    }
  }

  /// Checks an exported table.
  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say whether an exported table is as it was exported.",
      discussion: """
        EXAMPLES
          aneroid recording verify cabin.csv

        The exit status is 1 for a table that was changed or cut, 65 for any other file.
        """)

    @Argument(help: "The table.", completion: .file(extensions: ["csv"]))
    var table: String

    func run() throws {
      var isWhole = true
      try RecordingCommand.guarded { () throws(BenchFailure) in
        let found = try RecordedRows.verify(table)
        print(found.sentence.visible)
        isWhole = found.isWhole
      }
      if !isWhole { throw ExitCode(1) }
    }
  }

  fileprivate static func guarded(_ body: () throws(BenchFailure) -> Void) throws {
    do throws(BenchFailure) {
      try body()
    } catch {
      throw Talk.exit(error)
    }
  }
}
