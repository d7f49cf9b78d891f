package import ArgumentParser
import Chips
import Parts
import Support

/// The root of the command line: its subcommands, and what `aneroid --help` prints first.
package struct AneroidCommand: ParsableCommand {
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
}
