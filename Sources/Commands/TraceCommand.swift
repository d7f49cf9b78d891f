public import ArgumentParser
import I2C
import I2CTrace
import Support
public import TraceTools

/// `aneroid trace`: reads, compares, verifies and converts traces.
struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Show, compare, verify and convert traces of bus transfers.",
    discussion: """
      EXAMPLES
        aneroid run rigs/weather-station.yaml --trace a.i2ctrace
        aneroid trace show a.i2ctrace | head
        aneroid trace diff a.i2ctrace b.i2ctrace
        aneroid trace import --from ftrace trace.txt -o a.i2ctrace
        aneroid trace export --to vcd a.i2ctrace -o a.vcd
      """,
    subcommands: [Show.self, Diff.self, Check.self, Import.self, Export.self])

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print a trace, one transfer per line, with register names.",
      discussion: """
        EXAMPLES
          aneroid trace show a.i2ctrace

        The exit status is 1 for a truncated trace.
        """)

    @Argument(
      help: "The trace; - for standard input.", completion: .file(extensions: ["i2ctrace"]))
    var trace: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        try OutputDestination.checkStandardOutput(reading: trace)
        let input = try TraceInput(trace)
        let isWhole = try TraceCommands.show(input, to: output.write)
        if !isWhole {
          output.flush()
          StandardError.say(
            "\(input.name): the trace is truncated; only its complete lines are shown")
        }
        return isWhole
      }
    }
  }

  struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "diff",
      abstract: "Compare two traces: print the first difference and a summary.",
      discussion: """
        EXAMPLES
          aneroid trace diff a.i2ctrace b.i2ctrace

        Differences in time are reported but do not count. The exit status is 1 if the traces differ.
        """)

    @Argument(help: "The first trace.", completion: .file(extensions: ["i2ctrace"]))
    var first: String

    @Argument(help: "The second trace.", completion: .file(extensions: ["i2ctrace"]))
    var second: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        var difference = TraceDifference(
          try TraceInput(first), try TraceInput(second), to: output.write)
        return try difference.run()
      }
    }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Read traces to the end and report errors.",
      discussion: """
        EXAMPLES
          aneroid trace check *.i2ctrace

        Exit status: 1 for a truncated trace (valid up to that line), 65 for an invalid line.
        """)

    @Argument(help: "The traces.", completion: .file(extensions: ["i2ctrace"]))
    var traces: [String]

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        var areWhole = true
        for trace in traces {
          if try !TraceCommands.check(TraceInput(trace), to: output.write) { areWhole = false }
        }
        return areWhole
      }
    }
  }

  /// Runs `body`, flushes its output, and exits with status 1 if it returns false.
  static func finish(_ body: (Output) throws(Failure) -> Bool) throws {
    let output = Output()
    let isGood: Bool
    do throws(Failure) {
      isGood = try body(output)
      output.flush()
    } catch {
      output.flush()
      throw StandardError.exit(error)
    }
    if !isGood { throw ExitCode(1) }
  }
}

extension ExportKind: ExpressibleByArgument {}

extension TraceCommand {
  /// `aneroid trace export`: converts traces to the formats of other tools.
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Convert a trace to the format of another tool.",
      discussion: """
        EXAMPLES
          aneroid trace export --to vcd a.i2ctrace -o a.vcd
          sigrok-cli -I vcd:compress=100000 -i a.vcd -P i2c:scl=SCL:sda=SDA -A i2c
          aneroid trace export --to i2ctransfer a.i2ctrace -o again.sh
          aneroid trace export --to csv a.i2ctrace | head

        KINDS
          vcd          SDA and SCL at the recorded speed, for PulseView, GTKWave, sigrok
          csv          a table with a row for each message
          i2ctransfer  a shell script that repeats the transfers, with the responses as comments

        The exit status is 1 for a truncated trace; its complete transfers are exported.
        """)

    @Option(name: .customLong("to"), help: "The output format.")
    var kind: ExportKind

    @Argument(
      help: "The trace; - for standard input.", completion: .file(extensions: ["i2ctrace"]))
    var trace: String

    @Option(
      name: .shortAndLong, help: .value("file", "The output file. Default: standard output."),
      completion: .file())
    var output: String?

    @Option(help: "Export only this bus; required for vcd if the trace has several.")
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

extension CaptureKind: ExpressibleByArgument {}

extension TraceCommand {
  /// `aneroid trace import`: converts captures of other tools to traces.
  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Convert a capture of another tool to a trace.",
      discussion: """
        EXAMPLES
          aneroid trace import --from i2c-tools session.log -o session.i2ctrace
          aneroid trace import --from ftrace /sys/kernel/tracing/trace -o a.i2ctrace
          aneroid trace import --from i2c-tools --address 0x76 dump.txt -o a.i2ctrace
          aneroid trace import --from vcd --scl D0 --sda D1 my.vcd -o a.i2ctrace

        KINDS
          i2c-tools   a shell log of i2ctransfer, i2cget, i2cset and i2cdump with their
                      output; a register dump alone requires --address
          ftrace      the i2c and smbus events of the Linux kernel
          saleae      Saleae Logic's I2C table as CSV, of Logic 2 or Logic 1
          sigrok      sigrok-cli -P i2c -A i2c, best with --protocol-decoder-samplenum
          vcd         the signals SDA and SCL, from any logic analyzer
          bus-pirate  the Bus Pirate's I2C sniffer
          periph      the transfers of a Go test that uses periph's i2ctest

        Information missing from the capture is listed in the header of the trace. The number of \
        capture entries that could not be converted is reported on standard error. An invalid line \
        is an error with exit status 65, and no trace is written.
        """)

    @Option(name: .customLong("from"), help: "The format of the capture.")
    var kind: CaptureKind

    @Argument(help: "The capture; - for standard input.", completion: .file())
    var capture: String

    @Option(
      name: .shortAndLong, help: .value("file", "The trace. Default: standard output."),
      completion: .file(extensions: ["i2ctrace"]))
    var output: String?

    @Option(help: "Bus number, if the capture does not contain it.")
    var bus: Int = 1

    @Option(help: "Address of the device, for a register dump without its command.")
    var address: Address?

    @Option(help: .value("hertz", "Bus frequency in Hz, for captures without durations."))
    var frequency = I2CBusFrequency.standard

    @Option(help: .value("hertz", "sigrok: samples per second."))
    var samplerate: Double?

    @Option(help: .value("channel", "vcd: the name of the SDA signal."))
    var sda: String?

    @Option(help: .value("channel", "vcd: the name of the SCL signal."))
    var scl: String?

    @Option(help: .value("text", "Origin of the capture, for the header of the trace."))
    var note: String?

    func validate() throws {
      guard (0...255).contains(bus) else { throw ValidationError("--bus must be from 0 to 255") }
      guard (1000...5_000_000).contains(frequency) else {
        throw ValidationError("--frequency must be from 1000 to 5000000 Hz")
      }
      guard samplerate.map({ $0 >= 1 && $0 <= 1e12 }) != false else {
        throw ValidationError("--samplerate must be from 1 to 1e12 samples a second")
      }
    }

    func run() throws {
      var options = CaptureReader.Options()
      options.bus = bus
      options.address = address?.address
      options.frequency = frequency
      options.sampleRate = samplerate
      (options.sda, options.scl) = (sda, scl)
      try TraceCommand.finish { [options] stdout throws(Failure) in
        try TraceConversion.importing(
          capture, kind, options, note: note, to: output, print: stdout.writeNow
        ).forEach(StandardError.say)
        return true
      }
    }
  }
}
