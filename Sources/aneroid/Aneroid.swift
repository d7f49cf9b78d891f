package import ArgumentParser
import CProcess
import Chips
import Glibc
import Parts
import Support
import TraceTools

/// The command-line interface.
@main
package struct Aneroid: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "aneroid",
    abstract: """
      A \(Catalogue.models[0].title) bench without the bench: simulated sensors with real timing, on a real bus.
      """,
    discussion: """
      EXAMPLES
        aneroid new my-sensor               create a rig, a program and a test
        aneroid run weather-station         run a built-in rig, check its results
        aneroid read --bus thesis           read one sensor
        aneroid exec -- i2cdetect -y 1      run any program on a virtual bus
        aneroid rig check my-rig.yaml       report all errors in a rig
        aneroid trace show bench.i2ctrace   print the transfers of a bus
        aneroid compensate --input log.csv  convert raw registers to physical values

      EXIT STATUS
        0 success; 1 a check failed; 64 wrong usage; 65 invalid file contents;
        66 missing input; 69 bus or device unavailable; 70 internal error of
        aneroid; 74 input/output error; 78 error in a rig file; exec exits with
        the status of its program
      """,
    version: Version.text,
    subcommands: [
      NewCommand.self, RunCommand.self, ReadCommand.self, ExecCommand.self, ServeCommand.self,
      FirmwareCommand.self,
      TraceCommand.self,
      DiagnoseCommand.self, ExplainCommand.self,
      AuditCommand.self, CampaignCommand.self, WatchCommand.self, RecordingCommand.self,
      AskCommand.self, HistoryCommand.self, DrillCommand.self,
      CompensateCommand.self, ScoreCommand.self, RigCommand.self, PartCommand.self,
      CalibrationCommand.self,
      StationCommand.self, WarehouseHubCommand.self, DoctorCommand.self,
    ])

  /// Creates the command.
  package init() {}

  /// Runs the command given by the arguments.
  package static func main() {
    ProgramStart.prepare()
    process_report_crashes()
    // `exec` is started often, also by other programs, so it skips the argument parser to save
    // start-up time.
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
