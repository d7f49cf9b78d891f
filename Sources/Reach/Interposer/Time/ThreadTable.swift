import CInterposer
import Glibc
import Support

/// The threads of all clients, and whether any of them is running.
///
/// When a call creates a thread, the new thread is looked up in the caller's process and among the orphans that this
/// process has adopted. A full scan at intervals finds threads whose creation was not intercepted.
struct ThreadTable {
  /// The state of a thread.
  private struct Thread {
    /// The start time, by which a reused thread ID is detected.
    var started: UInt64
    /// The number of time slices that the thread has had; 0 if the kernel does not count them.
    var runs: UInt64 = 0
    /// The value of `runs` when the thread was last seen off the processor.
    var restedAfter: UInt64 = 0
    /// The CPU time, the machine time and the number of clock readings without a system call, all at the time when the
    /// thread was first found running after its last call.
    var workSince: (processor: UInt64, moment: UInt64, readings: UInt32)?
    /// The ID of the process that created the thread.
    var parent: Int32 = 0
    /// `true` while the thread creates a process with vfork, which suspends the thread.
    var isForking = false
    /// `true` if the thread was last found suspended in vfork.
    var isSharing = false
    /// The open files in /proc that describe the thread.
    var files = interposer_thread_files(state: -1, runs: -1, signals: -1)
  }

  /// A kind of thread or process creation.
  enum Creation {
    /// A thread of the same process.
    case sibling
    case process
    /// A process that shares memory until it executes a program, while its creator is suspended (vfork).
    case sharingChild
  }

  /// The activity of all threads.
  enum Activity: Comparable {
    /// No thread is running.
    case quiet
    /// The only running threads are those that have computed for a long time without a call.
    case computing
    /// A thread is running.
    case busy
  }

  /// The guard process, which is not a client.
  private let guardian: Int32
  private let readings: SharedClocks
  private var threads: [Int32: Thread] = [:]
  /// The thread IDs, newest last, because the newest thread is most often the running one.
  private var order: [Int32] = []
  private var unscanned: Set<Int32> = []
  /// The threads that have created threads in their own process since the last scan.
  private var threadCreators: Set<Int32> = []
  /// The threads whose last call creates a thread or process, which may not exist yet.
  private var creating: [Int32: Creation] = [:]
  /// The maximum number of threads whose /proc files stay open.
  private let maxWithFiles: Int
  /// The machine time in nanoseconds of the next full scan.
  ///
  /// All programs that this process can stop are found by their calls, so the first scan need not delay their start.
  private var nextFullScan = DelayedAnswers.now + fullScanInterval
  /// The thread that was last found running.
  private(set) var lastBusy: Int32 = 0
  /// The known zombies by thread ID, with their start times.
  ///
  /// A zombie remains listed until its parent waits for it, and a main thread until all threads of its process have
  /// ended.
  private var zombies: [Int32: UInt64] = [:]
  /// The processes with a child that has ended.
  private var processesWithEndedChildren: Set<Int32> = []
  /// Whether the current check found an ended thread, and whether it found a thread that has run since it was last seen
  /// at rest.
  private var (hasEnded, hasRun) = (false, false)
  /// The threads that were found stopped by a signal.
  private(set) var stopped: Set<Int32> = []

  /// The minimum interval of full scans in nanoseconds of the machine; the interval is also at least `fullScanShare`
  /// times the duration of a scan.
  private static let fullScanInterval: UInt64 = 50_000_000
  private static let fullScanShare: UInt64 = 50
  /// The CPU time without a call after which a thread counts as computing, in nanoseconds.
  private static let computingAfter: UInt64 = 500_000_000
  /// The time after which a runnable thread that gets no CPU time is ignored, in nanoseconds.
  private static let ignoredAfter: UInt64 = 10_000_000_000

  init(guardian: Int32, readings: SharedClocks) {
    self.guardian = guardian
    self.readings = readings
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    maxWithFiles = Int(min(limit.rlim_cur / 8, 128))
  }

  /// Closes the open files of all threads.
  mutating func close() {
    for number in threads.keys { forget(number) }
  }

  /// Records a call; a thread that makes calls does not count as computing.
  mutating func record(_ call: Call) {
    if threads[call.thread] == nil { add(call.thread, parent: 0) }
    threads[call.thread]?.workSince = nil
    threads[call.thread]?.isForking = false
    if let making = creating.removeValue(forKey: call.thread) { hasCreated(call.thread, making) }
  }

  /// Records that a call creates a thread or process.
  ///
  /// - Parameters:
  ///   - thread: the caller.
  ///   - making: the kind of creation.
  mutating func recordCreation(_ thread: Int32, _ making: Creation) {
    creating[thread] = making
    if making == .sharingChild { threads[thread]?.isForking = true }
  }

  private mutating func hasCreated(_ thread: Int32, _ making: Creation) {
    if making == .sibling { threadCreators.insert(thread) } else { unscanned.insert(thread) }
  }

  /// Checks whether threads are running, except those known to wait.
  ///
  /// The result `quiet` is certain: each thread was found asleep and off its processor, and was still asleep without
  /// having run at a second check, so all threads slept at the moment between the two checks. If no thread has run
  /// since an earlier check found it at rest, that check counts as the first. An ended thread may be about to wake its
  /// parent, so after an end the check must be repeated.
  mutating func activity(isWaiting: (Int32) -> Bool) -> Activity {
    stopped = []
    (hasEnded, hasRun) = (false, false)
    if !isWaiting(lastBusy), activity(of: lastBusy) == .busy { return .busy }
    for (maker, making) in creating {
      // While the creator runs, the new thread need not exist yet; once the creator sleeps, the new thread exists.
      let found = activity(of: maker)
      guard found != .busy else { return .busy }
      hasCreated(maker, making)
      // A creator that sleeps outside vfork has completed the call.
      if found == .quiet, threads[maker]?.isSharing != true {
        threads[maker]?.isForking = false
        creating[maker] = nil
      }
    }
    scanAllIfDue()
    scan()
    var overall = Activity.quiet
    for index in order.indices.reversed() where !isWaiting(order[index]) {
      let found = activity(of: order[index])
      if found == .busy {
        lastBusy = order[index]
        return .busy
      }
      overall = max(overall, found)
    }
    if order.count > threads.count { order.removeAll { threads[$0] == nil } }
    guard overall == .quiet else { return overall }
    guard !hasEnded else {
      interposer_wait_for_parents()
      return .busy
    }
    guard hasRun else { return .quiet }
    for number in order where !isWaiting(number) && threads[number] != nil {
      guard isStillAsleep(number) else { return .busy }
    }
    return .quiet
  }

  /// Returns and clears the processes with a child that has ended.
  mutating func takeProcessesWithEndedChildren() -> Set<Int32> {
    defer { processesWithEndedChildren = [] }
    return processesWithEndedChildren
  }

  /// The IDs of all known threads.
  var numbers: [Int32] { threads.keys.sorted() }

  /// The number of known threads.
  var count: Int { threads.count }

  /// Returns `true` if a thread that was found asleep has neither run nor been woken since.
  private mutating func isStillAsleep(_ number: Int32) -> Bool {
    var started: UInt64 = 0
    let state = state(of: number, &started)
    let isSharing = threads[number]?.isSharing == true
    guard state != UInt8(ascii: "R"), state != UInt8(ascii: "D") || isSharing else { return false }
    return runs(of: number, nil) == threads[number]?.runs
  }

  /// Reads the state and start time of a known thread.
  private mutating func state(of number: Int32, _ started: inout UInt64) -> UInt8 {
    var state: CChar = 0
    if let index = threads.index(forKey: number), hasFiles(index) {
      state = interposer_thread_state(number, &threads.values[index].files, &started)
    }
    // The thread ID may have been reused.
    if state == 0 { state = interposer_thread_state(number, nil, &started) }
    return UInt8(bitPattern: state)
  }

  /// The number of time slices that a known thread has had.
  private mutating func runs(of number: Int32, _ processor: UnsafeMutablePointer<UInt64>?) -> UInt64
  {
    guard let index = threads.index(forKey: number), hasFiles(index) else {
      return interposer_thread_time_slices(number, nil, processor)
    }
    return interposer_thread_time_slices(number, &threads.values[index].files, processor)
  }

  /// The signals of a thread; `nil` if it has ended.
  mutating func signals(of number: Int32) -> interposer_thread_signals? {
    var signals = interposer_thread_signals()
    if let index = threads.index(forKey: number), hasFiles(index),
      interposer_thread_signals(number, &threads.values[index].files, &signals)
    {
      return signals
    }
    return interposer_thread_signals(number, nil, &signals) ? signals : nil
  }

  private func hasFiles(_ index: Dictionary<Int32, Thread>.Index) -> Bool {
    threads.count <= maxWithFiles || threads.values[index].files.state >= 0
  }

  private mutating func forget(_ number: Int32) {
    guard let index = threads.index(forKey: number) else { return }
    interposer_thread_close(&threads.values[index].files)
    threads.remove(at: index)
  }

  private mutating func activity(of number: Int32) -> Activity {
    guard let thread = threads[number] else { return .quiet }
    var (processor, started): (UInt64, UInt64) = (0, 0)
    let runs = runs(of: number, &processor)
    let state = state(of: number, &started)
    // State X is transient: the thread is about to report its end.
    guard state != 0, started == thread.started, state != UInt8(ascii: "Z") else {
      let isAnother = state != 0 && started != thread.started
      forget(number)
      if isAnother { threads[number] = Thread(started: started) }
      if state == UInt8(ascii: "Z"), !isAnother { zombies[number] = started }
      hasEnded = true
      processesWithEndedChildren.insert(thread.parent)
      return .quiet
    }
    threads[number]?.runs = runs
    threads[number]?.isSharing = false
    switch state {
    case UInt8(ascii: "T"):
      stopped.insert(number)
      hasRun = true
      return .quiet
    case UInt8(ascii: "S"), UInt8(ascii: "I"):
      threads[number]?.workSince = nil
      // No check is needed before the thread has run again.
      guard runs == 0 || runs != thread.restedAfter else { return .quiet }
      hasRun = true
      guard interposer_thread_is_off_processor(number) else { return .busy }
      threads[number]?.restedAfter = runs
      return .quiet
    case UInt8(ascii: "D") where thread.isForking && interposer_thread_is_cloning(number):
      threads[number]?.isSharing = true
      hasRun = true
      return .quiet
    default: break
    }
    let now = DelayedAnswers.now
    let silent = readings.uncalledReadings(number)
    guard let since = thread.workSince, since.readings == silent else {
      threads[number]?.workSince = (processor, now, silent)
      return .busy
    }
    let isComputing =
      processor &- since.processor > Self.computingAfter || now - since.moment > Self.ignoredAfter
    return isComputing ? .computing : .busy
  }

  // MARK: Finding threads

  private mutating func scanAllIfDue() {
    let start = DelayedAnswers.now
    guard start > nextFullScan else { return }
    unscanned.formUnion(order)
    unscanned.insert(getpid())
    scan()
    var started: UInt64 = 0
    zombies = zombies.filter {
      interposer_thread_state($0.key, nil, &started) != 0 && started == $0.value
    }
    let end = DelayedAnswers.now
    nextFullScan = end + max(Self.fullScanInterval, (end - start) * Self.fullScanShare)
  }

  /// Finds threads and processes created since the last scan.
  private mutating func scan() {
    for thread in threadCreators {
      let group = ThreadLists.threads(of: thread)
      for sibling in group where threads[sibling] == nil {
        add(sibling, parent: threads[thread]?.parent ?? 0)
      }
      // If the creator has ended, a full scan is needed.
      if group.isEmpty { unscanned.insert(thread) }
    }
    threadCreators.removeAll(keepingCapacity: true)
    guard !unscanned.isEmpty else { return }
    // The guard process adopts orphans.
    let guards = ThreadLists.children(of: getpid())
    var processes = Array(unscanned) + guards + [getpid()]
    unscanned = []
    var (seen, parents): (Set<Int32>, [Int32: Int32]) = ([], [:])
    while let process = processes.popLast() {
      let group = ThreadLists.threads(of: process)
      guard let first = group.first, seen.insert(first).inserted else { continue }
      for thread in group {
        if process != getpid(), process != guardian { add(thread, parent: parents[first] ?? 0) }
        for child in ThreadLists.children(of: thread) {
          if threads[child]?.parent == 0 { threads[child]?.parent = first }
          guard threads[child] == nil, !seen.contains(child) else { continue }
          processes.append(child)
          parents[child] = first
        }
      }
    }
  }

  /// Adds a thread.
  private mutating func add(_ number: Int32, parent: Int32) {
    guard threads[number] == nil else {
      if parent != 0 { threads[number]?.parent = parent }
      return
    }
    var thread = Thread(started: 0, parent: parent)
    let state = UInt8(
      bitPattern: threads.count < maxWithFiles
        ? interposer_thread_state(number, &thread.files, &thread.started)
        : interposer_thread_state(number, nil, &thread.started))
    guard state != 0, state != UInt8(ascii: "Z") else {
      interposer_thread_close(&thread.files)
      // A new zombie is reported once, because its parent may be about to wake.
      guard state != 0,
        zombies.updateValue(thread.started, forKey: number) != thread.started
      else { return }
      hasEnded = true
      processesWithEndedChildren.insert(parent)
      return
    }
    threads[number] = thread
    order.append(number)
  }
}

/// The system call in which a thread sleeps.
struct ThreadSleep: CustomStringConvertible {
  private let thread: Int32
  private let kind: interposer_wait
  private let call: Int32
  /// The descriptors that the thread waits for.
  private let descriptors: [Int32]

  /// Inspects a sleeping thread.
  init(of thread: Int32) {
    self.thread = thread
    var call: Int32 = -1
    var arguments = [UInt64](repeating: 0, count: 6)
    kind = interposer_thread_wait(thread, &call, &arguments)
    self.call = call
    descriptors = Self.descriptors(kind, arguments, thread)
  }

  private static func descriptors(
    _ kind: interposer_wait, _ arguments: [UInt64], _ thread: Int32
  ) -> [Int32] {
    let first = Int32(truncatingIfNeeded: arguments[0])
    switch kind {
    case INTERPOSER_SLEEP_READ, INTERPOSER_SLEEP_WRITE, INTERPOSER_SLEEP_LOCK: return [first]
    case INTERPOSER_SLEEP_EPOLL:
      // Lines such as `tfd:        5 events: ...`.
      return lines(of: "/proc/\(thread)/fdinfo/\(first)").compactMap { line in
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count > 1, words[0] == "tfd:" else { return nil }
        return Int32(words[1])
      }
    case INTERPOSER_SLEEP_POLL:
      let count = Int(min(arguments[1], 1024))
      var bytes = [UInt8](repeating: 0, count: count * 8)
      guard interposer_read(thread, arguments[0], &bytes, bytes.count) == bytes.count else {
        return []
      }
      return stride(from: 0, to: bytes.count, by: 8).map { offset -> Int32 in
        let number = bytes[offset..<offset + 4].reversed().reduce(0 as UInt32) { sum, byte in
          sum << 8 | UInt32(byte)
        }
        return Int32(bitPattern: number)
      }.filter { $0 >= 0 }
    case INTERPOSER_SLEEP_SELECT:
      let size = Int(min(arguments[0], 4096) + 63) / 64 * 8
      var all = [UInt8](repeating: 0, count: size)
      for set in arguments[1...3] where set != 0 {
        var bits = [UInt8](repeating: 0, count: size)
        guard interposer_read(thread, set, &bits, size) == size else { continue }
        for index in all.indices { all[index] |= bits[index] }
      }
      return (0..<Int32(size * 8)).filter { all[Int($0) / 8] >> UInt8($0 % 8) & 1 == 1 }
    default: return []
    }
  }

  /// The lines of a file of /proc; empty if it does not exist.
  private static func lines(of file: String) -> [Substring] {
    let bytes = (try? TextFile.bytes(file)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  // MARK: Outside events

  /// `true` if something other than a client may wake the thread: a terminal, a network socket, or a pipe from another
  /// program.
  var mayBeWokenFromOutside: Bool {
    kind == INTERPOSER_SLEEP_OTHER || kind == INTERPOSER_SLEEP_LOCK
      || descriptors.contains { isFedFromOutside(name(of: $0)) }
  }

  private func isFedFromOutside(_ name: String) -> Bool {
    if name.hasPrefix("anon_inode:") { return name.contains("inotify") }
    guard name.hasPrefix("pipe:") else { return !isInnerSocket(name) }
    let ours = Set(ClientProcesses.descendants(of: getpid()) + [getpid()])
    return (Folder.names(in: "/proc") ?? []).lazy.compactMap { Int32($0) }
      .filter { !ours.contains($0) }
      .contains { process in
        ClientProcesses.descriptors(of: process).contains { descriptor in
          Self.name(of: descriptor, process) == name
            && (kind == INTERPOSER_SLEEP_WRITE
              || interposer_descriptor_writes(process, descriptor))
        }
      }
  }

  /// Returns `true` for a Unix socket that does not listen but belongs to a pair or a local connection.
  private func isInnerSocket(_ name: String) -> Bool {
    guard name.hasPrefix("socket:["), name.hasSuffix("]") else { return false }
    let number = name.dropFirst("socket:[".count).dropLast()
    // Num RefCount Protocol Flags Type St Inode Path; the flag of a listening socket is 0x10000.
    return Self.lines(of: "/proc/net/unix").contains { line in
      let words = line.split(separator: " ")
      return words.count > 6 && words[6] == number && words[3] == "00000000"
    }
  }

  private func name(of descriptor: Int32) -> String { Self.name(of: descriptor, thread) }

  private static func name(of descriptor: Int32, _ process: Int32) -> String {
    let path = "/proc/\(process)/fd/\(descriptor)"
    let name = [CChar](unsafeUninitializedCapacity: 256) { buffer, count in
      count = buffer.baseAddress.map { max(readlink(path, $0, buffer.count), 0) } ?? 0
    }
    return String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  // MARK: Description

  /// The thread and what it waits for.
  var description: String { "\(ProgramName.of(thread)) \(purpose)" }

  private var purpose: String {
    switch kind {
    case INTERPOSER_SLEEP_READ: "reads from \(list)"
    case INTERPOSER_SLEEP_WRITE: "writes to \(list)"
    case INTERPOSER_SLEEP_CHILD: "waits for a child to exit"
    case INTERPOSER_SLEEP_WORD: "waits for another thread (futex)"
    case INTERPOSER_SLEEP_SIGNAL: "waits for a signal"
    case INTERPOSER_SLEEP_LOCK: "waits for a lock on \(list)"
    case INTERPOSER_SLEEP_POLL, INTERPOSER_SLEEP_SELECT, INTERPOSER_SLEEP_EPOLL:
      descriptors.isEmpty ? "waits for no descriptor" : "waits for \(list)"
    default: "sleeps in system call \(call)"
    }
  }

  private var list: String {
    descriptors.map { "descriptor \($0) (\(name(of: $0)))" }.joined(separator: ", ")
  }
}
