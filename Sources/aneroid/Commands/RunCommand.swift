import ArgumentParser
import Bench
import Files
import Findings
import FirmwareRuns
import Pages
import Reports
import Rigs
import Runs
import Schema
import TraceTools

/// `aneroid run`: assembles a rig, runs its pipeline and judges its expectations.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a rig to the end of its scenario and judge its expectations.",
    discussion: """
      EXAMPLES
        aneroid run weather-station
        aneroid run stormy-week --format jsonl | grep '"forecast"'
        aneroid run my-rig.yaml --seed 7 --junit result.xml --trace my-rig.i2ctrace
        aneroid run my-rig.yaml --against my-rig.i2ctrace
        aneroid run my-rig.yaml --against hardware.i2ctrace --within 50Pa,0.5C
        aneroid run iss-leak --report leak.html --plots pictures
        aneroid run my-station.yaml --for 30d
        aneroid run rigs/warehouse/cold-room.yaml

      A rig in real time that says no duration runs until it is stopped (Ctrl-C, SIGTERM) and is \
      judged then; SIGHUP reads the rig again, and one with a mistake is told and not taken.

      A rig with the key 'warehouse' is run by 'aneroid hub run', which knows --seed and --format \
      text, json or jsonl.

      The exit status is 0 when every expectation was met and 1 when one was not, or when \
      --against found a difference (with --within, one that is larger).
      """)

  /// In which form the run is told.
  enum Format: String, ReportFormat {
    case text, json, jsonl, junit, github, markdown
  }

  @Argument(
    help: "The rig: a file or a built-in name ('aneroid rig list').", completion: Completions.rigs)
  var rig: String

  @Option(help: .value("number", "Where all chance comes from, instead of the rig's own seed."))
  var seed: UInt64?

  @Option(
    name: .customLong("for"),
    help: .value("time", "How long it runs, in its own time, instead of the rig's duration."))
  var length: Interval?

  @Option(
    help: """
      How the run is told: text, json (one object), jsonl (one object a line); or its findings alone: junit, \
      github (annotations) or markdown.
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
    help: .value("file", "Also write a page of HTML with everything in it."),
    completion: .file(extensions: ["html"]))
  var page: String?

  @Option(
    help: .value("folder", "Also write the plots as SVG files into this folder."),
    completion: .directory)
  var plots: String?

  @Option(
    help: .value(
      "file", "Also compare every transfer, and the readings, with a trace: trace:FILE."),
    completion: .file(extensions: ["i2ctrace"]))
  var against: String?

  @Option(
    help: .value(
      "tolerances",
      """
      With --against: by how much readings may differ, for example 50Pa,0.5C,2%. Bytes may differ then, and a \
      quantity that is not named is told and not judged.
      """))
  var within: String?

  @Flag(help: "Let the rig's notifications run programs.")
  var allowRun = false

  @Flag(help: "Let the rig keep its history in a file outside of its own folder.")
  var allowWrite = false

  func validate() throws {
    guard page == nil || against == nil else {
      throw ValidationError("--report and --against stand alone: run twice")
    }
    guard within == nil || against != nil else {
      throw ValidationError("--within says how near to a trace: it needs --against")
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

  /// Runs the rig; whether every expectation was met.
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

  /// The rig that follows the one that runs, once there is one.
  private final class NextRig {
    var rig: Rig?
  }

  /// Whether a run must end: it has been told to, or another rig has been read that follows it.
  private func mustEnd(_ rig: Rig, _ next: NextRig) -> Bool {
    if EndSignals.hasCome || next.rig != nil { return true }
    guard EndSignals.asksForReload else { return false }
    EndSignals.takeReload()
    next.rig = reloaded(rig)
    return next.rig != nil
  }

  /// Whether the run is kept in files, which a second run would write anew.
  private var keepsFiles: Bool {
    [trace, junit, page, plots, against].contains { $0 != nil } || format == .json
  }

  /// The rig as its file says it now; `nil` where that has a mistake, which is told.
  private func reloaded(_ old: Rig) -> Rig? {
    do throws(Failure) {
      let new = try seededRig()
      guard new.clock == .real, new.pipeline != nil else {
        StandardError.say(
          "\(new.file): not taken: it needs 'clock: real' and a pipeline; the run goes on as it was"
        )
        return nil
      }
      StandardError.say("\(new.file): read again")
      return new
    } catch {
      error.messages.forEach(StandardError.say)
      StandardError.say("\(old.file): not taken; the run goes on as it was")
      return nil
    }
  }

  /// Runs a rig once; whether every expectation was met.
  private func perform(_ rig: Rig, _ next: NextRig) throws -> Bool {
    let output = Output()
    let progress = Progress()
    let clock = WallClock()
    do throws(Failure) {
      let reference = against.map(RunComparison.path)
      let inputs = rig.files + (reference.map { [$0] } ?? [])
      let places = try OutputPlace.check([self.trace, junit, page], reading: inputs, making: plots)
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
      try tell(
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

  /// The rig with the seed that was asked for; of air that its sensors are not made for is told.
  private func seededRig() throws(Failure) -> Rig {
    var rig = try Rig(path: rig)
    if let seed { rig.seed = seed }
    if let length { rig.duration = length.nanoseconds }
    rig.airNotes.forEach { StandardError.say($0.line) }
    return rig
  }

  /// Runs what the rig has, firmware or a pipeline, and judges it.
  private func verdict(
    of rig: Rig, _ trace: TraceOutput?, _ next: NextRig, notice: @escaping (String) -> Void,
    _ take: @escaping (RunEvent) -> Void
  ) throws(Failure) -> Verdict {
    if let firmware = try RigFirmware(rig, trace: trace, report: take) {
      return try firmware.verdict()
    }
    let options = RigRun.Options(
      allowsPrograms: allowRun, allowsWriting: allowWrite, trace: trace,
      mustEnd: { mustEnd(rig, next) })
    return try RigRun(rig, options: options, notice: notice).run(take)
  }

  /// What tells the run as it goes on; `nil` where its findings alone are told.
  private func report(to write: @escaping (String) -> Void) -> (any RunReport)? {
    switch format {
    case .text: TextReport(style: Output.style, columns: Output.columns, to: write)
    case .json: JSONReport(to: write)
    case .jsonl: JSONLinesReport(to: write)
    case .junit, .github, .markdown: nil
    }
  }

  /// Tells the findings: in the form that was asked for, into a file, and where GitHub Actions runs.
  private func tell(_ inspection: Inspection, _ output: Output) throws(Failure) {
    switch format {
    case .text, .json, .jsonl: break
    case .junit, .github, .markdown: format.findings.map { output.write($0.text(inspection)) }
    }
    if let junit { try OutputFile.write(FindingFormat.junit.text(inspection), to: junit) }
    if format != .github { GitHub.annotate(GitHubAnnotations.lines(inspection)) }
  }
}
