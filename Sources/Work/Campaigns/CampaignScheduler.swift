import Glibc
package import Support

/// Executes the shards of a campaign on this machine, several at once.
///
/// Each job is a process of this program that executes one shard after the other: it receives the number of a shard on a
/// socket, and sends a byte for each finished run and one for the finished shard.
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
  private var running: [CampaignJob] = []
  private let count: Int
  /// The shards that crashed, whose runs are then executed in a process each.
  private var crashed: Set<Int> = []

  /// Prepares a campaign.
  ///
  /// - Parameters:
  ///   - campaign: the campaign.
  ///   - folder: the folder of the results, whose finished shards are kept.
  ///   - jobs: the number of shards that are executed at once.
  ///   - options: further options for each job.
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
    let start = Self.seconds
    waiting.reverse()
    var failure: Failure?
    while !running.isEmpty || !waiting.isEmpty {
      if isInterrupted() {
        end()
        return false
      }
      while running.count < jobs, !waiting.isEmpty {
        do throws(Failure) {
          let job = try CampaignJob(words)
          running.append(job)
          assign(job)
        } catch {
          failure = error
          waiting.removeAll()
        }
      }
      failure = takeReports() ?? failure
      if failure != nil { waiting.removeAll() }
      let (done, elapsed) = (progress.done - progress.earlier, Self.seconds - start)
      if done > 0, elapsed > 1 {
        progress.secondsLeft = elapsed / Double(done) * Double(progress.total - progress.done)
      }
      report(progress)
    }
    if let failure { throw failure }
    return true
  }

  /// Gives a job the next shard, or lets it end.
  private func assign(_ job: CampaignJob) {
    let shard = waiting.popLast()
    job.execute(shard, isIsolated: shard.map(crashed.contains) ?? false)
  }

  /// Waits at most 100 ms for reports of jobs, and counts them; returns the failure of a job that did not finish its shard.
  private func takeReports() -> Failure? {
    var items = running.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
    guard poll(&items, nfds_t(items.count), 100) > 0 else { return nil }
    var failure: Failure?
    for (job, item) in zip(running, items) where item.revents != 0 {
      guard let reports = job.reports() else { continue }
      for report in reports where report != CampaignJob.shardEnd {
        // The runs of a crashed shard are reported twice.
        progress.done = min(progress.done + 1, progress.total)
        if report != CampaignJob.passed { progress.failed += 1 }
      }
      if reports.isEmpty {
        running.removeAll { $0 === job }
        failure = failureOfEnded(job) ?? failure
      } else if reports.last == CampaignJob.shardEnd {
        assign(job)
      }
    }
    return failure
  }

  /// Returns the failure of a job that has ended without finishing its shard; `nil` if it crashed for the first time, after
  /// which the shard is executed again.
  private func failureOfEnded(_ job: CampaignJob) -> Failure? {
    let status = job.wait()
    guard let shard = job.shard else { return nil }
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    if code == nil || code == 0 || code == 70, crashed.insert(shard).inserted {
      waiting.append(shard)
      return nil
    }
    if code == Self.changedStatus {
      return Failure(
        .badContent,
        "\(campaign.file): the campaign, or a file that it uses, was changed during the run; finished shards of the earlier version are kept in \(folder)"
      )
    }
    let ending = code.map { "exit status \($0)" } ?? "was ended by signal \(status & 0x7F)"
    return Failure(
      .unavailable, "shard \(shard) of \(count): \(ending); finished shards are kept in \(folder)")
  }

  /// Ends all jobs by SIGTERM, and kills those that do not end within 5 s.
  private func end() {
    for job in running {
      kill(job.process, SIGTERM)
      // A job that waits for its next shard.
      job.execute(nil, isIsolated: false)
    }
    let start = Self.seconds
    while !running.isEmpty {
      running.removeAll { waitpid($0.process, nil, WNOHANG) != 0 }
      if Self.seconds - start > 5 { for job in running { kill(job.process, SIGKILL) } }
      usleep(10_000)
    }
  }

  /// The command of a job.
  private var words: [String] {
    ["/proc/self/exe", "campaign", "run", "--shards-of", "\(count)", "--out", folder]
      + ["--digest", campaign.digest] + options + ["--", campaign.file]
  }

  /// The exit status of a job whose campaign has another digest than that of the scheduler.
  package static let changedStatus: Int32 = 75

  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// A process that executes shards, one after the other, seen from the scheduler; and the connection, seen from the process.
///
/// The scheduler sends the number of a shard as a 32-bit integer, negative if each run needs a process of its own. The process
/// answers with a byte for each finished run and one for the finished shard. It ends when the scheduler closes its direction.
package final class CampaignJob {
  /// The report of a finished shard.
  static let shardEnd = UInt8(ascii: "\n")
  /// The report of a run that passed; others did not.
  static let passed = UInt8(ascii: ".")
  /// The descriptor of the connection in the process.
  private static let descriptor: Int32 = 3

  let process: pid_t
  let socket: Int32
  /// The shard that is being executed.
  var shard: Int?

  /// Starts a process.
  ///
  /// - Parameter words: its command.
  /// - Throws: `Failure` of kind unavailable.
  init(_ words: [String]) throws(Failure) {
    var ends: [Int32] = [-1, -1]
    guard
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else {
      throw Failure(.unavailable, "cannot start a job: \(String(cString: strerror(errno)))")
    }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], Self.descriptor)
    let strings = words.map { strdup($0) }
    defer { strings.forEach { free($0) } }
    var process: pid_t = 0
    setenv(ProgramEnvironment.endsWithParent, "1", 1)
    defer { unsetenv(ProgramEnvironment.endsWithParent) }
    let error = posix_spawn(&process, words[0], &actions, nil, strings + [nil], environ)
    guard error == 0 else {
      close(ends[0])
      throw Failure(.unavailable, "cannot start a job: \(String(cString: strerror(error)))")
    }
    (self.process, socket) = (process, ends[0])
  }

  deinit { close(socket) }

  /// Gives the process another shard.
  ///
  /// - Parameters:
  ///   - next: the number of the shard; `nil` ends the process.
  ///   - isIsolated: whether each run needs a process of its own.
  func execute(_ next: Int?, isIsolated: Bool) {
    shard = next
    guard let next else {
      shutdown(socket, Int32(SHUT_WR))
      return
    }
    var word = Int32(isIsolated ? -next : next)
    // A process that has ended is noticed by its end of the connection.
    _ = Glibc.send(socket, &word, 4, Int32(MSG_NOSIGNAL))
  }

  /// Returns what the process has reported; empty if it has ended, `nil` if it reported nothing.
  func reports() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let length = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    guard length >= 0 else { return errno == EAGAIN || errno == EINTR ? nil : [] }
    if length > 0, buffer[length - 1] == Self.shardEnd { shard = nil }
    return Array(buffer[..<length])
  }

  /// Waits for the end of the process, and returns its status.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }

  /// Executes the shards that the scheduler gives to this process, until there are no more.
  ///
  /// - Parameter execute: executes a shard; receives its number and whether each run needs a process of its own.
  /// - Throws: the error of `execute`.
  package static func work(
    _ execute: (_ shard: Int, _ isIsolated: Bool) throws(Failure) -> Void
  ) throws(Failure) {
    // The programs of runs must not keep the connection open.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var word: Int32 = 0
    while true {
      let length = recv(descriptor, &word, 4, Int32(MSG_WAITALL))
      if length < 0, errno == EINTR { continue }
      guard length == 4 else { return }
      try execute(Int(word.magnitude), word < 0)
      guard send(shardEnd) else { return }
    }
  }

  /// Reports a run to the scheduler that started this process.
  ///
  /// - Returns: `false` if the scheduler has ended.
  package static func report(_ row: CampaignRow) -> Bool {
    send(row.outcome == .passed ? passed : UInt8(ascii: "x"))
  }

  private static func send(_ report: UInt8) -> Bool {
    var byte = report
    while Glibc.send(descriptor, &byte, 1, Int32(MSG_NOSIGNAL)) != 1 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}
