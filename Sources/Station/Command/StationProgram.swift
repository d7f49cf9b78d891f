import ArgumentParser
import Forecasts
import Glibc
import Logging
import Readings
import Service

/// The program: serves a station, or cuts a forecast file.
@main
struct StationProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aneroid station",
    abstract: "A weather station of your own: forecasts for any place, corrected by your sensor.",
    discussion: """
      'aneroid station --help' shows the options of the station itself.
      """,
    version: "0.1.0",
    subcommands: [
      ServeCommand.self, ExtractCommand.self, PointCommand.self, DoctorCommand.self,
      SenseCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)

  /// Help is that of the station itself, unless another command is asked for it.
  static func main() async {
    var words = Array(CommandLine.arguments.dropFirst())
    if let first = words.first, ["--help", "-h", "help"].contains(first), words.count == 1 {
      words = ["serve", "--help"]
    }
    do {
      var command = try parseAsRoot(words)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      end(error)
    }
  }

  /// Ends as the parser of arguments ends; the station itself is named as its user names it, without a command.
  private static func end(_ error: any Error) -> Never {
    let status = exitCode(for: error)
    let text = fullMessage(for: error)
      .replacing("\(configuration.commandName ?? "") serve", with: configuration.commandName ?? "")
    if !text.isEmpty {
      let bytes = Array((text + "\n").utf8)
      _ = write(status.isSuccess ? 1 : 2, bytes, bytes.count)
    }
    Glibc.exit(status.rawValue)
  }
}

/// Why the station cannot start, and the status with which the program ends.
struct Stop: Error {
  let message: String
  let status: Int32

  /// Creates a reason.
  init(_ message: String, _ status: Int32) { (self.message, self.status) = (message, status) }
}

/// Messages of the program itself.
enum Talk {
  /// Says why nothing can be done, and ends the program.
  static func fail(_ message: String, _ status: Int32) -> Never {
    say(message)
    exit(status)
  }

  /// Says something on standard error.
  static func say(_ message: String) {
    let line = Array("aneroid: \(message)\n".utf8)
    _ = write(2, line, line.count)
  }

  /// The time, in seconds since 1970.
  static let now: @Sendable () -> Int = { time(nil) }
}
