import ArgumentParser
import Forecasts
import Glibc
import Logging
import Readings
import StationService

/// The station program, with the station server and the commands for forecast files.
@main
struct StationProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aneroid station",
    abstract: "Your own weather station: forecasts for any location, corrected by your sensor.",
    discussion: """
      'aneroid station --help' shows the options of the station itself.
      """,
    version: "0.1.0",
    subcommands: [
      ServeCommand.self, ExtractCommand.self, PointCommand.self, DoctorCommand.self,
      StationNotifyCommand.self, SenseCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)

  /// Runs the command; the option `--help` alone prints the help of the station server, which is
  /// the default command.
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

  /// Exits as the argument parser does, but messages omit the subcommand `serve`, because users
  /// start the station without it.
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

/// The reason why the station cannot start, with the exit status for it.
struct Stop: Error {
  let message: String
  let status: Int32

  init(_ message: String, _ status: Int32) { (self.message, self.status) = (message, status) }
}

/// The program's messages on standard error.
enum Console {
  /// Prints an error and exits.
  static func fail(_ message: String, _ status: Int32) -> Never {
    say(message)
    exit(status)
  }

  /// Prints a message to standard error.
  static func say(_ message: String) {
    let line = Array("aneroid: \(message)\n".utf8)
    _ = write(2, line, line.count)
  }

  /// The current time in seconds since 1970.
  static let now: @Sendable () -> Int = { time(nil) }
}

/// The number of the signal received during start-up; 0 for none.
private nonisolated(unsafe) var early: sig_atomic_t = 0

/// Defers a signal during start-up until the server can shut down, because otherwise an open store
/// would leave its `-wal` and `-shm` files.
enum EarlySignals {
  private static let kept = [SIGTERM, SIGINT, SIGHUP]

  /// Keeps the first signal; a second one ends the program immediately.
  private static let handler: @convention(c) (Int32) -> Void = { number in
    if early != 0 { _exit(128 + number) }
    early = number
  }

  /// Starts deferring the first signal.
  static func keep() {
    early = 0
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    for number in kept { sigaction(number, &action, nil) }
  }

  /// Passes the deferred signal to the server, and those that come before the server handles signals itself, which it begins
  /// to do at some time after it has started.
  static func release() {
    Task.detached {
      while true {
        let isHandled = !kept.contains(where: isKept)
        let number = early
        if number != 0 {
          early = 0
          kill(getpid(), number)
        }
        guard !isHandled, (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
      }
    }
  }

  /// Returns whether a signal is still deferred.
  private static func isKept(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(handler, to: Int.self)
  }
}
