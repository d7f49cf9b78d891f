import CProcess
import FirmwareRuns
import Glibc
import Rigs
import Runs
import Schema
package import Support

/// Executes runs of a campaign.
package final class CampaignRunner {
  private let campaign: Campaign
  private let allowsPrograms: Bool
  private let isInterrupted: () -> Bool
  /// The folder for the rigs and outputs of programs; `nil` until it is needed.
  private var scratch: ScratchFolder?

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - campaign: the campaign.
  ///   - allowsPrograms: whether rigs may run the programs that they name.
  ///   - isInterrupted: polled during a run; `true` ends it, and its row is then not valid. Default: never.
  package init(
    _ campaign: Campaign, allowsPrograms: Bool, isInterrupted: @escaping () -> Bool = { false }
  ) {
    (self.campaign, self.allowsPrograms) = (campaign, allowsPrograms)
    self.isInterrupted = isInterrupted
  }

  /// Executes a run.
  ///
  /// - Parameter run: the number of the run, from 0.
  /// - Throws: `Failure` if the machine cannot execute runs; a run that is impossible is a row with the outcome `error`.
  /// - Returns: its row.
  package func row(_ run: Int) throws(Failure) -> CampaignRow {
    let changes = campaign.changes(of: run)
    let seed = campaign.seed(of: run)
    var row = CampaignRow(
      run: run, seed: seed,
      values: zip(campaign.dimensions, campaign.values(of: run)).map { $0.cell($1) },
      measures: campaign.measured.count)
    switch campaign.subject {
    case .rig(let source):
      do throws(Failure) {
        try runRig(source, changes, &row)
      } catch {
        (row.outcome, row.message) = (.error, campaign.message(error))
      }
    case .program(let program, let source): try runProgram(program, source, changes, &row)
    case .audit(let subject): try runAudit(subject, changes, &row)
    }
    return row
  }

  /// Executes a run in a process of its own, so that a crash ends only that run.
  ///
  /// - Parameter run: the number of the run, from 0.
  /// - Throws: `Failure` if the machine cannot start processes.
  /// - Returns: its row.
  package func isolatedRow(_ run: Int) throws(Failure) -> CampaignRow {
    let words =
      ["campaign", "run", "--row", "\(run)"] + (allowsPrograms ? ["--allow-run"] : [])
      + ["--", FilePath.standardized(campaign.file)]
    let result = try ChildProgram.run(
      words, from: ".", output: try scratchFolder(), seconds: isolatedSeconds,
      isInterrupted: isInterrupted)
    let line = result.output.split(separator: "\n").last.map(String.init) ?? ""
    if result.status == 0, let row = CampaignRow(line: line, of: campaign) { return row }
    let values = zip(campaign.dimensions, campaign.values(of: run)).map { $0.cell($1) }
    var row = CampaignRow(
      run: run, seed: campaign.seed(of: run), values: values, measures: campaign.measured.count)
    (row.outcome, row.message) = (.error, result.failure ?? "no result")
    return row
  }

  /// The time limit for the process of one run, in seconds: it ends programs by itself, and a rig has no limit.
  private var isolatedSeconds: Double {
    if case .rig = campaign.subject { .infinity } else { 2 * campaign.timeoutSeconds + 60 }
  }

  private func runRig(
    _ source: RigSource, _ changes: [RigSource.Change], _ row: inout CampaignRow
  ) throws(Failure) {
    var rig = try Rig(source, changes: changes)
    guard rig.clock == .virtual else {
      throw Failure(.badRig, "a run of a campaign needs 'clock: virtual'")
    }
    rig.seed = row.seed
    rig.allowsPrograms = allowsPrograms
    var collector = MeasureCollector(campaign.measures)
    let verdict: Verdict
    if let firmware = try RigFirmware(rig, trace: nil, report: { collector.take($0) }) {
      verdict = try firmware.verdict()
    } else {
      let options = RigRun.Options(allowsPrograms: allowsPrograms, mustEnd: isInterrupted)
      verdict = try RigRun(rig, options: options).run { collector.take($0) }
    }
    row.numbers = collector.results
    guard let missed = verdict.findings.first(where: { !$0.passed }) else { return }
    row.outcome = .failed
    row.message = "not met: \(missed.expectation.title)"
  }

  private func runProgram(
    _ program: [String], _ source: RigSource, _ changes: [RigSource.Change],
    _ row: inout CampaignRow
  ) throws(Failure) {
    let folder = try scratchFolder()
    let (rig, events) = ("\(folder)/rig.yaml", "\(folder)/events.jsonl")
    do throws(Failure) {
      try OutputFile.write(
        campaign.rigText(source, changes, seed: row.seed), to: rig, isDurable: false)
    } catch {
      (row.outcome, row.message) = (.error, campaign.message(error))
      return
    }
    unlink(events)
    let result = try ChildProgram.run(
      ["exec", "--quiet", "--silent", "--clock", "virtual", "--events", events, "--rig", rig]
        + campaign.duration(of: row.run) + (allowsPrograms ? ["--allow-run"] : []) + ["--"]
        + program, from: campaign.folder, output: folder, seconds: campaign.timeoutSeconds,
      isInterrupted: isInterrupted)
    var collector = MeasureCollector(campaign.measures)
    var failure: String?
    for line in ((try? TextFile.bytes(events)) ?? []).split(separator: 0x0A) {
      guard let event = JSONValue(reading: Array(line)) else { continue }
      collector.take(event)
      guard event["event"]?.text == RunEvent.Kind.failure.rawValue else { continue }
      failure = event["messages"]?.array?.compactMap(\.text).joined(separator: "; ") ?? "failed"
    }
    for line in result.output.split(whereSeparator: \.isNewline) {
      collector.take(line: String(line))
    }
    row.numbers = collector.results
    if let failure {
      (row.outcome, row.message) = (.error, failure.replacing(folder, with: "."))
    } else if let ending = result.failure, result.isInternalError {
      (row.outcome, row.message) = (.error, ending)
    } else if let ending = result.failure {
      (row.outcome, row.message) = (.failed, ending)
    }
  }

  private func runAudit(
    _ subject: AuditSubject, _ changes: [RigSource.Change], _ row: inout CampaignRow
  ) throws(Failure) {
    var subject = subject
    for change in changes {
      do throws(KeyAddress.FormatError) {
        try subject.set(change.address.text, to: change.value)
      } catch {
        (row.outcome, row.message) = (.error, error.message)
        return
      }
    }
    var words = subject.arguments(seed: row.seed)
    words.insert(contentsOf: ["--format", "json", "--jobs", "1"], at: 1)
    let result = try ChildProgram.run(
      words, from: campaign.folder, output: try scratchFolder(), seconds: campaign.timeoutSeconds,
      isInterrupted: isInterrupted)
    guard let report = JSONValue(reading: Array(result.output.utf8)),
      let scenarios = report["scenarios"]?.array
    else {
      (row.outcome, row.message) = (.error, result.failure ?? "the audit printed no result")
      return
    }
    let count = AuditCount(scenarios)
    row.numbers = count.numbers
    guard result.status != 0 else { return }
    row.outcome = .failed
    row.message = count.message ?? result.failure ?? "a quantity was not found"
  }

  private func scratchFolder() throws(Failure) -> String {
    if let scratch { return scratch.path }
    let folder = try ScratchFolder()
    scratch = folder
    return folder.path
  }
}

extension Campaign {
  /// The time limit for a program or an audit of one run, in seconds of real time.
  fileprivate var timeoutSeconds: Double { Double(timeout) / 1e9 }

  /// Returns a failure as the message of a row, without the path by which the campaign was named.
  fileprivate func message(_ failure: Failure) -> String {
    let head = file.contains("/") ? "\(folder)/" : ""
    return head.isEmpty ? failure.description : failure.description.replacing(head, with: "")
  }

  /// The folder of the campaign file, in which programs and audits run.
  var folder: String {
    let folder = FilePath.folder(of: file)
    return folder.isEmpty ? "." : folder
  }

  /// Returns the rig of a run as YAML.
  ///
  /// - Throws: `Failure` if the rig has no place for a key of the run.
  fileprivate func rigText(
    _ source: RigSource, _ changes: [RigSource.Change], seed: UInt64
  ) throws(Failure) -> String {
    var document = try source.document(changes)
    do throws(KeyAddress.FormatError) {
      try document.set(KeyAddress("seed"), to: DocumentValue(text: "\(seed)"))
      document.resolvePaths(relativeTo: source.file)
    } catch {
      throw Failure(.badRig, error.message)
    }
    return document.yaml
  }

  /// Returns the rig of a run as YAML, with a comment that names the run; referenced files have absolute paths.
  ///
  /// - Parameter run: the number of the run, from 0.
  /// - Throws: `Failure` of kind usage for an audit, which has no rig.
  /// - Returns: the rig.
  package func rigText(of run: Int) throws(Failure) -> String {
    switch subject {
    case .rig(let source), .program(_, let source):
      return "# Run \(run) of the campaign \(name), with \(source.file).\n"
        + (try rigText(source, changes(of: run), seed: seed(of: run)))
    case .audit:
      throw Failure(
        .usage, "\(file): a run of this campaign is an audit: \(command(of: run))")
    }
  }

  /// Returns the command that repeats a run.
  package func command(of run: Int) -> String {
    let changes = changes(of: run)
    switch subject {
    case .rig(let source):
      return ShellCommand.text(
        ["aneroid", "run", source.file, "--seed", "\(seed(of: run))"]
          + changes.flatMap { ["--set", $0.text] })
    case .program(let program, _):
      let rig = "run-\(run).yaml"
      let show = ["aneroid", "campaign", "show", file, "--run", "\(run)"]
      return ShellCommand.text(show) + " > \(rig) && "
        + ShellCommand.text(
          ["aneroid", "exec", "--clock", "virtual"] + duration(of: run) + ["--rig", rig, "--"]
            + program)
    case .audit(var subject):
      for change in changes { try? subject.set(change.address.text, to: change.value) }
      return ShellCommand.text(["aneroid"] + subject.arguments(seed: seed(of: run)))
    }
  }

  /// The option that ends a program at the end of the rig's duration, if it has one.
  fileprivate func duration(of run: Int) -> [String] {
    guard case .program(_, let source) = subject,
      let rig = try? Rig(source, changes: changes(of: run)), let duration = rig.duration
    else { return [] }
    return ["--for", "\(duration / 1_000_000)ms"]
  }
}

/// The numbers of verdicts of an audit.
struct AuditCount {
  /// The names of the columns.
  static let names = ["right", "reported", "wrong", "failed", "small", "not run"]

  private(set) var numbers: [Double?]
  /// The first finding, with its likely defect.
  private(set) var message: String?

  /// Counts the verdicts of the scenarios in the JSON of an audit.
  init(_ scenarios: [JSONValue]) {
    numbers = Self.names.map { name in
      Double(scenarios.count { $0["verdict"]?.text == name })
    }
    let findings = scenarios.filter { ["wrong", "failed", "small"].contains($0["verdict"]?.text) }
    guard let first = findings.first, let verdict = first["verdict"]?.text else { return }
    let likely = first["likely"]?.array?.first
    let defect = likely.map { $0["class"]?.text ?? $0.text ?? $0.compact }
    message = defect.map { "\(verdict): likely \($0)" } ?? verdict
  }
}

/// A child process whose output is collected.
package struct ChildProgram {
  package let output: String
  /// The exit status; 128 + n for signal n.
  package let status: Int32
  /// The reason why it did not succeed; `nil` for status 0.
  package let failure: String?

  /// `true` if this program itself has failed.
  var isInternalError: Bool { status == 70 && failure?.contains("aneroid: internal error") == true }

  /// The largest output, in bytes; a program that prints more is killed.
  private static let longestOutput = 4 << 20

  /// Runs this program with other arguments, and waits for its end.
  ///
  /// - Parameters:
  ///   - arguments: the arguments.
  ///   - place: the folder in which it runs.
  ///   - folder: an existing folder for its output.
  ///   - seconds: the time limit, after which its process group is killed.
  ///   - isInterrupted: polled; `true` also kills it.
  /// - Throws: `Failure` of kind unavailable if it cannot be started.
  /// - Returns: its output and how it ended.
  package static func run(
    _ arguments: [String], from place: String, output folder: String, seconds: Double,
    isInterrupted: () -> Bool
  ) throws(Failure) -> ChildProgram {
    let (output, errors) = ("\(folder)/output", "\(folder)/errors")
    let process = try start(arguments, from: place, output: output, errors: errors)
    let (status, isLate) = ending(of: process, within: seconds) {
      isInterrupted() || isTooLong(output)
    }
    let text = String(decoding: beginning(of: output), as: UTF8.self)
    guard !isTooLong(output) else {
      return ChildProgram(
        output: text, status: status,
        failure: "it printed more than \(longestOutput >> 20) MiB, of which the first were read")
    }
    guard status != 0 else { return ChildProgram(output: text, status: 0, failure: nil) }
    let last =
      String(decoding: beginning(of: errors), as: UTF8.self)
      .split(whereSeparator: \.isNewline).last.map { ": \($0)" } ?? ""
    let reason =
      isLate
      ? "no end within \(Decimal.shortest(seconds)) s"
      : status > 128 ? "ended by signal \(status - 128)" : "exit status \(status)"
    return ChildProgram(
      output: text, status: status, failure: String((reason + last).prefix(300)))
  }

  /// Returns the first bytes of a file.
  private static func beginning(of path: String) -> [UInt8] {
    guard let file = try? InputFile(path) else { return [] }
    var bytes: [UInt8] = []
    while bytes.count < longestOutput, let chunk = try? file.chunk() { bytes += chunk }
    return Array(bytes.prefix(longestOutput))
  }

  private static func isTooLong(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > longestOutput
  }

  private static func start(
    _ arguments: [String], from place: String, output: String, errors: String
  ) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    _ = process_add_folder(&actions, place)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (descriptor, path) in [(Int32(1), output), (2, errors)] {
      posix_spawn_file_actions_addopen(
        &actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let strings = (["/proc/self/exe"] + arguments).map { strdup($0) }
    defer { strings.forEach { free($0) } }
    var process: pid_t = 0
    // If this process is killed, the child ends too.
    setenv(ProgramEnvironment.endsWithParent, "1", 1)
    defer { unsetenv(ProgramEnvironment.endsWithParent) }
    let error = posix_spawn(
      &process, "/proc/self/exe", &actions, &attributes, strings + [nil], environ)
    guard error == 0 else {
      throw Failure(.unavailable, "cannot start a program: \(String(cString: strerror(error)))")
    }
    return process
  }

  /// Waits for a process, and kills its group after a time.
  private static func ending(
    of process: pid_t, within seconds: Double, isInterrupted: () -> Bool
  ) -> (status: Int32, isLate: Bool) {
    var status: Int32 = 0
    var (waited, nap): (Double, useconds_t) = (0, 200)
    var isLate = false
    while true {
      let found = waitpid(process, &status, WNOHANG)
      if found == process || found < 0 && errno != EINTR { break }
      usleep(nap)
      waited += Double(nap) / 1e6
      nap = min(nap * 2, 5000)
      if waited > seconds || isInterrupted(), !isLate {
        isLate = true
        kill(-process, SIGKILL)
      }
    }
    return (status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, isLate)
  }
}
