import ArgumentParser
import Campaigns
import Glibc
import Support

extension CampaignEngine: ExpressibleByArgument {}

extension CampaignCommand {
  /// `aneroid campaign submit`: hands the shards of a campaign to an engine.
  struct Submit: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "submit",
      abstract: "Hand the shards of a campaign to Slurm, Ray, Kubernetes or GitHub Actions.",
      discussion: """
        EXAMPLES
          aneroid campaign submit --engine slurm leaks.yaml --out /shared/leaks
          aneroid campaign submit --engine slurm leaks.yaml --out /shared/leaks --sbatch --partition=long
          aneroid campaign submit --engine ray leaks.yaml --out leaks
          aneroid campaign submit --engine kubernetes leaks.yaml --out leaks --image example.org/aneroid:1
          aneroid campaign submit --engine github leaks.yaml --out leaks --shards 20

        What the engine gets is written to the folder of --out. Slurm and Ray are started; for Kubernetes \
        and GitHub the command to type is printed. For Slurm, the folder of --out and the working \
        directory must be on a file system that all nodes share.
        """)

    @Argument(help: "The campaign file.", completion: .file(extensions: ["yaml"]))
    var file: String

    @Option(help: "The engine: slurm, ray, kubernetes or github.")
    var engine: CampaignEngine

    @Option(help: .value("folder", "The folder for the results."), completion: .directory)
    var out: String

    @Option(
      help: .value(
        "number",
        "Number of shards. Default: as 'campaign run', at most 1000 for Slurm, 256 for GitHub."))
    var shards: Int?

    @Option(
      help: .value(
        "path",
        "This program on the machines of the engine. Default: this file, or 'aneroid' in containers."
      ))
    var program: String?

    @Option(help: .value("name", "Only for Kubernetes: the container image with aneroid."))
    var image = "aneroid:\(Version.text)"

    @Option(
      help: .value("name", "Only for Kubernetes: the persistent volume claim for the results."))
    var claim = "aneroid-results"

    @Option(
      parsing: .unconditionalSingleValue,
      help: .value(
        "option", "Only for Slurm: an option of sbatch, such as --partition=long; may be repeated.")
    )
    var sbatch: [String] = []

    @Flag(help: "Write the files, but submit nothing.")
    var writeOnly = false

    @OptionGroup var permission: ProgramPermission

    func validate() throws {
      guard (1...1_000_000).contains(shards ?? 1) else {
        throw ValidationError("--shards must be from 1 to 1000000")
      }
    }

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let request = try Submission.Request(
          Campaign(path: file), folder: out, shards: shards, engine: engine, program: program,
          options: permission.allowRun ? ["--allow-run"] : [], image: image, claim: claim,
          batchOptions: sbatch)
        let submission = try Submission(request, for: engine)
        let paths = try submission.write(engine, in: request.folder)
        paths.forEach { output.write("\($0)\n") }
        guard !writeOnly, !submission.commands.isEmpty else {
          let commands = submission.commands.map(ShellCommand.text)
          for line in commands + (writeOnly ? [] : submission.advice) {
            output.write("# \(line)\n")
          }
          return true
        }
        let jobs = try start(submission, in: request.folder, shards: request.shards)
        try SubmittedCampaign(
          engine: engine, folder: request.folder, shards: request.shards, jobs: jobs
        ).store()
        output.write(
          "submitted as \(engine == .ray ? "process" : "job") \(jobs.joined(separator: ", "))\n")
        for line in submission.advice { output.write("# \(line)\n") }
        return true
      }
    }

    /// Executes the commands of a submission; returns the numbers of its jobs.
    private func start(
      _ submission: Submission, in folder: String, shards: Int
    ) throws(Failure) -> [String] {
      guard engine != .ray else {
        let log = FilePath.joined(folder, "ray/log")
        return ["\(try EngineProgram.startDetached(submission.commands[0], log: log))"]
      }
      var jobs: [String] = []
      for command in submission.commands {
        let words = command.map { word in
          jobs.first.map { word.replacing("{0}", with: $0) } ?? word
        }
        let result = try EngineProgram.run(words)
        // sbatch --parsable prints the number of the job, and the cluster after a semicolon.
        guard result.status == 0,
          let job = result.output.split(whereSeparator: { ";\n".contains($0) }).first
        else {
          // What was submitted before can be queried and cancelled.
          if !jobs.isEmpty {
            try SubmittedCampaign(
              engine: engine, folder: folder, shards: shards, jobs: jobs
            ).store()
          }
          let reason = result.output.trimmed.clipped
          throw Failure(
            .unavailable,
            "\(words[0]): \(reason.isEmpty ? "exit status \(result.status)" : reason)",
            "what was written for \(engine.rawValue) is in \(folder)"
              + (jobs.isEmpty
                ? ""
                : "; job \(jobs[0]) is submitted, and 'aneroid campaign cancel \(folder)' ends it"))
        }
        jobs.append(String(job))
      }
      return jobs
    }
  }

  /// `aneroid campaign status`: prints the progress of a submitted campaign.
  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Print the progress of a submitted campaign.",
      discussion: "Exit status: 0 if all shards are finished; 1 if some are not.")

    @Argument(help: "The folder of the results.", completion: .directory)
    var folder: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let submitted = try SubmittedCampaign(in: folder)
        let finished = submitted.finished
        output.write("\(finished) of \("shard".counted(submitted.shards)) finished\n")
        if let command = submitted.statusCommand {
          // squeue fails for jobs that ended a while ago.
          let states = try EngineProgram.run(command).output.split(separator: "\n")
          let known = Dictionary(grouping: states) { $0 }.filter { $0.key.allSatisfy(\.isLetter) }
          for (state, jobs) in known.inOrder(by: { $0.key < $1.key }) {
            output.write("\(state.lowercased()): \(jobs.count)\n")
          }
        } else if submitted.engine == .ray {
          output.write(
            submitted.driver == nil ? "the driver has ended\n" : "the driver is running\n")
        }
        return finished == submitted.shards
      }
    }
  }

  /// `aneroid campaign fetch`: merges what has been finished.
  struct Fetch: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "fetch",
      abstract: "Merge the finished shards of a submitted campaign, also while others are running.",
      discussion: "Exit status: as 'campaign merge'; missing shards are reported.")

    @Argument(help: "The folder of the results.", completion: .directory)
    var folder: String

    func run() throws {
      let submitted: SubmittedCampaign
      do throws(Failure) {
        submitted = try SubmittedCampaign(in: folder)
      } catch {
        throw StandardError.exit(error)
      }
      let rest = submitted.finished < submitted.shards ? ["--partial"] : []
      try Merge.parse([submitted.folder, "--out", submitted.folder] + rest).run()
    }
  }

  /// `aneroid campaign cancel`: ends a submitted campaign.
  struct Cancel: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cancel",
      abstract: "End the jobs of a submitted campaign; finished shards are kept.")

    @Argument(help: "The folder of the results.", completion: .directory)
    var folder: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let submitted = try SubmittedCampaign(in: folder)
        if let command = submitted.cancelCommand {
          let result = try EngineProgram.run(command)
          guard result.status == 0 else {
            throw Failure(.unavailable, "\(command[0]): \(result.output.trimmed.clipped)")
          }
        } else if let driver = submitted.driver {
          kill(-driver, SIGTERM)
        }
        output.write("\(submitted.finished) of \("shard".counted(submitted.shards)) finished\n")
        return true
      }
    }
  }
}

/// A program of an engine, such as sbatch.
private enum EngineProgram {
  /// Runs a program, and returns its output and errors.
  ///
  /// - Throws: `Failure` of kind unavailable if it is missing.
  static func run(_ words: [String]) throws(Failure) -> (status: Int32, output: String) {
    var pipe: [Int32] = [0, 0]
    guard Glibc.pipe(&pipe) == 0 else {
      throw Failure(.unavailable, "cannot create a pipe: \(String(cString: strerror(errno)))")
    }
    let process: pid_t
    do throws(Failure) {
      process = try start(words, to: pipe[1], inOwnSession: false)
    } catch {
      pipe.forEach { close($0) }
      throw error
    }
    close(pipe[1])
    defer { close(pipe[0]) }
    var (bytes, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
    while case let count = read(pipe[0], &buffer, buffer.count),
      count > 0 || count < 0 && errno == EINTR
    {
      if count > 0, bytes.count < 1 << 24 { bytes += buffer[..<count] }
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (
      status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F,
      String(decoding: bytes, as: UTF8.self)
    )
  }

  /// Starts a program in a session of its own, with its output in a file; returns its process ID.
  ///
  /// - Throws: `Failure` of kind unavailable if it is missing.
  static func startDetached(_ words: [String], log: String) throws(Failure) -> pid_t {
    let file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw Failure(.inputOutput, "\(log): \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    return try start(words, to: file, inOwnSession: true)
  }

  private static func start(
    _ words: [String], to output: Int32, inOwnSession: Bool
  ) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // POSIX_SPAWN_SETSID of spawn.h.
    if inOwnSession { posix_spawnattr_setflags(&attributes, 0x80) }
    let strings = words.map { strdup($0) }
    defer { strings.forEach { free($0) } }
    var process: pid_t = 0
    let error = posix_spawnp(&process, words[0], &actions, &attributes, strings + [nil], environ)
    guard error == 0 else {
      throw Failure(
        .unavailable, "\(words[0]) cannot be started: \(String(cString: strerror(error)))")
    }
    return process
  }
}
