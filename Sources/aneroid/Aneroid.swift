import ArgumentParser
import CProcess
import Chips
import Files
import Glibc
import Parts
import Text
import TraceTools

/// The command line: parses, calls, prints, exits.
@main
struct Aneroid: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aneroid",
    abstract: """
      A \(Catalogue.models[0].title) bench without the bench: virtual sensors that live in time, on a real bus.
      """,
    discussion: """
      EXAMPLES
        aneroid new my-sensor               a rig, a program and a test to begin with
        aneroid run weather-station         run a built-in rig and judge it
        aneroid read --bus thesis           read one sensor
        aneroid exec -- i2cdetect -y 1      show a bus to any program
        aneroid rig check my-rig.yaml       find every mistake in a rig
        aneroid trace show bench.i2ctrace   read what happened on a bus
        aneroid compensate --input log.csv  registers in, physical values out

      EXIT STATUS
        0 all right; 1 a check failed; 64 usage; 65 a file with bad content;
        66 input missing; 69 bus or device unavailable; 70 a defect of aneroid;
        74 input/output error; 78 a mistake in a rig file; exec ends as its
        program did
      """,
    version: Version.text,
    subcommands: [
      NewCommand.self, RunCommand.self, ReadCommand.self, ExecCommand.self, FirmwareCommand.self,
      TraceCommand.self,
      DiagnoseCommand.self, ExplainCommand.self,
      AuditCommand.self, WatchCommand.self, RecordingCommand.self,
      CompensateCommand.self, ScoreCommand.self, RigCommand.self, CalibrationCommand.self,
      StationCommand.self, WarehouseHubCommand.self, DoctorCommand.self,
    ])

  /// Runs the command that the arguments name.
  static func main() {
    ProgramStart.prepare()
    process_tell_crashes()
    // Programs are run often, and by others than people: they do not wait for a parser that most of them do not need.
    if let request = ExecRequest(plain: Arguments.own) { Glibc.exit(request.run()) }
    do {
      if let complaint = CommandNames.complaint(Arguments.own, Aneroid.self) {
        throw ValidationError(complaint)
      }
      var command = try parseAsRoot(Arguments.own)
      try command.run()
    } catch {
      end(error)
    }
    failIfOutputIsLost()
  }

  /// Ends a command that would have been all right if its standard output had not been closed.
  private static func failIfOutputIsLost() {
    guard ProgramStart.hasLostOutput else { return }
    StandardError.say("standard output: \(String(cString: strerror(EBADF)))")
    Glibc.exit(Failure.Kind.inputOutput.rawValue)
  }

  /// Ends as the parser of arguments ends; what it quotes of the arguments is safe to show.
  private static func end(_ error: any Error) -> Never {
    let status = exitCode(for: error)
    let text = fullMessage(for: error)
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
