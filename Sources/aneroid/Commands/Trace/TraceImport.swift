public import ArgumentParser
import Files
import I2C
import I2CTrace
public import TraceFormats
import TraceTools

extension CaptureKind: ExpressibleByArgument {}

extension TraceCommand {
  /// `aneroid trace import`: captures of other tools become traces.
  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Make a trace of what another tool recorded.",
      discussion: """
        EXAMPLES
          aneroid trace import --from i2c-tools session.log -o session.i2ctrace
          aneroid trace import --from ftrace /sys/kernel/tracing/trace -o a.i2ctrace
          aneroid trace import --from i2c-tools --address 0x76 dump.txt -o a.i2ctrace
          aneroid trace import --from vcd --scl D0 --sda D1 my.vcd -o a.i2ctrace

        KINDS
          i2c-tools   a shell's log of i2ctransfer, i2cget, i2cset, i2cdump and what
                      they printed; a register dump alone needs --address
          ftrace      the i2c and smbus events of the Linux kernel
          saleae      Saleae Logic's I2C table as CSV, of Logic 2 or Logic 1
          sigrok      sigrok-cli -P i2c -A i2c, best with --protocol-decoder-samplenum
          vcd         SDA and SCL themselves, of any logic analyzer
          bus-pirate  the Bus Pirate's I2C sniffer
          periph      the transfers in a Go test against periph's i2ctest

        What a capture does not know stands in the header of the trace; what could not \
        become a transfer is counted on standard error. A wrong line ends with status \
        65, and nothing is written.
        """)

    @Option(name: .customLong("from"), help: "What recorded it.")
    var kind: CaptureKind

    @Argument(help: "The capture; - is standard input.", completion: .file())
    var capture: String

    @Option(
      name: .shortAndLong, help: .value("file", "The trace; standard output unless given."),
      completion: .file(extensions: ["i2ctrace"]))
    var output: String?

    @Option(help: "N of the bus, where the capture names none.")
    var bus: Int = 1

    @Option(help: "The device, where registers stand without their command.")
    var address: Address?

    @Option(help: .value("hertz", "The bus frequency in Hz, where durations are not recorded."))
    var frequency = I2CBusFrequency.standard

    @Option(help: .value("hertz", "sigrok: samples a second."))
    var samplerate: Double?

    @Option(help: .value("channel", "vcd: the name of the SDA signal."))
    var sda: String?

    @Option(help: .value("channel", "vcd: the name of the SCL signal."))
    var scl: String?

    @Option(help: .value("text", "Where the capture comes from, for the header of the trace."))
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
