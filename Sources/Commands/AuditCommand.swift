public import ArgumentParser
import Audit
public import BME280
import FirmwareRuns
import Glibc
import I2C
import Images
import Interposer
public import Quantities
import Schema
import Support

extension Chip: Named {}
extension Quantity: ExpressibleByArgument {}

/// `aneroid audit`: finds the known driver defects in a program.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Test a sensor reader for known driver defects on virtual benches.",
    discussion: """
      EXAMPLES
        aneroid audit -- python3 my_sensor.py
        aneroid audit -- ./reader --bus {bus} --address {address}
        aneroid audit --match 'T=(?<temperature_c>[-0-9.]+)' -- ./reader
        aneroid audit --json temperature_c=temp,pressure_hpa=press -- ./reader
        aneroid audit --junit audit.xml --traces traces -- ./reader
        aneroid audit --format json -- ./reader > baseline.json
        aneroid audit --baseline baseline.json -- ./reader
        aneroid audit --baseline baseline.json --start-baseline -- ./reader
        aneroid audit --firmware build/sensor.elf
        aneroid audit --part sht4x -- python3 reader.py
        aneroid audit --list
        aneroid audit --show negative-h4 > bench.yaml

      The program is unmodified. It reads /dev/i2c-1, address 0x76 (--bus, --address, and {bus} \
      and {address} in its arguments) and prints values. It may run in an endless loop: it is \
      ended after --readings. Its sleeps return at once, in virtual time. The values that it prints \
      are compared with the air around the virtual part, with the precision of the printed \
      digits and the vendor's formulas.

      Verdicts: right; reported (a measurement was impossible, and the program reported it); wrong \
      (wrong values without an error); failed (no values although the sensor could be read); small \
      (values within tolerance, but in their last digit on every bench they match a known defect \
      and no correct formula); not run (the program ended before the fault fired, or cannot be \
      judged because it waits on the wall clock).

      Exit status: 0 if there is no finding; 1 for a finding that is not in the baseline, or for a \
      quantity that was not found and not named by --ignore; 64 if the values in the output are \
      ambiguous; 69 if the bench cannot be set up; 126 and 127 if the program cannot be run.
      """)

  /// The output format of an audit.
  enum Format: String, ReportFormat {
    case text, json, junit, github, markdown
  }

  @Option(
    name: .customLong("scenario"), help: .value("name", "Run only this scenario; may be repeated."),
    completion: Completions.scenarios)
  var scenarios: [String] = []

  @Option(
    help: .value(
      "count",
      """
      Instead of the fixed scenarios: this many random benches, with the calibrations of real parts first, random air, \
      timing, bus frequency and faults. For findings the smallest bench that still gives one is printed as a rig.
      """))
  var random: Int?

  @Option(help: .value("number", "Seed of the random benches. Default: 0."))
  var seed: UInt64?

  @Flag(help: "List the scenarios and the classes of defects that they detect, and exit.")
  var list = false

  @Flag(help: ArgumentHelp("Print the page of the documentation, and exit.", visibility: .hidden))
  var page = false

  @Option(
    help: .value("name", "Print the rig of a scenario, for 'aneroid exec --rig', and exit."),
    completion: Completions.scenarios)
  var show: String?

  @Option(
    help: .value(
      "regex",
      """
      Regular expression with named groups for the values and their units: temperature_c, _f or _k; \
      pressure_hpa, _pa, _kpa, _mbar, _mmhg or _inhg; humidity_rh, _percent or _fraction. May be \
      repeated, for values on several lines.
      """))
  var match: [String] = []

  @Option(
    help: .value(
      "paths", "Values in JSON: NAME=PATH,NAME=PATH, for example pressure_hpa=main.pressure."))
  var json: String?

  @Option(
    help: .value(
      "columns", "Values in columns: NAME=HEADER,... or NAME=NUMBER,..., for example pressure_pa=2."
    ))
  var csv: String?

  @Option(
    help: .value(
      "quantity",
      """
      A quantity that the program does not print: temperature, pressure, humidity, or an input of the part; may be \
      repeated. A quantity that is neither found in the output nor named here is a failure.
      """))
  var ignore: [String] = []

  @Option(help: .value("count", "Number of readings after which the program is ended."))
  var readings = 4

  @Option(
    help: .value(
      "time",
      """
      Time limit of a scenario: CPU time of the program, and time without any progress. Load of the \
      machine by other programs does not count.
      """))
  var timeout = Interval(nanoseconds: 10_000_000_000)

  @Option(help: "Number N of the /dev/i2c-N that the program opens.")
  var bus = 1

  @Option(
    help: "Address of the part. Default: the first of the part; without --part 0x76, or 0x77.")
  var address: Address?

  @Option(
    help: .value(
      "model",
      """
      Benches with another part, the name of a model or a part file (aneroid part list): below zero, ends of the \
      range, longest time, lost supply, NACK, a flipped bit.
      """), completion: Completions.parts)
  var part: String?

  @Option(
    help: .value(
      "name=value",
      "With --part: the usual value of an input that is no air, such as 'shunt resistor=0.002'; may be repeated."
    ))
  var input: [String] = []

  @Option(help: "Show the files of a board, as exec --board does, to libraries that reject a PC.")
  var board: Board?

  @Option(help: "Chip of the virtual parts: bme280, or bmp280 without the humidity scenarios.")
  var chip = NamedChoice(Chip.bme280)

  @Option(
    help: .value(
      "number", "Number of scenarios run in parallel. Default: the number of CPU cores."))
  var jobs: Int?

  @Option(
    help: """
      text, json (one object), junit, github (annotations) or markdown (a table for a pull request).
      """)
  var format: Format = .text

  @Option(help: .value("file", "Also write JUnit XML."), completion: .file(extensions: ["xml"]))
  var junit: String?

  @Option(
    help: .value("file", "Also write the results as a Markdown table."),
    completion: .file(extensions: ["md"])
  )
  var markdown: String?

  @Option(
    help: .value("folder", "Keep the rigs, traces and events in this folder."),
    completion: .directory)
  var traces: String?

  @Option(
    help: .value("file", "JSON output of an earlier audit; its findings do not fail this audit."),
    completion: .file(extensions: ["json"]))
  var baseline: String?

  @Flag(
    help: "If the file of --baseline does not exist, write it with all findings of this audit.")
  var startBaseline = false

  @Option(
    help: .value(
      "image",
      """
      Audit a firmware image on a virtual microcontroller instead of a program ('aneroid firmware \
      --help'); its values are read from its UART.
      """), completion: .file(extensions: ["elf", "hex", "bin"]))
  var firmware: String?

  @Option(
    help: .value("name", "With --firmware: the microcontroller, if the image fits more than one."))
  var mcu: String?

  @Option(help: .value("address", "With --firmware: load address of a raw binary."))
  var at: ImageAddress?

  @Flag(help: "Print the inferred regular expressions, for --match.")
  var expressions = false

  @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.")
  var program: [String] = []

  func validate() throws {
    guard list || page || show != nil || firmware != nil || !program.isEmpty else {
      throw ValidationError(
        "no program given; usage: aneroid audit [options] -- PROGRAM ARGUMENTS...")
    }
    guard firmware == nil || board == nil else {
      throw ValidationError("--board and --firmware cannot be combined")
    }
    guard firmware == nil || program.isEmpty else {
      throw ValidationError("--firmware and a program cannot be combined")
    }
    guard [!match.isEmpty, json != nil, csv != nil].filter({ $0 }).count < 2 else {
      throw ValidationError("only one of --match, --json and --csv can be used")
    }
    guard (1...100_000).contains(readings), (1...1024).contains(jobs ?? 1) else {
      throw ValidationError("--readings must be from 1 to 100000, --jobs from 1 to 1024")
    }
    guard (1...100_000).contains(random ?? 1) else {
      throw ValidationError("--random must be from 1 to 100000")
    }
    guard seed == nil || random != nil else { throw ValidationError("--seed requires --random") }
    guard part != nil || Address.isOfBuiltInPart(address) else {
      throw ValidationError(Address.builtInPartRule)
    }
    guard part != nil || input.isEmpty else { throw ValidationError("--input requires --part") }
    guard part == nil || chip.value == .bme280 else {
      throw ValidationError("--chip is of the BME280's family and cannot be combined with --part")
    }
    guard baseline != nil || !startBaseline else {
      throw ValidationError("--start-baseline requires --baseline FILE")
    }
    guard (0...255).contains(bus) else { throw ValidationError("--bus must be from 0 to 255") }
    let audit: AuditSettings
    do throws(Failure) {
      audit = try settings()
    } catch {
      throw StandardError.exit(error)
    }
    let known = audit.scenarios.map(\.name)
    for name in scenarios + [show].compactMap({ $0 }) where !known.contains(name) {
      throw ValidationError(
        "unknown scenario '\(name)'\(NearestWord.hint(name, among: known)) (list all: aneroid audit --list)"
      )
    }
    do throws(OutputError) {
      try form?.check(among: audit.known)
    } catch {
      throw ValidationError(error.message)
    }
  }

  /// The format of the values in the program's output, according to the options; `nil` to detect
  /// it.
  private var form: OutputForm? {
    if !match.isEmpty { return .patterns(match) }
    return json.map(OutputForm.json) ?? csv.map(OutputForm.csv)
  }

  func run() throws {
    let output = Output()
    if list || page || show != nil {
      do throws(Failure) {
        output.write(
          page
            ? ScenarioPage.page
            : list ? ScenarioPage.list(of: try settings().scenarios) : try rigText())
      } catch {
        throw StandardError.exit(error)
      }
      return output.flush()
    }
    let result: AuditRun.Result
    var known: Baseline?
    // `true` if this audit writes the first baseline.
    let starts = startBaseline && baseline.map { access($0, F_OK) != 0 } == true
    do {
      // The reports may be in the folder of the traces.
      try OutputDestination.check(
        [junit, markdown, starts ? baseline : nil],
        reading: starts ? [] : [baseline].compactMap(\.self), making: traces)
      if let firmware {
        // An error in the image is reported once, before the first bench is created.
        let image = try FirmwareImage(
          path: firmware, rawAddress: at?.value, for: MicrocontrollerModel.profiles(mcu))
        _ = try image.fitted(to: MicrocontrollerModel.chosen(mcu, for: image).profile)
      }
      if let baseline, !starts { known = try Baseline(baseline) }
      EndSignals.notice()
      var settings = try settings()
      if !scenarios.isEmpty { settings.scenarios.removeAll { !scenarios.contains($0.name) } }
      let folder = try AuditFolder(traces, for: settings.scenarios)
      defer { folder.remove() }
      result = try audited(settings, in: folder)
      if let baseline, starts { known = try started(baseline, with: result) }
      try write(result, known, output)
    } catch let failure as Failure {
      throw StandardError.exit(failure)
    }
    let new = result.judgements.contains { $0.verdict.isFinding && known?.knows($0) != true }
    let isUnjudged = result.missing.contains { known?.missing.contains($0.name) != true }
    if new || isUnjudged { throw ExitCode(1) }
  }

  /// Writes the first baseline with all findings.
  private func started(
    _ path: String, with result: AuditRun.Result
  ) throws(Failure) -> Baseline {
    try OutputFile.write(AuditJSON.text(result), to: path)
    StandardError.say("\(path) written as the baseline; keep it with the program")
    return try Baseline(path)
  }

  private func rigText() throws(Failure) -> String {
    let settings = try settings()
    let scenario = settings.scenarios.first { $0.name == show }
    return scenario.map { $0.rig(at: $0.place(settings.place)) } ?? ""
  }

  /// Returns the settings for a command line of an audit.
  ///
  /// - Throws: `Failure` of kind usage for wrong arguments.
  static func settings(_ arguments: [String]) throws(Failure) -> AuditSettings {
    let command: AuditCommand
    do {
      command = try AuditCommand.parse(arguments)
    } catch {
      throw Failure(.usage, AuditCommand.message(for: error))
    }
    return try command.settings()
  }

  private func settings() throws(Failure) -> AuditSettings {
    var settings = AuditSettings(firmware.map { [$0] } ?? program)
    settings.firmware = firmware.map {
      AuditedFirmware(image: $0, microcontroller: mcu, address: at?.value)
    }
    settings.form = form
    if let part {
      let audited = try AuditedPart(part, inputs: input)
      settings.part = audited
      settings.scenarios = Scenario.all(of: audited)
      settings.place.address = audited.address
    }
    for name in ignore {
      guard let quantity = settings.known.first(where: { [$0.name, $0.fieldName].contains(name) })
      else {
        let names = settings.known.map(\.name)
        throw Failure(
          .usage,
          "--ignore: unknown quantity '\(name)'\(NearestWord.hint(name, among: names)); known: "
            + names.joined(separator: ", "))
      }
      settings.ignored.insert(quantity)
    }
    settings.readings = readings
    settings.chip = chip.value
    if let benches = randomBenches(settings) { settings.scenarios = benches.scenarios }
    settings.board = board?.rawValue
    settings.timeoutSeconds = Double(timeout.nanoseconds) / 1e9
    settings.jobs = jobs ?? ProgramEnvironment.processors
    settings.place.bus = bus
    if let address { settings.place.address = UInt8(truncatingIfNeeded: address.address.rawValue) }
    return settings
  }

  /// The random benches of `--random`; `nil` for the fixed ones.
  private func randomBenches(_ settings: AuditSettings) -> RandomBenches? {
    random.map {
      RandomBenches(
        $0, seed: seed ?? 0, chip: settings.chip, part: settings.part,
        isFirmware: settings.firmware != nil)
    }
  }

  private func audited(
    _ settings: AuditSettings, in folder: AuditFolder
  ) throws -> AuditRun.Result {
    let progress = AuditProgress(count: settings.scenarios.count)
    defer { progress.clear() }
    do throws(AuditError) {
      var result = try AuditRun(
        settings, in: folder.path, isInterrupted: { EndSignals.hasCome }, progress: progress.take
      ).run()
      if let benches = randomBenches(settings) {
        result.smallest = try benches.smallest(
          of: result, settings, in: folder.path, isInterrupted: { EndSignals.hasCome })
      }
      return result
    } catch {
      progress.clear()
      switch error {
      case .interrupted:
        folder.remove()
        EndSignals.terminate()
      case .bench(let failure): throw failure
      case .program(let status, let messages):
        messages.forEach(StandardError.say)
        throw ExitCode(status)
      case .output(let error):
        StandardError.say(error.message)
        throw ExitCode.validationFailure
      }
    }
  }

  private func write(
    _ result: AuditRun.Result, _ known: Baseline?, _ output: Output
  ) throws(Failure) {
    let inspection = result.inspection(baseline: known)
    switch format {
    case .text:
      output.write(
        AuditText(Output.style, showsExpressions: expressions).text(result, baseline: known))
    case .json: output.write(AuditJSON.text(result))
    case .junit, .github, .markdown: format.findings.map { output.write($0.text(inspection)) }
    }
    output.flush()
    if let junit { try OutputFile.write(FindingFormat.junit.text(inspection), to: junit) }
    if let markdown { try OutputFile.write(FindingFormat.markdown.text(inspection), to: markdown) }
    if format != .github { GitHub.annotate(GitHubAnnotations.lines(inspection)) }
  }
}

/// The folder for the rigs and traces of an audit: the user's, or a temporary one.
struct AuditFolder {
  let path: String
  private let scratch: ScratchFolder?

  init(_ wanted: String?, for scenarios: [Scenario]) throws(Failure) {
    if let wanted { try Scenario.check(scenarios, in: wanted) }
    scratch = wanted == nil ? try ScratchFolder() : nil
    path = wanted ?? scratch?.path ?? ""
    try Folder.make(path)
  }

  func remove() {
    scratch?.remove()
  }
}
