import CInterposer
import Glibc
import I2C

/// Answers the system calls of a program and of all that it starts, until none of them is left.
///
/// It keeps no table of processes: a node is known by its file, whose last close is told.
final class Supervisor {
  let listener: Listener
  var tree: SyntheticTree
  let buses: [Int: (bus: InterposedBus, worker: BusWorker)]
  /// Takes what the user should know.
  private let notice: (InterposerNotice) -> Void
  var slots: DeviceSlots
  /// The descriptors about which the user has been told.
  var toldDescriptors: Set<Int32> = []
  /// The programs that have been looked at.
  var toldPrograms: Set<String> = []
  /// What can be changed about the nodes.
  var nodes: [Int: NodeFacts]
  /// Folders and links of ours that are open, by their sockets, and our ends of these, by their tokens.
  var places: [UInt64: OpenPlace] = [:]
  var peers: [UInt64: (descriptor: Int32, socket: UInt64)] = [:]
  var nextPeer: UInt64 = 0
  let syntheticFiles = SyntheticFiles()
  var workingFolders = WorkingFolders()
  var listings = Listings()
  /// What tells calls that cannot concern us.
  var gate = interposer_gate()
  /// When all of ours came to be, in nanoseconds since 1970.
  let start: Int64
  /// Answers whose bytes are still on a wire.
  var held = HeldAnswers()

  let hearing: Hearing
  private let signals: Int32
  private let calls: [SystemCall?]
  var lifetime: Lifetime
  private let limit: TimeLimit?
  private var report: Int32
  /// The errno for which the program could not be executed.
  private(set) var startFailure: Int32?
  /// Whether a program opened a file by which libraries recognize a board, of the machine itself.
  var hasReadBoardFile = false
  /// Whether a program opened a node of ours.
  var hasOpenedNode = false
  /// Who waits for virtual time.
  let waitingRoom: WaitingRoom?
  /// The files of the open nodes, once somebody has opened one.
  var files: NodeFiles?
  /// Where the next search for a number behind the first 64 begins.
  var nextNumber = 0

  enum Token {
    static let signals: UInt64 = 1
    static let report: UInt64 = 2
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
    interposer_wake_here(listener.descriptor)
    interposer_wake_exactly()
    signals = started.signals
    report = started.report
    let end = limit.map { TimeLimit($0, time) }
    self.limit = end
    waitingRoom = time.map {
      WaitingRoom($0, listener, guardian: started.guardian, end: end?.end ?? .max)
    }
    lifetime = Lifetime(
      guardian: started.guardian, line: started.line, graceSeconds: graceSeconds,
      clocks: waitingRoom?.readings.shared)
    self.tree = tree
    let start = interposer_moment()
    self.start = start
    nodes = Dictionary(uniqueKeysWithValues: buses.map { ($0.number, NodeFacts(moment: start)) })
    self.notice = notice
    self.slots = DeviceSlots(numbers: slots)
    self.buses = Dictionary(
      uniqueKeysWithValues: buses.map {
        ($0.number, ($0, BusWorker(isSlow: $0.isSlow, name: "i2c-\($0.number)")))
      })
    var calls = [SystemCall?](repeating: nil, count: 512)
    for call in SystemCall.allCases {
      if let number = call.number { calls[Int(number)] = call }
    }
    self.calls = calls
    Self.prepare(&gate, tree, slots)
    hearing = started.hearing
    hearing.listen(to: listener)
    hearing.add(signals, Token.signals)
    hearing.add(report, Token.report)
    hearing.add(started.line, Token.line)
  }

  deinit {
    for peer in peers.values { close(peer.descriptor) }
    if report >= 0 { close(report) }
    close(listener.descriptor)
  }

  /// Serves until the program has ended and nobody it started is left; its exit status, 128 + n for
  /// signal n.
  func run() -> Int32 {
    while true {
      hearing.wait(nanoseconds: longestWaitNanoseconds, &gate, takesCalls: waitingRoom == nil)
      if let call = hearing.call {
        serve(call, isThroughGate: true)
      } else if hearing.isCalled, let call = listener.next() {
        serve(call)
      }
      for (token, isHangup) in hearing.others { take(token, isHangup) }
      held.release(to: listener)
      waitingRoom?.letOut(isIdle: hearing.isQuiet)
      if let limit, limit.isOver { lifetime.limitIsReached() }
      if let finding = waitingRoom?.lookForStandstill() { tell(finding) }
      if hearing.isOver { return lifetime.waitForProgram() }
      if lifetime.isOver({ tell($0, .outlived) }) { return lifetime.waitForProgram() }
    }
  }

  /// Takes what another descriptor has.
  private func take(_ token: UInt64, _ isHangup: Bool) {
    switch token {
    case Token.signals: lifetime.takeSignals(from: signals)
    case Token.report: takeReport()
    case Token.line: lifetime.takeEnd(isGuardGone: isHangup)
    case Token.files: takeFileEvents()
    default: takePeer(token, isHangup: isHangup)
    }
  }

  /// How long to wait for events, in nanoseconds; -1 for ever.
  private var longestWaitNanoseconds: Int64 {
    var least = Int64.max
    if let wait = held.longestWaitNanoseconds { least = Int64(clamping: wait) }
    if let wait = waitingRoom?.longestWaitNanoseconds { least = min(least, wait) }
    if let wait = limit?.longestWaitNanoseconds, !lifetime.isLimitReached {
      least = min(least, wait)
    }
    if lifetime.longestWaitMilliseconds >= 0 {
      least = min(least, Int64(lifetime.longestWaitMilliseconds) * 1_000_000)
    }
    return least == .max ? -1 : least
  }

  /// Learns whether the program was executed; whoever calls when this process has died waits from then on for
  /// its own end instead of running on.
  private func takeReport() {
    let errno = interposer_execution(report)
    close(report)
    report = -1
    if errno != 0 { startFailure = errno }
    // Not before: until the program is executed the guard takes no orders, and a listener on the way to it
    // would let the program wait for ever.
    lifetime.leave(INTERPOSER_HOLD_LISTENER, listener.descriptor)
  }

  private func serve(_ raw: interposer_call, isThroughGate: Bool = false) {
    guard let system = calls.indices.contains(Int(raw.number)) ? calls[Int(raw.number)] : nil,
      raw.thread != 0
    else { return listener.answer(raw.id, .pass) }
    let call = Call(raw, system)
    waitingRoom?.heard(call)
    var raw = raw
    guard isThroughGate || interposer_concerns(&gate, &raw) else {
      return listener.answer(raw.id, .pass)
    }
    if let waitingRoom, system.isInTurn || system.isTransfer && device(call.int(0), call) != nil {
      let answer = waitingRoom.inTurn(call) { [unowned self] in self.answer(call) }
      waitingRoom.readings.show()
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
    case .openat2: openHow(call)
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
    case .readlink: link(call, directory: AT_FDCWD, path: call[0], to: call[1], call[2])
    case .readlinkat: link(call, directory: call.int(0), path: call[1], to: call[2], call[3])
    case .getxattr: attributes(call, .failure(ENODATA), follows: true)
    case .lgetxattr: attributes(call, .failure(ENODATA), follows: false)
    case .listxattr: attributes(call, .value(0), follows: true)
    case .llistxattr: attributes(call, .value(0), follows: false)
    case .chdir: changeFolder(call)
    case .fchdir: changeFolderToDescriptor(call)
    case .getcwd: tellFolder(call)
    case .statfs: fileSystem(call)
    case .fstatfs: fileSystemOfDescriptor(call)
    case .getdents64: entries(call)
    case .lseek: seek(call)
    case .dup: copy(call, closesOnExec: false)
    case .dup2, .dup3: copyTo(call)
    case .fcntl: controlDescriptor(call)
    case .getdents: .pass
    case .execve, .execveat: execute(call)
    case .fsync, .fdatasync, .syncFileRange, .ftruncate: refuse(call, EINVAL)
    case .fallocate, .mmap: refuse(call, ENODEV)
    case .epollControl: refuse(call, EPERM)
    case .sendfile, .splice, .copyFileRange: refuse(call, EINVAL)
    case .submit: submit(call)
    case .mount: mount(call)
    case .chroot, .pivotRoot: changeRoot(call)
    case .uringSetup: .failure(ENOSYS)
    default: call.system.concernsTime ? answerInTime(call) : change(call)
    }
  }

  // MARK: Events

  /// Takes events of the files of nodes from now on.
  func watch(_ files: NodeFiles) {
    hearing.add(files.descriptor, Token.files)
  }

  /// Tells the user something.
  func tell(_ text: String, _ subject: InterposerNotice.Subject = .notServed) {
    notice(InterposerNotice(subject: subject, text: text))
  }

  /// Tells something once for each descriptor.
  func tell(
    _ text: String, _ subject: InterposerNotice.Subject = .notServed, about descriptor: Int32
  ) {
    if toldDescriptors.insert(descriptor).inserted { tell(text, subject) }
  }
}
