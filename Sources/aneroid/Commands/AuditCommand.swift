public import ArgumentParser
import Audit
public import BME280
import Files
import Findings
import FirmwareRuns
import Glibc
import I2C
import Images
import Interposer
public import Quantities
import Schema
import Text

extension Chip: Named {}
extension Quantity: ExpressibleByArgument {}

/// `aneroid audit`: which of the defects that shipped a program still has.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Run any reader of a sensor on benches made to show the defects that shipped.",
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
        aneroid audit --list
        aneroid audit --show negative-h4 > bench.yaml

      The program is not changed. It reads /dev/i2c-1, 0x76 (--bus, --address, and {bus} \
      and {address} in its arguments), prints values, and may go on for ever: it is \
      ended after --readings. When it sleeps, its time goes on at once. What it shows \
      is compared with the air around the virtual part, as exactly as its digits and \
      the right formulas allow.

      Verdicts: right; reported (it says that it cannot measure, where that is so); wrong \
      (wrong numbers, and nothing said); failed (nothing to see where there is \
      something to measure); small (numbers that pass, and to their last digit on every \
      bench they are those of a known defect and of no right formula); not run (the program ended before it happened, or cannot \
      be judged as it waits by the machine's clock).

      The exit status is 0 when nothing is wrong, 1 for a finding that the baseline does \
      not know or a quantity that was not judged (--ignore), 64 when it is not clear which numbers are the values, 69 when the bench \
      cannot be set up, 126 and 127 when the program cannot be run.
      """)

  /// In which form the audit is told.
  enum Format: String, ReportFormat {
    case text, json, junit, github, markdown
  }

  @Option(
    name: .customLong("scenario"), help: .value("name", "Only this scenario; may be repeated."),
    completion: Completions.scenarios)
  var scenarios: [String] = []

  @Flag(help: "Instead list the scenarios and the classes of defects that they expose.")
  var list = false

  @Flag(help: ArgumentHelp("Instead print the page of the documentation.", visibility: .hidden))
  var page = false

  @Option(
    help: .value("name", "Instead print the rig of a scenario, for 'aneroid exec --rig'."),
    completion: Completions.scenarios)
  var show: String?

  @Option(
    help: .value(
      "regex",
      """
      A regular expression whose groups are named temperature, pressure and humidity, with a unit: \
      temperature_c, _f or _k; pressure_hpa, _pa, _kpa, _mbar, _mmhg or _inhg; humidity_rh, _percent or \
      _fraction. May be repeated, for values on several lines.
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
      A quantity that the program does not print: temperature, pressure or humidity; may be repeated. Without it a \
      quantity that is not found in the output is a failure.
      """))
  var ignore: [Quantity] = []

  @Option(help: .value("count", "After how many readings a program is ended that goes on."))
  var readings = 4

  @Option(
    help: .value(
      "time",
      """
      How much processor time the program may take in a scenario, and for how long it may stand still; a busy \
      machine does not count.
      """))
  var timeout = Interval(nanoseconds: 10_000_000_000)

  @Option(help: "N in the /dev/i2c-N that the program uses.")
  var bus = 1

  @Option(help: "Where the part answers, 0x76 or 0x77; 0x76 unless given.")
  var address: Address?

  @Option(help: "Show the files of a board, as exec --board does, to libraries that reject a PC.")
  var board: Board?

  @Option(help: "Which chip the parts are: bme280, or bmp280 without the scenarios of humidity.")
  var chip = NamedChoice(Chip.bme280)

  @Option(
    help: .value(
      "number", "How many scenarios run at once; as many as there are cores unless given."))
  var jobs: Int?

  @Option(
    help: """
      text, json (one object), junit, github (annotations) or markdown (a table for a pull request).
      """)
  var format: Format = .text

  @Option(help: .value("file", "Also write JUnit XML."), completion: .file(extensions: ["xml"]))
  var junit: String?

  @Option(
    help: .value("file", "Also write the table in Markdown."), completion: .file(extensions: ["md"])
  )
  var markdown: String?

  @Option(
    help: .value("folder", "Keep the rigs, the traces and the events in this folder."),
    completion: .directory)
  var traces: String?

  @Option(
    help: .value("file", "The JSON of an earlier audit: only what it does not know counts."),
    completion: .file(extensions: ["json"]))
  var baseline: String?

  @Flag(
    help: "Where the file of --baseline is missing, write it: all that is found now is known then.")
  var startBaseline = false

  @Option(
    help: .value(
      "image",
      """
      Instead of a program a firmware image on a virtual microcontroller ('aneroid firmware --help'); its values \
      are read from its UART.
      """), completion: .file(extensions: ["elf", "hex", "bin"]))
  var firmware: String?

  @Option(
    help: .value("name", "With --firmware: the microcontroller, where more than one fits."))
  var mcu: String?

  @Option(help: .value("where", "With --firmware: where raw bytes go."))
  var at: ImageAddress?

  @Flag(help: "Print the expressions that were guessed, for --match.")
  var expressions = false

  @Argument(parsing: .postTerminator, help: "The program and its arguments, behind --.")
  var program: [String] = []

  func validate() throws {
    guard list || page || show != nil || firmware != nil || !program.isEmpty else {
      throw ValidationError("no program: aneroid audit [options] -- PROGRAM ARGUMENTS...")
    }
    guard firmware == nil || board == nil else {
      throw ValidationError("--board shows the files of a board to a program: not with --firmware")
    }
    guard firmware == nil || program.isEmpty else {
      throw ValidationError("--firmware stands instead of a program: not both")
    }
    guard [!match.isEmpty, json != nil, csv != nil].filter({ $0 }).count < 2 else {
      throw ValidationError("--match, --json and --csv stand alone")
    }
    guard (1...100_000).contains(readings), (1...1024).contains(jobs ?? 1) else {
      throw ValidationError("--readings must be from 1 to 100000, --jobs from 1 to 1024")
    }
    guard Address.isOfBuiltInPart(address) else {
      throw ValidationError(Address.builtInPartRule)
    }
    guard baseline != nil || !startBaseline else {
      throw ValidationError("--start-baseline says what to do with the file of --baseline FILE")
    }
    guard (0...255).contains(bus) else { throw ValidationError("--bus must be from 0 to 255") }
    let known = Scenario.all.map(\.name)
    for name in scenarios + [show].compactMap({ $0 }) where !known.contains(name) {
      throw ValidationError(
        "there is no scenario '\(name)'\(NearestWord.hint(name, among: known)): aneroid audit --list names them"
      )
    }
    do throws(OutputError) {
      try form?.check()
    } catch {
      throw ValidationError(error.message)
    }
  }

  /// How the user says where the values stand.
  private var form: OutputForm? {
    if !match.isEmpty { return .patterns(match) }
    return json.map(OutputForm.json) ?? csv.map(OutputForm.csv)
  }

  func run() throws {
    let output = Output()
    if list || page || show != nil {
      output.write(list ? ScenarioPage.list : page ? ScenarioPage.page : rigText)
      return output.flush()
    }
    let result: AuditRun.Result
    var known: Baseline?
    // Whether this audit is what later ones are compared with.
    let starts = startBaseline && baseline.map { access($0, F_OK) != 0 } == true
    do {
      // Reports may go into the folder of the traces.
      try OutputPlace.check(
        [junit, markdown, starts ? baseline : nil],
        reading: starts ? [] : [baseline].compactMap(\.self), making: traces)
      if let firmware {
        // What is wrong with the image is said once, before any bench.
        let image = try FirmwareImage(
          path: firmware, rawAddress: at?.value, for: MicrocontrollerModel.profiles(mcu))
        _ = try image.fitted(to: MicrocontrollerModel.chosen(mcu, for: image).profile)
      }
      if let baseline, !starts { known = try Baseline(baseline) }
      EndSignals.notice()
      let folder = try AuditFolder(traces, for: settings.scenarios)
      defer { folder.remove() }
      result = try audited(in: folder)
      if let baseline, starts { known = try started(baseline, with: result) }
      try write(result, known, output)
    } catch let failure as Failure {
      throw StandardError.exit(failure)
    }
    let new = result.judgements.contains { $0.verdict.isFinding && known?.knows($0) != true }
    let isUnjudged = result.missing.contains { known?.missing.contains($0.rawValue) != true }
    if new || isUnjudged { throw ExitCode(1) }
  }

  /// Writes the first baseline, which knows all that was found.
  private func started(
    _ path: String, with result: AuditRun.Result
  ) throws(Failure) -> Baseline {
    try OutputFile.write(AuditJSON.text(result), to: path)
    StandardError.say("\(path) is the baseline from now on; keep it with the program")
    return try Baseline(path)
  }

  private var rigText: String {
    Scenario.all.first { $0.name == show }?.rig(at: settings.place) ?? ""
  }

  private var settings: AuditSettings {
    var settings = AuditSettings(firmware.map { [$0] } ?? program)
    settings.firmware = firmware.map {
      AuditedFirmware(image: $0, microcontroller: mcu, address: at?.value)
    }
    settings.form = form
    settings.ignored = Set(ignore)
    if !scenarios.isEmpty {
      settings.scenarios = Scenario.all.filter { scenarios.contains($0.name) }
    }
    settings.readings = readings
    settings.chip = chip.value
    settings.board = board?.rawValue
    settings.timeoutSeconds = Double(timeout.nanoseconds) / 1e9
    settings.jobs = jobs ?? ProgramEnvironment.processors
    settings.place.bus = bus
    settings.place.address = UInt8(address?.address.rawValue ?? 0x76)
    return settings
  }

  private func audited(in folder: AuditFolder) throws -> AuditRun.Result {
    let progress = AuditProgress(count: settings.scenarios.count)
    defer { progress.clear() }
    do throws(AuditError) {
      return try AuditRun(
        settings, in: folder.path, isInterrupted: { EndSignals.hasCome }, progress: progress.take
      ).run()
    } catch {
      progress.clear()
      switch error {
      case .interrupted:
        folder.remove()
        EndSignals.obey()
      case .bench(let failure): throw failure
      case .program(let status, let messages):
        messages.forEach(StandardError.say)
        throw ExitCode(status)
      case .output(let mistake):
        StandardError.say(mistake.message)
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
