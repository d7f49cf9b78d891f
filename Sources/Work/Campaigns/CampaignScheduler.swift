import Glibc
package import Support

/// Executes the shards of a campaign on this machine, several at once, each in a process of its own.
package final class CampaignScheduler {
  /// The state of a campaign in progress.
  package struct Progress: Sendable {
    /// The number of runs that are finished, including those of earlier commands.
    package internal(set) var done = 0
    /// The number of finished runs that did not pass, of this command.
    package internal(set) var failed = 0
    /// The number of all runs.
    package let total: Int
    /// The number of runs that earlier commands had finished.
    let earlier: Int
    /// The time left in seconds; `nil` if it cannot be estimated yet.
    package internal(set) var secondsLeft: Double?
  }

  private let campaign: Campaign
  private let folder: String
  private let jobs: Int
  private let options: [String]
  private var progress: Progress
  private var waiting: [Int]
  private var running: [pid_t: Int] = [:]
  private let count: Int
  /// The shards that crashed, whose runs are then executed in a process each.
  private var crashed: Set<Int> = []
  /// The pipe on which shards report each run.
  private var pipe: [Int32] = [-1, -1]

  /// The descriptor on which a shard reports its runs.
  package static let reportDescriptor: Int32 = 3

  /// Prepares a campaign.
  ///
  /// - Parameters:
  ///   - campaign: the campaign.
  ///   - folder: the folder of the results, whose finished shards are kept.
  ///   - jobs: the number of shards that are executed at once.
  ///   - options: further options for each shard.
  /// - Throws: `Failure` of kind usage if the folder has shards of another campaign.
  package init(
    _ campaign: Campaign, in folder: String, jobs: Int, options: [String]
  ) throws(Failure) {
    (self.campaign, self.folder, self.jobs) = (campaign, folder, jobs)
    self.options = options
    let count = campaign.shards
    self.count = count
    try Folder.make(ShardFile.folder(in: folder))
    let indices = Dictionary(
      uniqueKeysWithValues: (1...count).map {
        (campaign.runs(ofShard: $0, of: count).lowerBound, $0)
      })
    var finished: Set<Int> = []
    for name in Folder.names(in: ShardFile.folder(in: folder)) ?? [] where name.hasSuffix(".csv") {
      let path = FilePath.joined(ShardFile.folder(in: folder), name)
      guard let shard = ShardFile(header: path) else { continue }
      guard shard.header.digest == campaign.digest else {
        throw Failure(
          .usage, "\(path): a shard of another campaign, or of another version of it",
          "choose another folder with --out, or remove this one")
      }
      if let index = indices[shard.header.runs.lowerBound],
        campaign.runs(ofShard: index, of: count) == shard.header.runs
      {
        finished.insert(index)
      }
    }
    waiting = (1...count).filter { !finished.contains($0) }
    let done = finished.reduce(0) { $0 + campaign.runs(ofShard: $1, of: count).count }
    progress = Progress(done: done, total: campaign.runs, earlier: done)
  }

  /// The number of runs that earlier commands had finished.
  package var finishedBefore: Int { progress.earlier }

  /// Executes the shards that are missing.
  ///
  /// - Parameters:
  ///   - isInterrupted: polled; `true` ends all shards.
  ///   - report: receives the progress, about ten times a second.
  /// - Throws: `Failure` if a shard could not be executed.
  /// - Returns: `false` if it was interrupted; finished shards are kept.
  package func run(
    isInterrupted: () -> Bool, report: (Progress) -> Void
  ) throws(Failure) -> Bool {
    guard Glibc.pipe(&pipe) == 0 else {
      throw Failure(.unavailable, "cannot create a pipe: \(String(cString: strerror(errno)))")
    }
    defer { pipe.filter { $0 >= 0 }.forEach { close($0) } }
    for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(pipe[0], F_SETFL, O_NONBLOCK)
    Self.endWriter = pipe[1]
    let handler = signal(SIGCHLD) { _ in
      let code = errno
      var byte = CampaignScheduler.ended
      _ = write(CampaignScheduler.endWriter, &byte, 1)
      errno = code
    }
    defer { signal(SIGCHLD, handler) }
    let start = Self.seconds
    waiting.reverse()
    var failure: Failure?
    while !running.isEmpty || failure == nil && !waiting.isEmpty {
      if isInterrupted() {
        end()
        return false
      }
      while failure == nil, running.count < jobs, let shard = waiting.popLast() {
        do throws(Failure) {
          running[try self.start(shard)] = shard
        } catch {
          failure = error
        }
      }
      takeReports()
      let (done, elapsed) = (progress.done - progress.earlier, Self.seconds - start)
      if done > 0, elapsed > 1 {
        progress.secondsLeft = elapsed / Double(done) * Double(progress.total - progress.done)
      }
      report(progress)
      failure = reap() ?? failure
    }
    takeReports()
    report(progress)
    if let failure { throw failure }
    return true
  }

  /// Waits at most 100 ms for reports, and counts them.
  private func takeReports() {
    var item = pollfd(fd: pipe[0], events: Int16(POLLIN), revents: 0)
    guard poll(&item, 1, 100) > 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let length = read(pipe[0], &buffer, buffer.count)
    guard length > 0 else { return }
    let runs = buffer[..<length].filter { $0 != Self.ended }
    // The runs of a crashed shard are reported twice.
    progress.done = min(progress.done + runs.count, progress.total)
    progress.failed += runs.count { $0 != Self.passed }
  }

  /// Collects ended processes; returns the failure of one that did not finish its shard.
  private func reap() -> Failure? {
    var failure: Failure?
    for (process, shard) in running {
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { continue }
      running[process] = nil
      guard status != 0 else { continue }
      let isCrash = status & 0x7F != 0 || status >> 8 & 0xFF == 70
      if isCrash, crashed.insert(shard).inserted {
        waiting.append(shard)
        continue
      }
      let ending =
        status & 0x7F == 0
        ? "exit status \(status >> 8 & 0xFF)" : "was ended by signal \(status & 0x7F)"
      if status >> 8 & 0xFF == Self.changedStatus, status & 0x7F == 0 {
        return Failure(
          .badContent,
          "\(campaign.file): the campaign, or a file that it uses, was changed during the run; finished shards of the earlier version are kept in \(folder)"
        )
      }
      failure = Failure(
        .unavailable, "shard \(shard) of \(count): \(ending); finished shards are kept in \(folder)"
      )
    }
    return failure
  }

  /// Ends all shards by SIGTERM, and kills those that do not end within 5 s.
  private func end() {
    for process in running.keys { kill(process, SIGTERM) }
    let start = Self.seconds
    while !running.isEmpty {
      for process in running.keys {
        var status: Int32 = 0
        if waitpid(process, &status, WNOHANG) != 0 { running[process] = nil }
      }
      if Self.seconds - start > 5 { for process in running.keys { kill(process, SIGKILL) } }
      usleep(10_000)
    }
  }

  private func start(_ shard: Int) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, pipe[1], Self.reportDescriptor)
    let words =
      ["/proc/self/exe", "campaign", "run", "--shard", "\(shard)/\(count)", "--out", folder]
      + ["--reports", "--digest", campaign.digest] + (crashed.contains(shard) ? ["--isolated"] : [])
      + options
      + ["--", campaign.file]
    let strings = words.map { strdup($0) }
    defer { strings.forEach { free($0) } }
    var process: pid_t = 0
    setenv(ProgramEnvironment.endsWithParent, "1", 1)
    defer { unsetenv(ProgramEnvironment.endsWithParent) }
    let error = posix_spawn(&process, words[0], &actions, nil, strings + [nil], environ)
    guard error == 0 else {
      throw Failure(.unavailable, "cannot start a shard: \(String(cString: strerror(error)))")
    }
    return process
  }

  /// The exit status of a shard whose campaign has another digest than that of the scheduler.
  package static let changedStatus: Int32 = 75

  /// The descriptor on which the signal handler reports the end of a shard.
  nonisolated(unsafe) private static var endWriter: Int32 = -1
  /// The report of the end of a shard.
  private static let ended: UInt8 = 0
  /// The report of a run that passed; others did not.
  private static let passed = UInt8(ascii: ".")

  /// Reports a run to the scheduler that started this process.
  ///
  /// - Returns: `false` if the scheduler has ended.
  package static func report(_ row: CampaignRow) -> Bool {
    var byte = row.outcome == .passed ? passed : UInt8(ascii: "x")
    while write(reportDescriptor, &byte, 1) != 1 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
