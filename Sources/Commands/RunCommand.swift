import ArgumentParser
import Bench
import FirmwareRuns
import Reports
import Rigs
import Runs
import Schema
import Support
import TraceTools

/// `aneroid run`: runs a rig's pipeline or firmware and checks its expectations.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a rig to the end of its scenario and check its expectations.",
    discussion: """
      EXAMPLES
        aneroid run weather-station
        aneroid run stormy-week --format jsonl | grep '"forecast"'
        aneroid run my-rig.yaml --seed 7 --junit result.xml --trace my-rig.i2ctrace
        aneroid run my-rig.yaml --against my-rig.i2ctrace
        aneroid run my-rig.yaml --against hardware.i2ctrace --within 50Pa,0.5C
        aneroid run iss-leak --report leak.html --plots pictures
        aneroid run my-station.yaml --for 30d
        aneroid run iss-leak --set environment.cabin.leak.hole=4mm
        aneroid run rigs/warehouse/cold-room.yaml

      A rig with 'clock: real' and no duration runs until Ctrl-C or SIGTERM; its expectations are \
      checked then. SIGHUP reloads the rig; a rig with an error is reported and not loaded.

      In real time, 'aneroid ask' and SIGUSR1 request a forecast between two cycles; a request during \
      a cycle is answered by that cycle.

      A rig with the key 'warehouse' is run by 'aneroid hub run', which accepts --seed and \
      --format text, json or jsonl.

      Exit status: 0 if every expectation was met; 1 if one was not, or if --against found a \
      difference (with --within, one outside the tolerances).
      """)

  /// The output format of a run.
  enum Format: String, ReportFormat {
    case text, json, jsonl, junit, github, markdown
  }

  @Argument(
    help: "The rig: a file or a built-in name ('aneroid rig list').", completion: Completions.rigs)
  var rig: String

  @Option(help: .value("number", "Random seed. Default: the rig's 'seed'."))
  var seed: UInt64?

  @Option(
    name: .customLong("for"),
    help: .value("time", "Simulated time to run. Default: the rig's 'duration'."))
  var length: Interval?

  @Option(
    help: .value(
      "key=value",
      """
      Set a key of the rig to another value, such as buses[0].devices[0].noise=off; may be repeated. The value is YAML.
      """))
  var set: [String] = []

  @Option(
    help: """
      Output format: text, json (one object) or jsonl (one object per line) for the whole run; junit, \
      github (annotations) or markdown for the findings only.
      """)
  var format: Format = .text

  @Option(
    help: .value("file", "Also write the findings as JUnit XML."),
    completion: .file(extensions: ["xml"]))
  var junit: String?

  @Option(
    help: .value("file", "Also record every transfer."), completion: .file(extensions: ["i2ctrace"])
  )
  var trace: String?

  @Option(
    name: .customLong("report"),
    help: .value("file", "Also write an HTML report of the run."),
    completion: .file(extensions: ["html"]))
  var page: String?

  @Option(
    help: .value("folder", "Also write the plots as SVG files to this folder."),
    completion: .directory)
  var plots: String?

  @Option(
    help: .value(
      "file", "Also compare every transfer and reading with a trace: trace:FILE."),
    completion: .file(extensions: ["i2ctrace"]))
  var against: String?

  @Option(
    help: .value(
      "tolerances",
      """
      With --against: tolerances for readings, for example 50Pa,0.5C,2%. Transferred bytes may then \
      differ, and differences in other quantities are reported but do not fail the run.
      """))
  var within: String?

  @Option(
    help: .value(
      "file",
      "Socket for 'aneroid ask', in real time. Default: named after the rig, in the user's runtime folder."
    ))
  var socket: String?

  @OptionGroup var permission: ProgramPermission

  @Flag(help: "Allow the rig to write its history file outside its own folder.")
  var allowWrite = false

  func validate() throws {
    guard page == nil || against == nil else {
      throw ValidationError("--report and --against cannot be combined; run the rig twice")
    }
    guard within == nil || against != nil else {
      throw ValidationError("--within requires --against")
    }
    do throws(QuantityKind.FormatError) {
      if let within { _ = try Tolerances.parse(within) }
    } catch {
      throw ValidationError("--within: \(error.message)")
    }
  }

  func run() throws {
    try startWarehouse()
    guard try perform() else { throw ExitCode(1) }
  }

  /// Runs the rig and returns whether every expectation was met.
  private func perform() throws -> Bool {
    var rig: Rig
    do throws(Failure) {
      rig = try seededRig()
    } catch {
      throw StandardError.exit(error)
    }
    let isEndless = rig.clock == .real && rig.duration == nil && rig.pipeline != nil
    if isEndless { EndSignals.notice(reloads: !keepsFiles) }
    while true {
      let next = NextRig()
      let isMet = try perform(rig, next)
      guard isEndless, let other = next.rig, !EndSignals.hasCome else { return isMet }
      rig = other
    }
  }

  /// The reloaded rig that replaces the running one, if any.
  private final class NextRig {
    var rig: Rig?
  }

  /// Returns whether a run must end: on a signal, or because a reloaded rig replaces this one.
  private func mustEnd(_ rig: Rig, _ next: NextRig) -> Bool {
    if EndSignals.hasCome || next.rig != nil { return true }
    guard EndSignals.asksForReload else { return false }
    EndSignals.takeReload()
    next.rig = reloaded(rig)
    return next.rig != nil
  }

  /// `true` if the run writes files that a second run would overwrite.
  private var keepsFiles: Bool {
    [trace, junit, page, plots, against].contains { $0 != nil } || format == .json
  }

  /// Reads the rig's file again; reports its errors and returns `nil` if it has any.
  private func reloaded(_ old: Rig) -> Rig? {
    do throws(Failure) {
      let new = try seededRig()
      guard new.clock == .real, new.pipeline != nil else {
        StandardError.say(
          "\(new.file): not reloaded: 'clock: real' and a pipeline are required; the run continues with the old rig"
        )
        return nil
      }
      StandardError.say("\(new.file): reloaded")
      return new
    } catch {
      error.messages.forEach(StandardError.say)
      StandardError.say("\(old.file): not reloaded; the run continues with the old rig")
      return nil
    }
  }

  /// Runs a rig once and returns whether every expectation was met.
  private func perform(_ rig: Rig, _ next: NextRig) throws -> Bool {
    let output = Output()
    let progress = Progress()
    let clock = WallClock()
    do throws(Failure) {
      let reference = against.map(RunComparison.path)
      let inputs = rig.files + (reference.map { [$0] } ?? [])
      let places = try OutputDestination.check(
        [self.trace, junit, page], reading: inputs, making: plots)
      if against != nil || page != nil { try places[0]?.checkCanBeReadBack() }
      let isLive = rig.clock == .real
      let report = report { text in
        progress.clear()
        output.write(text)
        if isLive { output.flush() }
      }
      let comparison =
        if let against {
          try RunComparison(
            against: against, kept: trace, within: within.flatMap { try? Tolerances.parse($0) })
        } else {
          nil as RunComparison?
        }
      var trace = try comparison?.output()
      let pages = try PageOutput(
        of: rig, page: page, plots: plots, trace: against == nil ? self.trace : nil,
        inputs: inputs, others: [self.trace, junit])
      if trace == nil, let path = self.trace ?? pages?.trace {
        trace = try TraceOutput(path, isKept: self.trace != nil)
      }
      defer { trace?.closeAfterFailure() }
      let say = { (message: String) in
        progress.clear()
        StandardError.say(message)
      }
      let take = { (event: RunEvent) in
        progress.take(event)
        if [.haven, .level].contains(event.kind) { StandardError.ring() }
        report?.take(event)
        pages?.recorder.take(event)
        if case .notice(let notice) = event { say(notice.text) }
      }
      let verdict = try verdict(of: rig, trace, next, notice: say, take)
      output.flush()
      try trace?.close()
      try pages?.write()
      try writeFindings(
        verdict.inspection(of: rig, seconds: Double(clock.nanoseconds) / 1e9), output)
      let isSame =
        try comparison?.judge(to: format == .text ? output.write : StandardError.write) ?? true
      output.flush()
      return verdict.passed && isSame
    } catch {
      progress.clear()
      output.flush()
      throw StandardError.exit(error)
    }
  }

  /// Reads the rig and applies `--seed` and `--for`; warns if the air exceeds what the sensors can
  /// measure.
  private func seededRig() throws(Failure) -> Rig {
    let changes = try set.map { text throws(Failure) in try RigSource.Change(text) }
    var rig: Rig
    do throws(Failure) {
      rig = try Rig(path: self.rig, changes: changes)
    } catch {
      // Changes have no position in the file.
      guard !changes.isEmpty, (try? Rig(path: self.rig)) != nil else { throw error }
      throw Failure(error.kind, error.findings.map { "--set: \($0.message)" })
    }
    if let seed { rig.seed = seed }
    rig.allowsPrograms = permission.allowRun
    if let length { rig.duration = length.nanoseconds }
    rig.airNotes.forEach { StandardError.say($0.line) }
    return rig
  }

  /// Runs the rig's firmware or pipeline and returns the verdict.
  private func verdict(
    of rig: Rig, _ trace: TraceOutput?, _ next: NextRig, notice: @escaping (String) -> Void,
    _ take: @escaping (RunEvent) -> Void
  ) throws(Failure) -> Verdict {
    if let firmware = try RigFirmware(rig, trace: trace, report: take) {
      return try firmware.verdict()
    }
    let isAskable = rig.clock == .real && rig.pipeline?.forecasters.isEmpty == false
    guard isAskable || socket == nil else {
      throw Failure(.usage, "--socket requires 'clock: real' and a pipeline with forecasters")
    }
    let requests = isAskable ? try StationSocket(of: rig.name, at: socket) : nil
    defer { requests?.close() }
    let options = RigRun.Options(
      allowsPrograms: permission.allowRun, allowsWriting: allowWrite, trace: trace,
      requests: requests, mustEnd: { mustEnd(rig, next) })
    return try RigRun(rig, options: options, notice: notice).run(take)
  }

  /// The report written during the run; `nil` for formats that contain only the findings.
  private func report(to write: @escaping (String) -> Void) -> (any RunReport)? {
    switch format {
    case .text: TextReport(style: Output.style, columns: Output.columns, to: write)
    case .json: JSONReport(to: write)
    case .jsonl: JSONLinesReport(to: write)
    case .junit, .github, .markdown: nil
    }
  }

  /// Writes the findings in the chosen format, to `--junit` and as annotations on GitHub Actions.
  private func writeFindings(_ inspection: Inspection, _ output: Output) throws(Failure) {
    switch format {
    case .text, .json, .jsonl: break
    case .junit, .github, .markdown: format.findings.map { output.write($0.text(inspection)) }
    }
    if let junit { try OutputFile.write(FindingFormat.junit.text(inspection), to: junit) }
    if format != .github { GitHub.annotate(GitHubAnnotations.lines(inspection)) }
  }
}
