import Glibc
package import Support

/// The engines that execute the shards of a campaign on other machines.
package enum CampaignEngine: String, CaseIterable, Sendable {
  case slurm, ray, kubernetes, github
}

/// A campaign for an engine: the files to write, and the commands that submit it.
package struct Submission: Sendable {
  /// What an engine needs to know.
  package struct Request: Sendable {
    package let campaign: Campaign
    /// The folder for the results.
    package let folder: String
    /// The number of shards.
    package let shards: Int
    /// The path of this program on the machines of the engine.
    package let program: String
    /// The options of a shard.
    package let options: [String]
    /// The container image; only for Kubernetes.
    package let image: String
    /// The name of the persistent volume claim for the results; only for Kubernetes.
    package let claim: String
    /// Options of sbatch, such as `--partition=long`; only for Slurm.
    package let batchOptions: [String]

    package init(
      _ campaign: Campaign, folder: String, shards: Int?, engine: CampaignEngine, program: String?,
      options: [String], image: String, claim: String, batchOptions: [String] = []
    ) throws(Failure) {
      guard batchOptions.isEmpty || engine == .slurm else {
        throw Failure(.usage, "--sbatch: only for --engine slurm")
      }
      for option in batchOptions {
        // The options are lines of a script.
        guard option.hasPrefix("-"), option == option.visible else {
          throw Failure(
            .usage,
            "--sbatch: '\(option.visible)' is not an option of sbatch, such as --partition=long")
        }
      }
      self.batchOptions = batchOptions
      self.campaign = campaign
      self.folder = FilePath.standardized(folder)
      let most = engine.mostShards
      let count = shards ?? min(campaign.shards, most)
      guard count <= min(most, campaign.runs) else {
        throw Failure(
          .usage,
          "--shards: \(engine.rawValue) takes at most \(min(most, campaign.runs)) shards of this campaign"
        )
      }
      self.shards = count
      self.program = program ?? engine.usualProgram
      (self.options, self.image, self.claim) = (options, image, claim)
    }

    /// A name from the name of the campaign that every engine accepts.
    var name: String {
      let letters = campaign.name.lowercased().map { letter in
        letter.isASCII && (letter.isLetter || letter.isNumber) ? letter : "-"
      }
      let words = String(letters).split(separator: "-").joined(separator: "-")
      return "aneroid-\(words.prefix(40))".trimmedDashes
    }

    /// Returns the command of a shard.
    ///
    /// - Parameters:
    ///   - shard: the shard as `I/N`, which may contain variables of a shell.
    ///   - file: the path of the campaign file there.
    ///   - folder: the folder of the results there.
    /// - Returns: the command for a shell.
    func command(shard: String, file: String, folder: String) -> String {
      let rest = ["--out", folder] + options + ["--", file]
      return ShellCommand.text([program, "campaign", "run", "--shard"]) + " \"\(shard)\" "
        + ShellCommand.text(rest)
    }

    /// Returns the command that merges the shards.
    func merging(in folder: String) -> String {
      ShellCommand.text([program, "campaign", "merge", folder, "--out", folder])
    }
  }

  /// The files to write: paths relative to the folder of the engine, and texts.
  package let files: [(name: String, text: String)]
  /// The commands that submit it, in order; empty if the user does that.
  package let commands: [[String]]
  /// What the user can do next.
  package let advice: [String]

  /// Creates what an engine wants.
  ///
  /// - Throws: `Failure` if a file of the campaign cannot be read.
  package init(_ request: Request, for engine: CampaignEngine) throws(Failure) {
    switch engine {
    case .slurm: self = Self.slurm(request)
    case .ray: self = try Self.ray(request)
    case .kubernetes: self = try Self.kubernetes(request)
    case .github: self = Self.github(request)
    }
  }

  init(files: [(name: String, text: String)], commands: [[String]], advice: [String]) {
    (self.files, self.commands, self.advice) = (files, commands, advice)
  }

  /// The folder of the files of an engine.
  package static func folder(of engine: CampaignEngine, in results: String) -> String {
    FilePath.joined(results, engine.rawValue)
  }

  /// Writes the files.
  ///
  /// - Throws: `Failure` if one cannot be written.
  /// - Returns: their paths.
  package func write(_ engine: CampaignEngine, in results: String) throws(Failure) -> [String] {
    let folder = Self.folder(of: engine, in: results)
    try Folder.make(folder)
    try Folder.make(ShardFile.folder(in: results))
    var paths: [String] = []
    for (name, text) in files {
      paths.append(FilePath.joined(folder, name))
      try OutputFile.write(text, to: FilePath.joined(folder, name))
    }
    return paths
  }
}

extension CampaignEngine {
  /// The most shards of one submission: the array limit of Slurm's defaults, and GitHub's limit of jobs in a matrix.
  var mostShards: Int {
    switch self {
    case .slurm: 1000
    case .github: 256
    case .kubernetes: 100_000
    case .ray: 1_000_000
    }
  }

  /// The path of this program on the machines of the engine.
  var usualProgram: String {
    switch self {
    case .slurm, .ray:
      (realpath("/proc/self/exe", nil).map { path in
        defer { free(path) }
        return String(cString: path)
      }) ?? "aneroid"
    case .kubernetes, .github: "aneroid"
    }
  }
}

extension String {
  /// The text without dashes at its ends.
  fileprivate var trimmedDashes: String {
    var text = self[...]
    while text.last == "-" { text.removeLast() }
    return String(text)
  }
}

/// A campaign that was submitted: the engine and its jobs.
package struct SubmittedCampaign: Sendable {
  package let engine: CampaignEngine
  package let folder: String
  package let shards: Int
  /// The numbers of the jobs of Slurm, or of the process of the Ray driver.
  package let jobs: [String]

  package init(engine: CampaignEngine, folder: String, shards: Int, jobs: [String]) {
    (self.engine, self.folder, self.shards, self.jobs) = (engine, folder, shards, jobs)
  }

  private static func path(in folder: String) -> String {
    FilePath.joined(folder, "submitted.json")
  }

  /// Reads what was submitted with a folder for its results.
  ///
  /// - Throws: `Failure` of kind missingInput if nothing was.
  package init(in folder: String) throws(Failure) {
    guard let text = try? TextFile.bytes(Self.path(in: folder)),
      let value = JSONValue(reading: text),
      let engine = value["engine"]?.text.flatMap(CampaignEngine.init(rawValue:)),
      let shards = value["shards"]?.whole(Int.self),
      let jobs = value["jobs"]?.array?.compactMap(\.text)
    else {
      throw Failure(
        .missingInput, "\(folder): no campaign was submitted with this folder for its results")
    }
    self.init(engine: engine, folder: folder, shards: shards, jobs: jobs)
  }

  /// Stores it in the folder of the results.
  ///
  /// - Throws: `Failure` if the file cannot be written.
  package func store() throws(Failure) {
    let value = JSONValue.members([
      ("engine", .string(engine.rawValue)), ("shards", .integer(shards)),
      ("jobs", .array(jobs.map(JSONValue.string))),
    ])
    try OutputFile.write(value.compact + "\n", to: Self.path(in: folder))
  }

  /// The number of shards whose file is complete.
  package var finished: Int {
    (Folder.names(in: ShardFile.folder(in: folder)) ?? []).count {
      $0.hasSuffix("-of-\(shards).csv")
    }
  }

  /// The command that prints the state of the jobs; `nil` if the engine has none.
  package var statusCommand: [String]? {
    engine == .slurm
      ? ["squeue", "--array", "--noheader", "--format=%T", "--jobs=\(jobs.joined(separator: ","))"]
      : nil
  }

  /// The command that ends the jobs; `nil` for a process.
  package var cancelCommand: [String]? { engine == .slurm ? ["scancel"] + jobs : nil }

  /// The process of the driver, if it still runs.
  package var driver: Int32? {
    guard engine == .ray, let process = jobs.first.flatMap(Int32.init),
      let words = try? TextFile.read("/proc/\(process)/cmdline"), words.contains("campaign.py")
    else { return nil }
    return process
  }
}
