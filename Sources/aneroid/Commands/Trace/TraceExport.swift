public import ArgumentParser
import Files
import I2CTrace
public import TraceFormats
import TraceTools

extension ExportKind: ExpressibleByArgument {}

extension TraceCommand {
  /// `aneroid trace export`: traces for other tools.
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Give a trace the form of another tool.",
      discussion: """
        EXAMPLES
          aneroid trace export --to vcd a.i2ctrace -o a.vcd
          sigrok-cli -I vcd:compress=100000 -i a.vcd -P i2c:scl=SCL:sda=SDA -A i2c
          aneroid trace export --to i2ctransfer a.i2ctrace -o again.sh
          aneroid trace export --to csv a.i2ctrace | head

        KINDS
          vcd          SDA and SCL at the recorded speed, for PulseView, GTKWave, sigrok
          csv          a table with a row for each message
          i2ctransfer  a shell script that does it again, the answers as comments

        The exit status is 1 for a trace that was cut off: what was whole is exported.
        """)

    @Option(name: .customLong("to"), help: "The form.")
    var kind: ExportKind

    @Argument(help: "The trace; - is standard input.", completion: .file(extensions: ["i2ctrace"]))
    var trace: String

    @Option(
      name: .shortAndLong, help: .value("file", "The file; standard output unless given."),
      completion: .file())
    var output: String?

    @Option(help: "Only this bus; needed for vcd where there are several.")
    var bus: Int?

    func run() throws {
      try TraceCommand.finish { stdout throws(Failure) in
        let result = try TraceConversion.exporting(
          trace, kind, bus: bus, to: output, print: stdout.writeNow)
        result.notices.forEach(StandardError.say)
        return result.isWhole
      }
    }
  }
}
