import CInterposer
import Glibc
import I2C

/// Answers the system calls of a program and its descendants until all of them have exited.
///
/// The supervisor keeps no process table, because an open node is identified by its file and the kernel reports the
/// last close.
final class Supervisor {
  let listener: Listener
  var tree: SyntheticTree
  let buses: [Int: (bus: InterposedBus, worker: BusWorker)]
  /// The connections of the adapters that are unplugged at times, in the order of the buses.
  let connections: [(bus: InterposedBus, connection: AdapterConnection)]
  /// Receives the notices for the user.
  private let notice: (InterposerNotice) -> Void
  var slots: DeviceSlots
  /// The descriptors about which a notice has already been reported.
  ///
  /// Negative numbers represent notices about other subjects.
  var reportedDescriptors: Set<Int32> = []
  /// The programs that have been checked or reported.
  var reportedPrograms: Set<String> = []
  /// The owner, mode and times of each node, by bus number.
  var nodes: [Int: NodeMetadata]
  /// The open synthetic directories and links by socket inode, and the supervisor's ends of these sockets by event
  /// token.
  var openEntries: [UInt64: OpenEntry] = [:]
  var peers: [UInt64: (descriptor: Int32, socket: UInt64)] = [:]
  var nextPeer: UInt64 = 0
  let syntheticFiles = SyntheticFiles()
  var workingDirectories = WorkingDirectories()
  var listings = Listings()
  /// The pre-filter, which passes calls that cannot concern the interposer to the kernel.
  var prefilter = interposer_prefilter()
  /// The creation time of all synthetic files, in nanoseconds since 1970.
  let start: Int64
  /// The answers to calls whose simulated transfer is still on the wire.
  var delayedAnswers = DelayedAnswers()

  let eventLoop: EventLoop
  private let signals: Int32
  private let calls: [SystemCall?]
  var lifetime: Lifetime
  private let limit: TimeLimit?
  private var executionStatus: Int32
  /// The errno with which the execution of the program failed; `nil` if it did not fail.
  private(set) var startFailure: Int32?
  /// `true` after a program opened one of the host's files by which libraries detect a board.
  var hasReadBoardFile = false
  /// `true` after a program opened an I2C node.
  var hasOpenedNode = false
  /// The scheduler of virtual time; `nil` if programs run in real time.
  let scheduler: VirtualTimeScheduler?
  /// The files of the open nodes; created when the first node is opened.
  var files: NodeFiles?
  /// The descriptor number at which the next search for a free one starts if the first 64 reserved numbers are in use.
  var nextNumber = 0

  enum Token {
    static let signals: UInt64 = 1
    static let execution: UInt64 = 2
    static let line: UInt64 = 3
    static let files: UInt64 = 4
    static let firstPeer: UInt64 = 16
  }

  init(
    _ started: Launcher.Started, buses: [InterposedBus], tree: SyntheticTree,
    slots: Range<Int>, time: VirtualTime?, graceSeconds: Double, limit: UInt64?,
    notice: @escaping (InterposerNotice) -> Void
  ) {
    let listener = Listener(descriptor: started.listener)
    self.listener = listener
    interposer_set_sync_wakeup(listener.descriptor)
    interposer_clear_timer_slack()
    signals = started.signals
    executionStatus = started.executionStatus
    let end = limit.map { TimeLimit($0, time) }
    self.limit = end
    scheduler = time.map {
      VirtualTimeScheduler(
        $0, listener, guardian: started.guardian, end: end?.end ?? .max, graceSeconds: graceSeconds)
    }
    lifetime = Lifetime(
      guardian: started.guardian, line: started.line, graceSeconds: graceSeconds,
      clocks: scheduler?.readings.shared)
    self.tree = tree
    let start = interposer_realtime()
    self.start = start
    nodes = Dictionary(uniqueKeysWithValues: buses.map { ($0.number, NodeMetadata(moment: start)) })
    self.notice = notice
    self.slots = DeviceSlots(numbers: slots)
    self.buses = Dictionary(
      uniqueKeysWithValues: buses.map {
        ($0.number, ($0, BusWorker(isSlow: $0.isSlow, name: "i2c-\($0.number)")))
      })
    connections = buses.compactMap { bus in bus.connection.map { (bus, $0) } }
    var calls = [SystemCall?](repeating: nil, count: 512)
    for call in SystemCall.allCases {
      if let number = call.number { calls[Int(number)] = call }
    }
    self.calls = calls
    Self.prepare(&prefilter, tree, slots)
    eventLoop = started.eventLoop
    eventLoop.listen(to: listener)
    eventLoop.add(signals, Token.signals)
    eventLoop.add(executionStatus, Token.execution)
    eventLoop.add(started.line, Token.line)
    scheduler?.isSignalUnderWay = { [unowned self] in
      interposer_is_readable(self.signals) || !self.lifetime.areSignalsSent()
    }
    scheduler?.isEndRequested = { [unowned self] in self.lifetime.isEndRequested }
  }

  deinit {
    for peer in peers.values { close(peer.descriptor) }
    if executionStatus >= 0 { close(executionStatus) }
    close(listener.descriptor)
  }

  /// Serves system calls until the program and its descendants have exited.
  ///
  /// - Returns: the exit status; 128 + n if signal n ended the program, 124 after a stall, and 0 if the time limit
  ///   ended it.
  func run() -> Int32 {
    while true {
      eventLoop.wait(nanoseconds: longestWaitNanoseconds, &prefilter, takesCalls: scheduler == nil)
      if let call = eventLoop.call {
        serve(call, isPrefiltered: true)
      } else if eventLoop.isCalled, let call = listener.next() {
        serve(call)
      }
      for (token, isHangup) in eventLoop.others { handleEvent(token, isHangup) }
      delayedAnswers.release(to: listener)
      scheduler?.wakeDue(isIdle: eventLoop.isQuiet)
      updateConnections()
      if let limit, limit.isOver {
        lifetime.limitIsReached()
        if lifetime.areSignalsSent() { scheduler?.isExiting = true }
      }
      if scheduler?.isGraceOver == true { lifetime.endNow() }
      scheduler?.advanceToLimitIfAsleep()
      if let finding = scheduler?.checkForStall() { report(finding) }
      if eventLoop.isOver { return lifetime.waitForProgram() }
      if lifetime.isOver({ report($0, .outlived) }) { return lifetime.waitForProgram() }
    }
  }

  /// Handles an event of a descriptor other than the seccomp listener.
  private func handleEvent(_ token: UInt64, _ isHangup: Bool) {
    switch token {
    case Token.signals: lifetime.handleSignals(from: signals)
    case Token.execution: readExecutionStatus()
    case Token.line: lifetime.handleExit(isGuardGone: isHangup)
    case Token.files: handleFileEvents()
    default: handlePeer(token, isHangup: isHangup)
    }
  }

  /// The time to wait for events, in nanoseconds; -1 means no limit.
  private var longestWaitNanoseconds: Int64 {
    var least = Int64.max
    if let wait = delayedAnswers.longestWaitNanoseconds { least = Int64(clamping: wait) }
    if let wait = scheduler?.longestWaitNanoseconds { least = min(least, wait) }
    if scheduler == nil {
      for next in connections.compactMap(\.connection.nanosecondsToNext) {
        least = min(least, Int64(clamping: next))
      }
    }
    if let wait = limit?.longestWaitNanoseconds, !lifetime.isLimitReached {
      least = min(least, wait)
    }
    if lifetime.longestWaitMilliseconds >= 0 {
      least = min(least, Int64(lifetime.longestWaitMilliseconds) * 1_000_000)
    }
    return least == .max ? -1 : least
  }

  /// Reads whether the program was executed, then passes the listener to the guard.
  ///
  /// If this process dies, the listener stays open, so a client that makes a call blocks until the guard kills it.
  private func readExecutionStatus() {
    let errno = interposer_execution_result(executionStatus)
    close(executionStatus)
    executionStatus = -1
    if errno != 0 { startFailure = errno }
    // The listener cannot be passed earlier: until the program is executed, the guard accepts no orders, and a listener
    // in transit would block the program forever.
    lifetime.handOver(INTERPOSER_HOLD_LISTENER, listener.descriptor)
  }

  private func serve(_ raw: interposer_call, isPrefiltered: Bool = false) {
    guard let system = calls.indices.contains(Int(raw.number)) ? calls[Int(raw.number)] : nil,
      raw.thread != 0
    else { return listener.answer(raw.id, .pass) }
    let call = Call(raw, system)
    scheduler?.record(call)
    var raw = raw
    guard isPrefiltered || interposer_is_relevant(&prefilter, &raw) else {
      return listener.answer(raw.id, .pass)
    }
    updateConnections()
    if let scheduler, system.isSerialized || system.isTransfer && device(call.int(0), call) != nil {
      let answer = scheduler.serialize(call) { [unowned self] in self.answer(call) }
      scheduler.readings.show()
      listener.answer(call.id, answer)
    } else {
      listener.answer(call.id, answer(call))
    }
  }

  private func answer(_ call: Call) -> Answer {
    switch call.system {
    case .ioctl: control(call)
    case .read, .pread64: transfer(call, .read)
    case .write, .pwrite64: transfer(call, .write)
    case .readv, .preadv, .preadv2: transferMany(call, .read)
    case .writev, .pwritev, .pwritev2: transferMany(call, .write)
    case .open: open(call, directory: AT_FDCWD, path: call[0], flags: call.int(1))
    case .openat: open(call, directory: call.int(0), path: call[1], flags: call.int(2))
    case .openat2: openat2(call)
    case .stat: status(call, directory: AT_FDCWD, path: call[0], follows: true, to: call[1])
    case .lstat: status(call, directory: AT_FDCWD, path: call[0], follows: false, to: call[1])
    case .newfstatat: statusAt(call)
    case .fstat: statusOfDescriptor(call.int(0), call, to: call[1])
    case .statx: extendedStatus(call)
    case .access: access(call, directory: AT_FDCWD, path: call[0], mode: call.int(1))
    case .faccessat: access(call, directory: call.int(0), path: call[1], mode: call.int(2))
    case .faccessat2:
      access(
        call, directory: call.int(0), path: call[1], mode: call.int(2), flags: call.int(3))
    case .readlink: readLink(call, directory: AT_FDCWD, path: call[0], to: call[1], call[2])
    case .readlinkat: readLink(call, directory: call.int(0), path: call[1], to: call[2], call[3])
    case .getxattr: attributes(call, .failure(ENODATA), follows: true)
    case .lgetxattr: attributes(call, .failure(ENODATA), follows: false)
    case .listxattr: attributes(call, .value(0), follows: true)
    case .llistxattr: attributes(call, .value(0), follows: false)
    case .chdir: changeDirectory(call)
    case .fchdir: changeDirectoryToDescriptor(call)
    case .getcwd: getWorkingDirectory(call)
    case .statfs: fileSystem(call)
    case .fstatfs: fileSystemOfDescriptor(call)
    case .getdents64: entries(call)
    case .lseek: seek(call)
    case .dup: copy(call, closesOnExec: false)
    case .dup2, .dup3: duplicateTo(call)
    case .fcntl: controlDescriptor(call)
    case .getdents: .pass
    case .execve, .execveat: execute(call)
    case .fsync, .fdatasync, .syncFileRange, .ftruncate: reject(call, EINVAL)
    case .fallocate, .mmap: reject(call, ENODEV)
    case .epollControl: reject(call, EPERM)
    case .sendfile, .splice, .copyFileRange: reject(call, EINVAL)
    case .submit: submit(call)
    case .mount: mount(call)
    case .chroot, .pivotRoot: changeRoot(call)
    case .uringSetup: .failure(ENOSYS)
    default: call.system.concernsTime ? answerInTime(call) : change(call)
    }
  }

  // MARK: Events

  /// Adds the node files to the event loop.
  func watch(_ files: NodeFiles) {
    eventLoop.add(files.descriptor, Token.files)
  }

  /// Reports a notice to the user.
  ///
  /// - Parameters:
  ///   - text: the message.
  ///   - subject: its subject.
  ///   - time: the time of the event in nanoseconds of the buses. Default: `nil` for now.
  func report(
    _ text: String, _ subject: InterposerNotice.Subject = .notServed, at time: UInt64? = nil
  ) {
    notice(InterposerNotice(subject: subject, text: text, time: time))
  }

  /// Reports a notice once for each `descriptor`; a negative number represents another subject.
  func report(
    _ text: String, _ subject: InterposerNotice.Subject = .notServed, about descriptor: Int32
  ) {
    if reportedDescriptors.insert(descriptor).inserted { report(text, subject) }
  }
}

/// Dispatch of the calls that change files.
extension Supervisor {
  /// Answers a call that changes a file's metadata or content.
  func change(_ call: Call) -> Answer {
    let (here, at) = (AT_FDCWD, call.int(0))
    switch call.system {
    case .chmod: return changeMode(call, directory: here, path: call[0], mode: call[1])
    case .fchmodat: return changeMode(call, directory: at, path: call[1], mode: call[2])
    case .fchmodat2:
      if isAboutDescriptor(call, call.int(3)) {
        return changeDescriptor(call) { changeMode(of: $0, call[2], call) }
      }
      return changeMode(call, directory: at, path: call[1], mode: call[2])
    case .fchmod: return changeDescriptor(call) { changeMode(of: $0, call[1], call) }
    case .chown, .lchown:
      return changeOwner(
        call, directory: here, path: call[0], user: call[1], group: call[2],
        follows: call.system == .chown)
    case .fchown: return changeDescriptor(call) { changeOwner(of: $0, call[1], call[2], call) }
    case .fchownat: return changeOwnerAt(call)
    case .utime: return changeTimes(call, directory: here, path: call[0], times: call[1], .seconds)
    case .utimes:
      return changeTimes(call, directory: here, path: call[0], times: call[1], .microseconds)
    case .futimesat:
      return changeTimes(call, directory: at, path: call[1], times: call[2], .microseconds)
    case .utimensat: return changeTimesAt(call)
    case .truncate: return truncate(call)
    case .setxattr, .removexattr: return changeAttributes(call, follows: true)
    case .lsetxattr, .lremovexattr: return changeAttributes(call, follows: false)
    default: return changeName(call)
    }
  }

  /// Answers a call that creates, removes or renames a directory entry.
  private func changeName(_ call: Call) -> Answer {
    let (here, at) = (AT_FDCWD, call.int(0))
    switch call.system {
    case .creat:
      return open(call, directory: here, path: call[0], flags: O_CREAT | O_WRONLY | O_TRUNC)
    case .mkdir: return createEntry(call, directory: here, path: call[0])
    case .mkdirat: return createEntry(call, directory: at, path: call[1])
    case .symlink: return createEntry(call, directory: here, path: call[1])
    case .symlinkat: return createEntry(call, directory: call.int(1), path: call[2])
    case .mknod:
      return createNode(call, directory: here, path: call[0], mode: call[1], device: call[2])
    case .mknodat:
      return createNode(call, directory: at, path: call[1], mode: call[2], device: call[3])
    case .rmdir: return remove(call, directory: here, path: call[0], isFolder: true)
    case .unlink: return remove(call, directory: here, path: call[0], isFolder: false)
    case .unlinkat:
      let removesFolder: Int32 = 0x200
      return remove(
        call, directory: at, path: call[1], isFolder: call.int(2) & removesFolder != 0)
    case .rename: return rename(call, from: (here, call[0]), to: (here, call[1]))
    case .renameat, .renameat2:
      return rename(call, from: (at, call[1]), to: (call.int(2), call[3]))
    case .link: return createLink(call, from: (here, call[0]), to: (here, call[1]), follows: false)
    case .linkat:
      let followsLinks: Int32 = 0x400
      return createLink(
        call, from: (at, call[1]), to: (call.int(2), call[3]),
        follows: call.int(4) & followsLinks != 0)
    case .bind: return bind(call)
    default: return isRelativeInSyntheticDirectory(call) ? .failure(ENOENT) : .pass
    }
  }

  /// Configures the pre-filter with the descriptor range and the synthetic paths.
  static func prepare(
    _ prefilter: inout interposer_prefilter, _ tree: SyntheticTree, _ slots: Range<Int>
  ) {
    prefilter.first_number = UInt32(slots.lowerBound)
    let words = SyntheticTree.wordsOfBoards + OtherInterface.allCases.map(\.word)
    prefilter.word_count = Int32(words.count)
    withUnsafeMutableBytes(of: &prefilter.words) {
      let pointers = $0.bindMemory(to: UnsafePointer<CChar>?.self)
      for (index, word) in words.enumerated() { pointers[index] = UnsafePointer(strdup(word)) }
    }
    let folders = tree.foldersWithAdditions
    prefilter.folder_count = Int32(min(folders.count, 16))
    withUnsafeMutableBytes(of: &prefilter.folders) {
      let pointers = $0.bindMemory(to: UnsafePointer<CChar>?.self)
      // The strings are never freed; they live as long as the process.
      for (index, folder) in folders.prefix(16).enumerated() {
        pointers[index] = UnsafePointer(strdup(folder))
      }
    }
  }
}

extension SyntheticTree {
  /// The host directories that contain synthetic entries.
  var foldersWithAdditions: [String] {
    [
      "/dev", "/sys/class", "/sys/bus", "/sys/dev/char", "/sys/devices/platform", "/proc",
      "/sys/firmware",
    ].filter { self[$0] != nil }
  }
}

/// Dispatch of the calls that depend on time.
extension Supervisor {
  func answerInTime(_ call: Call) -> Answer {
    switch call.system {
    case .clockGettime: clockGettime(call)
    case .gettimeofday: gettimeofday(call)
    case .time: readSeconds(call)
    case .nanosleep: sleep(call)
    case .clockNanosleep: clockNanosleep(call)
    case .poll, .ppoll: pollDescriptors(call)
    case .select, .pselect6: selectDescriptors(call)
    case .epollWait, .epollPwait, .epollPwait2: epollWait(call)
    case .futex: futexWait(call)
    case .clone, .clone3, .fork, .vfork: recordClone(call)
    case .rtSigtimedwait: sigtimedwait(call)
    case .setitimer: setTimer(call)
    case .getitimer: getTimer(call)
    case .alarm: alarm(call)
    case .timerCreate: createTimer(call)
    case .timerSettime: setPOSIXTimer(call)
    case .timerGettime: getPOSIXTimer(call)
    case .timerGetoverrun: overruns(call)
    case .timerDelete: deleteTimer(call)
    case .timerfdSettime: setTimerDescriptor(call)
    case .timerfdGettime: getTimerDescriptor(call)
    case .kill, .tkill, .tgkill, .rtSigqueueinfo, .rtTgsigqueueinfo, .pidfdSendSignal:
      recordSignal()
    case .semtimedop: semtimedop(call)
    case .mqTimedsend, .mqTimedreceive: mqTimed(call)
    case .setsockopt: setSocketTimeout(call)
    case .futexWaitv: reportMachineWait(.words)
    default: .pass
    }
  }
}
