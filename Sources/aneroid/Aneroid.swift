import ArgumentParser
import CProcess
import Commands
import Glibc
import Support

/// The process: its preparation, the command that its arguments name, and its exit status.
///
/// Everything else is in the module Commands, which tests can link without the flags of this program.
@main
enum Aneroid {
  /// Runs the command given by the arguments.
  static func main() {
    ProgramStart.prepare()
    process_report_crashes()
    // `exec` is started often, also by other programs, so it skips the argument parser to save
    // start-up time.
    if let request = ExecRequest(plain: Arguments.own) { Glibc.exit(request.run()) }
    do {
      if let complaint = CommandNames.complaint(Arguments.own, AneroidCommand.self) {
        throw ValidationError(complaint)
      }
      var command = try AneroidCommand.parseAsRoot(Arguments.own)
      try command.run()
    } catch {
      end(error)
    }
    failIfOutputIsLost()
  }

  /// Exits with an error after a successful command if standard output was closed and output was
  /// lost.
  private static func failIfOutputIsLost() {
    guard ProgramStart.hasLostOutput else { return }
    StandardError.say("standard output: \(String(cString: strerror(EBADF)))")
    Glibc.exit(Failure.Kind.inputOutput.rawValue)
  }

  /// Exits as ArgumentParser would, but escapes control characters in the arguments that messages
  /// quote.
  private static func end(_ error: any Error) -> Never {
    let status = AneroidCommand.exitCode(for: error)
    let text = AneroidCommand.fullMessage(for: error)
    if status.isSuccess {
      let output = Output()
      if !text.isEmpty { output.write(text + "\n") }
      output.flush()
      failIfOutputIsLost()
    } else if !text.isEmpty {
      StandardError.write(text.visibleLines + "\n")
    }
    Glibc.exit(status.rawValue)
  }
}
