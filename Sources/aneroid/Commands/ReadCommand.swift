import ArgumentParser
import Bench
import Files
import I2C
import I2CTrace
import Rigs
import Runs
import Schema
import TraceTools

/// `aneroid read`: one driver on one bus.
struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read one sensor: identify, calibrate, measure, compensate, print.",
    discussion: """
      EXAMPLES
        aneroid read --bus weather-station
        aneroid read --bus many-sensors#2 --address 0x77 --count 3 --every 1s
        aneroid read --bus my-rig.yaml --count 100 --format csv
        aneroid read --bus /dev/i2c-1 --count 3 --every 2s
        aneroid read --bus /dev/i2c-1 --fault 'kind: nack-address, after: 4'

      \(PartNames.readings); other \
      parts measure as they do by themselves, with all their bits. Where several kinds of parts can answer \
      at an address, the one there is asked which it is.
      """)

  @Option(
    help: """
      The bus: a rig (a file or a built-in name) or a trace, with #NUMBER where it has several; /dev/i2c-N or \
      the name of an adapter.
      """, completion: Completions.buses)
  var bus: String

  @Option(help: "The sensor's address, for example 0x76; the first on the bus unless given.")
  var address: Address?

  @Option(help: .value("number", "How many readings."))
  var count: Int = 1

  @Option(help: .value("time", "From reading to reading, for example 10s or 500ms."))
  var every = Interval(nanoseconds: 10_000_000_000)

  @Option(help: "text, json (one object), jsonl (one object a line) or csv.")
  var format: SensorReading.Format = .text

  @Option(
    help: .value("file", "Also record every transfer."), completion: .file(extensions: ["i2ctrace"])
  )
  var trace: String?

  @Option(
    help: .value(
      "mode",
      """
      How a trace answers: strict, lenient, or model, where a virtual sensor with its calibration and raw \
      values answers anything.
      """))
  var replay: ReplayMode = .strict

  @Option(
    help: .value("pace", "What the times of a trace mean: kept, ignored, or a factor such as 0.5."))
  var times: Replay.Pace = .kept

  @Option(
    help: .value(
      "keys",
      """
      A failure that is planned on the bus, with the keys of a rig; may be repeated. On /dev/i2c-N and on a \
      trace it is one of the wire, such as nack-address or bit-flip. How often each fired is told at the end.
      """))
  var fault: [String] = []

  func validate() throws {
    try address?.validate()
    guard count > 0 else { throw ValidationError("--count must be at least 1") }
    guard Double(count) * Double(every.nanoseconds) <= 3e18 else {
      throw ValidationError("so many readings so far apart would take more than 90 years")
    }
  }

  func run() throws {
    guard try perform() else { throw ExitCode(1) }
  }

  /// Reads; whether a replay was what its trace says.
  private func perform() throws -> Bool {
    let output = Output()
    var isSame = true
    do throws(Failure) {
      let trace = if let path = trace { try TraceOutput(path) } else { nil as TraceOutput? }
      defer { trace?.closeAfterFailure() }
      let reading = try SensorReading(
        BusReference(bus), address: address?.address,
        replay: ReplayOptions(replay, pace: times), faults: fault, trace: trace)
      do throws(Failure) {
        try reading.run(
          count: count, every: every.nanoseconds, format: format, to: output.write,
          notice: StandardError.say)
      } catch {
        if let failure = reading.traceFailure { throw failure }
        (reading.firings + reading.replayReport().lines).forEach(StandardError.say)
        throw error
      }
      output.flush()
      try trace?.close()
      let report = reading.replayReport()
      (reading.firings + report.lines).forEach(StandardError.say)
      isSame = report.isSame
    } catch {
      output.flush()
      throw StandardError.exit(error)
    }
    return isSame
  }
}
