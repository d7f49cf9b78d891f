import ArgumentParser
import Bench
import I2C
import I2CTrace
import Rigs
import Runs
import Schema
import Support
import TraceTools

/// `aneroid read`: reads one sensor with its driver.
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
        aneroid read --bus /dev/i2c-1 --part sht4x
        aneroid read --bus /dev/i2c-1 --fault 'kind: nack-address, after: 4'

      \(PartNames.readings); other \
      parts measure continuously by default, at full resolution. If several kinds of parts share \
      the address, the part is identified first.
      """)

  @Option(
    help: """
      The bus: a rig (a file or a built-in name) or a trace, followed by #NUMBER if it has several \
      buses; or a real adapter: \(RealAdapter.names).
      """, completion: Completions.buses)
  var bus: String

  @Option(help: "Address of the sensor, for example 0x76. Default: the first found on the bus.")
  var address: Address?

  @Option(
    help: .value(
      "model",
      """
      The part, by the name of a model or a part file (aneroid part list). Default: identified on the bus, which is \
      only possible for parts with a driver of their own.
      """), completion: Completions.parts)
  var part: String?

  @Option(help: .value("number", "Number of readings."))
  var count: Int = 1

  @Option(help: .value("time", "Interval between readings, for example 10s or 500ms."))
  var every = Interval(nanoseconds: 10_000_000_000)

  @Option(help: "text, json (one object), jsonl (one object per line) or csv.")
  var format: SensorReading.Format = .text

  @Option(
    help: .value("file", "Also record every transfer."), completion: .file(extensions: ["i2ctrace"])
  )
  var trace: String?

  @Option(
    help: .value(
      "mode",
      """
      Replay mode of a trace: strict; lenient; or model, which answers any transfer with a virtual \
      sensor of the trace's calibration and raw values.
      """))
  var replay: ReplayMode = .strict

  @Option(
    help: .value("pace", "Timing of a replayed trace: kept, ignored, or a factor such as 0.5."))
  var times: Replay.Pace = .kept

  @Option(
    help: .value(
      "keys",
      """
      Add a fault, with the keys of a rig; may be repeated. On /dev/i2c-N and on a trace, only bus \
      faults such as nack-address or bit-flip are possible. The report on exit says how often each \
      fault fired.
      """))
  var fault: [String] = []

  @OptionGroup var permission: ProgramPermission

  func validate() throws {
    try address?.validate()
    guard count > 0 else { throw ValidationError("--count must be at least 1") }
    guard Double(count) * Double(every.nanoseconds) <= 3e18 else {
      throw ValidationError("--count times --every must not exceed 90 years")
    }
  }

  func run() throws {
    guard try perform() else { throw ExitCode(1) }
  }

  /// Reads the sensor and returns whether a replay matched its trace.
  private func perform() throws -> Bool {
    let output = Output()
    var isSame = true
    do throws(Failure) {
      let trace = if let path = trace { try TraceOutput(path) } else { nil as TraceOutput? }
      defer { trace?.closeAfterFailure() }
      let reading = try SensorReading(
        BusReference(bus), address: address?.address, part: part,
        replay: ReplayOptions(replay, pace: times), faults: fault, trace: trace,
        allowsPrograms: permission.allowRun)
      do throws(Failure) {
        try reading.run(
          count: count, every: every.nanoseconds, format: format,
          to: { text in
            output.write(text)
            // A signal that ends this program must not lose readings.
            if reading.isLive { output.flush() }
          }, notice: StandardError.say)
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
