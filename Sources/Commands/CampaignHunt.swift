import ArgumentParser
import Audit
import FirmwareRuns
import Glibc
import Images
import Interposer
import Rigs
import Support

extension CampaignCommand {
  /// `aneroid campaign hunt`: searches the smallest disturbance that breaks a program.
  struct HuntCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "hunt",
      abstract:
        "Search the smallest disturbance that makes a program or firmware print wrong values or fail.",
      discussion: """
        EXAMPLES
          aneroid campaign hunt -- python3 station.py
          aneroid campaign hunt --trials 2000 --seed 7 --out found -- ./reader
          aneroid campaign hunt --part sht4x -- python3 reader.py
          aneroid campaign hunt --firmware build/sensor.elf

        The program is as for 'aneroid audit'. Each trial is a bench: the calibration of a real part, air \
        that changes, the part's timing, and up to three disturbances of single transfers or of the \
        supply, among them replies with wrong bits. Benches on which the program makes a transfer, prints a \
        message or, for firmware, executes an instruction that is new are kept and changed further. Values \
        that a corrupted reply explains are not held against the program; what it does afterwards is. \
        A finding is made as small as possible and printed as a rig, for 'aneroid exec --rig'. The same \
        seed gives the same trials, unless the time limit ends them.

        Exit status: 0 if nothing was found; 1 for a finding; otherwise as 'aneroid audit'.
        """)

    @Option(help: .value("number", "Number of trials."))
    var trials = 500

    @Option(
      name: .customLong("for"), help: .value("time", "Limit for the real time."))
    var limit = Interval(nanoseconds: 600_000_000_000)

    @Option(help: .value("number", "Number of findings with different causes after which it ends."))
    var findings = 1

    @Option(help: .value("number", "Seed of the trials."))
    var seed: UInt64 = 0

    @Option(
      help: .value("folder", "Write the rigs of findings to this folder."), completion: .directory)
    var out: String?

    @Option(
      help: .value("model", "Benches with another part: the name of a model or a part file."),
      completion: Completions.parts)
    var part: String?

    @Option(
      help: .value("regex", "As 'audit --match': a regular expression for values; may be repeated.")
    )
    var match: [String] = []

    @Option(
      help: .value("quantity", "As 'audit --ignore': a quantity that the program does not print."))
    var ignore: [String] = []

    @Option(help: "As 'audit --board'.")
    var board: Board?

    @Option(
      help: .value(
        "number", "Number of benches at once. Default: the number of CPU cores."))
    var jobs: Int?

    @Option(
      help: .value("image", "Hunt in a firmware image on a virtual microcontroller."),
      completion: .file(extensions: ["elf", "hex", "bin"]))
    var firmware: String?

    @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.")
    var program: [String] = []

    func validate() throws {
      guard (firmware == nil) == !program.isEmpty else {
        throw ValidationError(
          "one of a program after -- and --firmware is needed; usage: aneroid campaign hunt [options] -- PROGRAM ARGUMENTS..."
        )
      }
      guard (1...1_000_000).contains(trials), (1...100).contains(findings),
        (1...1024).contains(jobs ?? 1)
      else {
        throw ValidationError(
          "--trials must be from 1 to 1000000, --findings from 1 to 100, --jobs from 1 to 1024")
      }
    }

    func run() throws {
      let result: Hunt.Result
      do throws(Failure) {
        var words = (part.map { ["--part", $0] } ?? []) + match.flatMap { ["--match", $0] }
        words +=
          ignore.flatMap { ["--ignore", $0] } + (board.map { ["--board", $0.rawValue] } ?? [])
        words += jobs.map { ["--jobs", "\($0)"] } ?? []
        words += firmware.map { ["--firmware", $0] } ?? ["--"] + program
        var settings = try AuditCommand.settings(words)
        settings.recordsBlocks = firmware != nil
        try prepare()
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        result = try hunt(settings, in: scratch)
      } catch {
        throw StandardError.exit(error)
      }
      try report(result)
      guard result.found.isEmpty else { throw ExitCode(1) }
    }

    /// Creates the folder of the found rigs before the hunt, so that no finding is lost.
    private func prepare() throws(Failure) {
      guard let out else { return }
      try Folder.make(out)
      guard access(out, W_OK | X_OK) == 0 else {
        throw Failure(.inputOutput, "\(out): \(String(cString: strerror(errno)))")
      }
    }

    private func hunt(
      _ settings: AuditSettings, in scratch: ScratchFolder
    ) throws(Failure) -> Hunt.Result {
      EndSignals.notice()
      var budget = Hunt.Budget()
      (budget.trials, budget.nanoseconds) = (trials, limit.nanoseconds)
      budget.findings = findings
      let audit = AuditRun(settings, in: scratch.path, isInterrupted: { EndSignals.hasCome })
      let line = StatusLine()
      let total = trials
      let hunt = Hunt(audit, seed: seed, budget: budget) { progress in
        line.show(
          "\(progress.trials) of \(total) trials, \(progress.features) different actions, \(progress.found) found"
        )
      }
      defer { line.clear() }
      do throws(AuditError) {
        return try hunt.run()
      } catch {
        line.clear()
        scratch.remove()
        switch error {
        case .interrupted: EndSignals.terminate()
        case .bench(let failure): throw failure
        case .program(let status, let messages):
          messages.forEach(StandardError.say)
          Glibc.exit(status)
        case .output(let error): throw Failure(.usage, error.message)
        }
      }
    }

    private func report(_ result: Hunt.Result) throws {
      let output = Output()
      for (finding, after) in zip(result.found, result.after) {
        let judgement = finding.judgement
        let values = judgement.differences.prefix(3).map(\.sentence).joined(separator: "; ")
        let detail = values.isEmpty ? judgement.reason : "\(values) (\(judgement.reason))"
        output.write("\(judgement.verdict.rawValue)  \(detail)\n")
        for (id, title) in judgement.likely.prefix(2) { output.write("  likely \(id) \(title)\n") }
        if finding.rig.isEmpty {
          output.write("  on the calm bench already: 'aneroid audit' says more\n")
          continue
        }
        output.write("  found in trial \(after); the smallest bench:\n\n\(finding.rig)\n")
        guard let out else { continue }
        output.flush()
        do throws(Failure) {
          try Folder.make(out)
          let path = FilePath.joined(out, "\(judgement.scenario.name).yaml")
          try OutputFile.write(finding.rig, to: path)
          StandardError.say("\(path) written")
        } catch {
          throw StandardError.exit(error)
        }
      }
      if result.found.isEmpty {
        output.write(
          "nothing found in \("trial".counted(result.trials)), of which \(result.kept) made the program do something new\n"
        )
        if !result.missing.isEmpty {
          output.write(
            "not judged, because not found in the output: \(result.missing.joined(separator: ", "))\n"
          )
        }
      }
      output.flush()
    }
  }
}

/// A line on standard error that shows progress, if that is a terminal.
final class StatusLine {
  private let isShown = isatty(STDERR_FILENO) == 1
  private var isOnLine = false

  /// Replaces the text of the line.
  func show(_ text: String) {
    guard isShown else { return }
    isOnLine = true
    StandardError.write("\r\u{1B}[Kaneroid: \(text)")
  }

  /// Erases the line.
  func clear() {
    if isOnLine { StandardError.write("\r\u{1B}[K") }
    isOnLine = false
  }
}
