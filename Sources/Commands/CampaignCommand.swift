import ArgumentParser
import Bench
import Campaigns
import Glibc
import Schema
import Support

/// `aneroid campaign`: many runs with different values.
struct CampaignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "campaign",
    abstract:
      "Execute many runs of a rig, a program or an audit, each with other values, and summarise them.",
    discussion: """
      EXAMPLES
        aneroid campaign run rigs/leak-campaign.yaml
        aneroid campaign run leaks.yaml --jobs 2 --out results
        aneroid campaign run leaks.yaml --shard 3/100 --out results
        aneroid campaign merge results --out results
        aneroid campaign show leaks.yaml --run 4711 > run-4711.yaml
        aneroid campaign hunt -- python3 station.py

      A campaign file names a rig or an audit, the keys that differ between runs, and the numbers to \
      measure ('aneroid campaign reference' lists its keys). A run depends only on the file and its \
      number, so its result is the same on every machine, in any shard.
      """,
    subcommands: [
      Run.self, Merge.self, Show.self, Check.self, HuntCommand.self, Submit.self, Status.self,
      Fetch.self,
      Cancel.self, Reference.self, SchemaCommand.self,
    ])

  /// A shard on the command line: `3/100`.
  struct Shard: ExpressibleByArgument {
    let index: Int
    let count: Int

    init(index: Int, count: Int) { (self.index, self.count) = (index, count) }

    init?(argument: String) {
      let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]),
        (1...1_000_000).contains(count), (1...count).contains(index)
      else { return nil }
      self.init(index: index, count: count)
    }
  }

  /// The output format of a summary.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  /// `aneroid campaign run`: executes all runs, or those of a shard.
  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run", abstract: "Execute all runs of a campaign, or one shard of them.",
      discussion: """
        The folder of --out receives the finished shards (shards/), all rows (runs.csv), a summary \
        (summary.json) and a page (index.html). The same command continues an interrupted campaign: \
        finished shards are kept, also after a kill or a power failure.

        Exit status: 0 if every run passed; 1 if one did not; 130 after Ctrl-C. With --shard: 0 if the \
        shard was written, whatever its runs resulted in.
        """)

    @Argument(help: "The campaign file.", completion: .file(extensions: ["yaml"]))
    var file: String

    @Option(
      help: .value(
        "number", "Number of shards executed at once. Default: the number of CPU cores."))
    var jobs: Int?

    @Option(
      help: .value(
        "folder", "The folder for the results. Default: none, only the summary is printed."),
      completion: .directory)
    var out: String?

    @Option(help: .value("i/n", "Execute only shard I of N, and write only its file; needs --out."))
    var shard: Shard?

    @Flag(help: "Also write the rows as an SQLite database (runs.sqlite).")
    var sqlite = false

    @Option(help: "Format of the printed summary: text or json.")
    var format = Format.text

    @OptionGroup var permission: ProgramPermission

    @Option(
      help: ArgumentHelp(
        "Execute shards of this number of shards, as the command requests that started this one.",
        visibility: .hidden))
    var shardsOf: Int?

    @Option(help: ArgumentHelp("The digest that the campaign must have.", visibility: .hidden))
    var digest: String?

    @Option(help: ArgumentHelp("Print the row of this run.", visibility: .hidden))
    var row: Int?

    func validate() throws {
      guard (1...1024).contains(jobs ?? 1) else {
        throw ValidationError("--jobs must be from 1 to 1024")
      }
      guard shard == nil || out != nil else { throw ValidationError("--shard needs --out") }
      guard !sqlite || out != nil else { throw ValidationError("--sqlite needs --out") }
      guard shard == nil || !sqlite else {
        throw ValidationError("--sqlite is an option of the merge, not of a shard")
      }
    }

    func run() throws {
      do throws(Failure) {
        let campaign = try Campaign(path: file)
        if let digest, digest != campaign.digest {
          Glibc.exit(CampaignScheduler.changedStatus)
        }
        if let row {
          let runner = CampaignRunner(campaign, allowsPrograms: permission.allowRun)
          print(try runner.row(min(max(row, 0), campaign.runs - 1)).line)
        } else if let shard, let out {
          EndSignals.notice()
          try execute(shard, of: campaign, in: out) { runner, run throws(Failure) in
            try runner.row(run)
          }
        } else if let shardsOf, let out {
          try work(campaign, shards: shardsOf, in: out)
        } else {
          try execute(campaign)
        }
      } catch {
        throw StandardError.exit(error)
      }
    }

    /// Executes the shards that the scheduler requests.
    private func work(_ campaign: Campaign, shards: Int, in out: String) throws(Failure) {
      EndSignals.notice()
      let stamps = campaign.stamps
      try CampaignJob.work { shard, isIsolated throws(Failure) in
        if campaign.stamps != stamps, (try? Campaign(path: file))?.digest != campaign.digest {
          Glibc.exit(CampaignScheduler.changedStatus)
        }
        try execute(Shard(index: shard, count: shards), of: campaign, in: out) {
          runner, run throws(Failure) in
          let row = try isIsolated ? runner.isolatedRow(run) : runner.row(run)
          return EndSignals.hasCome || CampaignJob.report(row) ? row : nil
        }
      }
    }

    /// Executes a shard, and writes its file; a run without a row ends it.
    private func execute(
      _ shard: Shard, of campaign: Campaign, in out: String,
      row: (CampaignRunner, Int) throws(Failure) -> CampaignRow?
    ) throws(Failure) {
      guard shard.count <= campaign.runs else {
        throw Failure(
          .usage, "--shard: the campaign has only \("run".counted(campaign.runs))")
      }
      try Folder.make(ShardFile.folder(in: out))
      let path = ShardFile.path(shard.index, of: shard.count, in: out)
      let runs = campaign.runs(ofShard: shard.index, of: shard.count)
      if let older = ShardFile(header: path), older.header.digest != campaign.digest {
        throw Failure(.usage, "\(path): a shard of another campaign, or of another version of it")
      }
      let runner = CampaignRunner(
        campaign, allowsPrograms: permission.allowRun, isInterrupted: { EndSignals.hasCome })
      let isWhole = try ShardFile.write(campaign, runs: runs, to: path) {
        run throws(Failure) -> CampaignRow? in
        let row = try row(runner, run)
        return EndSignals.hasCome ? nil : row
      }
      if !isWhole { Glibc.exit(130) }
    }

    /// Locks the folder of the results, and creates it if necessary, so that only one command works in it.
    private static func lock(_ folder: String) throws(Failure) {
      try Folder.make(folder)
      let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
      else {
        throw Failure(.unavailable, "\(folder): another campaign is working in this folder")
      }
    }

    private func execute(_ campaign: Campaign) throws(Failure) {
      let scratch = out == nil ? try ScratchFolder() : nil
      let folder = out ?? scratch?.path ?? ""
      // The kernel releases the lock when this command ends.
      if let out { try Self.lock(out) }
      let scheduler = try CampaignScheduler(
        campaign, in: folder, jobs: jobs ?? ProgramEnvironment.processors,
        options: permission.allowRun ? ["--allow-run"] : [])
      if scheduler.finishedBefore > 0 {
        StandardError.say(
          "\(scheduler.finishedBefore) of \("run".counted(campaign.runs)) were finished earlier, in \(folder)"
        )
      }
      EndSignals.notice()
      let line = StatusLine()
      let show = { (progress: CampaignScheduler.Progress) in
        let left = progress.secondsLeft.map { ", \(Decimal.elapsed(UInt64($0 * 1e9))) left" }
        line.show(
          "\(progress.done) of \(progress.total) runs, \(progress.failed) did not pass\(left ?? "")"
        )
      }
      let isWhole: Bool
      do throws(Failure) {
        isWhole = try scheduler.run(isInterrupted: { EndSignals.hasCome }, report: show)
        line.clear()
      } catch {
        line.clear()
        throw error
      }
      guard isWhole else {
        scratch?.remove()
        StandardError.say(
          out.map {
            "interrupted; the finished shards are in \($0), and the same command continues"
          }
            ?? "interrupted; with --out FOLDER the same command would continue")
        Glibc.exit(130)
      }
      let merge = try CampaignMerge([folder], digest: campaign.digest)
      let summary = try merge.write(to: out, database: sqlite)
      Summary.print(summary, format, out)
      scratch?.remove()
      if summary.outcomes.passed < summary.outcomes.count { Glibc.exit(1) }
    }
  }

  /// `aneroid campaign merge`: joins shards.
  struct Merge: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "merge", abstract: "Join the shards of a campaign to its results.",
      discussion: """
        The order of the folders does not matter. Each run must be in a shard; missing, foreign and \
        damaged shards are errors, and a shard whose runs are also in another one is reported and not used.

        Exit status: 0 if every run passed; 1 if one did not; 65 for missing, foreign or damaged shards.
        """)

    @Argument(help: "The folders with the shards.", completion: .directory)
    var folders: [String]

    @Option(help: .value("folder", "The folder for the results."), completion: .directory)
    var out: String

    @Flag(help: "Accept missing shards.")
    var partial = false

    @Flag(help: "Also write the rows as an SQLite database (runs.sqlite).")
    var sqlite = false

    @Option(help: "Format of the printed summary: text or json.")
    var format = Format.text

    func run() throws {
      let summary: CampaignSummary
      do throws(Failure) {
        let merge = try CampaignMerge(folders, isPartial: partial)
        merge.notes.forEach(StandardError.say)
        summary = try merge.write(to: out, database: sqlite)
      } catch {
        throw StandardError.exit(error)
      }
      Summary.print(summary, format, out)
      guard summary.outcomes.passed == summary.outcomes.count else { throw ExitCode(1) }
    }
  }

  /// `aneroid campaign show`: prints the runs of a campaign.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print the first runs of a campaign as commands, or the rig of a run.")

    @Argument(help: "The campaign file.", completion: .file(extensions: ["yaml"]))
    var file: String

    @Option(
      name: .customLong("run"), help: .value("number", "Print the rig of this run, from 0."))
    var number: Int?

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let campaign = try Campaign(path: file)
        if let number {
          guard (0..<campaign.runs).contains(number) else {
            throw Failure(
              .usage, "--run: the runs of \(file) are 0 to \(campaign.runs - 1)")
          }
          output.write(try campaign.rigText(of: number))
          return true
        }
        output.write(
          "\(campaign.name): \("run".counted(campaign.runs)), \("shard".counted(campaign.shards))\n"
        )
        for run in 0..<min(campaign.runs, 10) {
          output.write("\(run)  \(campaign.command(of: run))\n")
        }
        if campaign.runs > 10 { output.write("... and \(campaign.runs - 10) more\n") }
        return true
      }
    }
  }

  /// `aneroid campaign check`: reports all errors of campaign files.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Report all errors in campaign files.",
      discussion: """
        Errors are printed as file:line:column: error: message. Exit status: 0 if there are none; 78 \
        for an error in a file; 66 for a missing file.
        """)

    @Argument(help: "The campaign files.", completion: .file(extensions: ["yaml"]))
    var files: [String]

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        var failures: [Failure] = []
        for file in files {
          do throws(Failure) {
            let campaign = try Campaign(path: file)
            output.write("\(file): ok, \("run".counted(campaign.runs))\n")
          } catch {
            failures.append(error)
          }
        }
        guard let first = failures.first else { return true }
        throw Failure(first.kind, failures.flatMap(\.findings))
      }
    }
  }

  /// `aneroid campaign reference`: prints the keys of campaign files.
  struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reference", abstract: "Print all keys of campaign files, as Markdown.")

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        output.write(Campaign.reference)
        return true
      }
    }
  }

  /// `aneroid campaign schema`: prints the JSON Schema of campaign files.
  struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "schema", abstract: "Print the JSON Schema of campaign files, for editors.")

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        output.write(Campaign.schema)
        return true
      }
    }
  }
}

/// The printed summary of a campaign.
private enum Summary {
  /// Prints a summary.
  static func print(
    _ summary: CampaignSummary, _ format: CampaignCommand.Format, _ folder: String?
  ) {
    let output = Output()
    output.write(format == .json ? summary.jsonText : summary.text)
    output.flush()
    if let folder {
      StandardError.say("\(folder): runs.csv, summary.json and index.html written")
    }
  }
}
