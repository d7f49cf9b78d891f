import CInterposer
import Glibc

/// The threads of all clients, and whether one of them is at work.
///
/// A thread is looked for where one was made: below the process whose call said so, and among the orphans that this
/// process has adopted. Everything is looked through now and then as well, for clients whose calls nobody sees.
struct ThreadTable {
  /// What is known of a thread.
  private struct Thread {
    /// When it was started, so that its number given to another one shows.
    let started: UInt64
    /// How often it has run, as far as the kernel counts that.
    var runs: UInt64 = 0
    /// How often it had run when it was last seen to have left its processor.
    var restedAfter: UInt64 = 0
    /// The processor time and the moment at which it was first found at work since its last call, and how often it had
    /// read a clock without one.
    var workSince: (processor: UInt64, moment: UInt64, readings: UInt32)?
    /// The process that made it.
    var parent: Int32 = 0
    /// Whether it makes a process whose end of sharing it waits for (vfork).
    var isForking = false
    /// Whether it was last found in that wait.
    var isSharing = false
    /// What the kernel tells of it.
    var files = interposer_thread_files(state: -1, runs: -1)
  }

  /// What a thread makes.
  enum Making {
    /// A thread of its process.
    case companion
    /// A process.
    case process
    /// A process that shares its memory until that has become another program, for which the maker waits.
    case sharer
  }

  /// What a look at all threads has shown.
  enum Look: Comparable {
    /// None is at work.
    case quiet
    /// Only such as have computed for long without a call.
    case computing
    /// Some are at work.
    case busy
  }

  /// The process between this one and the program, which only waits for orders and is no client.
  private let guardian: Int32
  private let readings: ReadingClocks
  private var threads: [Int32: Thread] = [:]
  /// Their numbers, the youngest last: that is who is most often at work.
  private var order: [Int32] = []
  private var unexplored: Set<Int32> = []
  /// Those in whose process there may be new threads, but no new process.
  private var companions: Set<Int32> = []
  /// Those that have said that they make another one, and nothing since: it may not be there yet.
  private var makers: [Int32: Making] = [:]
  /// Of how many threads the files stay open.
  private let mostWithFiles: Int
  private var nextLookAtAll: UInt64 = 0
  /// Who was found at work last.
  private(set) var lastBusy: Int32 = 0
  /// The zombies that have been seen, by when they were started: they stay on the list of their parent until it waits
  /// for them, which it need not do before others have run, and the first thread of a process until all have ended.
  private var zombies: [Int32: UInt64] = [:]
  /// The processes of which a child has ended.
  private var bereaved: Set<Int32> = []
  /// Whether the look has found that one has ended, and that one has run since it was last seen to rest.
  private var (isOneMissed, hasOneRun) = (false, false)
  /// The threads that were found stopped by a signal.
  private(set) var stopped: Set<Int32> = []

  /// How often everything is looked through, in nanoseconds of the machine, and at the most for which part of the
  /// time.
  private static let lookAtAllEvery: UInt64 = 50_000_000
  private static let lookAtAllPart: UInt64 = 50
  /// After this time on a processor without a call a thread is one that computes, in nanoseconds.
  private static let computingAfter: UInt64 = 500_000_000
  /// After this time a thread that is at work and gets no processor is not waited for either, in nanoseconds.
  private static let givingUpAfter: UInt64 = 10_000_000_000

  init(guardian: Int32, readings: ReadingClocks) {
    self.guardian = guardian
    self.readings = readings
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    mostWithFiles = Int(min(limit.rlim_cur / 8, 128))
  }

  /// Closes what is open of the threads that are known.
  mutating func close() {
    for number in threads.keys { forget(number) }
  }

  /// Takes notice of a call, by which its thread shows that it does not only compute.
  mutating func heard(_ call: Call) {
    if threads[call.thread] == nil { add(call.thread, parent: 0) }
    threads[call.thread]?.workSince = nil
    threads[call.thread]?.isForking = false
    if let making = makers.removeValue(forKey: call.thread) { hasMade(call.thread, making) }
  }

  /// Takes notice that a thread makes another one, or a process.
  ///
  /// - Parameters:
  ///   - thread: the one that calls.
  ///   - making: what it makes.
  mutating func makes(_ thread: Int32, _ making: Making) {
    makers[thread] = making
    if making == .sharer { threads[thread]?.isForking = true }
  }

  private mutating func hasMade(_ thread: Int32, _ making: Making) {
    if making == .companion { companions.insert(thread) } else { unexplored.insert(thread) }
  }

  /// Looks at all threads but some that are known to wait.
  ///
  /// That nobody is at work is certain when it is said: each thread was found asleep and off its processor, and was
  /// asleep and had not run when it was looked at a second time, so that all slept at the moment between. Where none has
  /// run since it was seen to rest by an earlier look, that one was the first. One that has ended may be on the way to
  /// wake its parent: where one is missed, nothing is said before another look.
  mutating func look(isWaiting: (Int32) -> Bool) -> Look {
    stopped = []
    (isOneMissed, hasOneRun) = (false, false)
    if !isWaiting(lastBusy), lookAt(lastBusy) == .busy { return .busy }
    for (maker, making) in makers {
      // While it works, what it makes need not be there; when it sleeps, it is.
      let found = lookAt(maker)
      guard found != .busy else { return .busy }
      hasMade(maker, making)
      // One that sleeps otherwise than for the end of sharing has the call behind it, whatever it waits for now: it
      // need not be heard of again.
      if found == .quiet, threads[maker]?.isSharing != true {
        threads[maker]?.isForking = false
        makers[maker] = nil
      }
    }
    exploreAllIfDue()
    explore()
    var look = Look.quiet
    for index in order.indices.reversed() where !isWaiting(order[index]) {
      let found = lookAt(order[index])
      if found == .busy {
        lastBusy = order[index]
        return .busy
      }
      look = max(look, found)
    }
    if order.count > threads.count { order.removeAll { threads[$0] == nil } }
    guard look == .quiet else { return look }
    guard !isOneMissed else {
      interposer_await_parents()
      return .busy
    }
    guard hasOneRun else { return .quiet }
    for number in order where !isWaiting(number) && threads[number] != nil {
      guard isStillAsleep(number) else { return .busy }
    }
    return .quiet
  }

  /// The processes of which a child has ended since they were last asked for.
  mutating func takeBereaved() -> Set<Int32> {
    defer { bereaved = [] }
    return bereaved
  }

  /// The numbers of all threads that are known.
  var numbers: [Int32] { threads.keys.sorted() }

  /// How many threads are known.
  var count: Int { threads.count }

  /// Whether a thread that was found asleep has slept on since: it has not run, and nobody has woken it.
  private mutating func isStillAsleep(_ number: Int32) -> Bool {
    var started: UInt64 = 0
    let state = state(of: number, &started)
    let isSharing = threads[number]?.isSharing == true
    guard state != UInt8(ascii: "R"), state != UInt8(ascii: "D") || isSharing else { return false }
    return runs(of: number, nil) == threads[number]?.runs
  }

  /// The state of a thread that is known, and when it was started.
  private mutating func state(of number: Int32, _ started: inout UInt64) -> UInt8 {
    var state: CChar = 0
    if let place = threads.index(forKey: number), hasFiles(place) {
      state = interposer_thread_state(number, &threads.values[place].files, &started)
    }
    // Another thread may have its number.
    if state == 0 { state = interposer_thread_state(number, nil, &started) }
    return UInt8(bitPattern: state)
  }

  /// How often a thread that is known has run.
  private mutating func runs(of number: Int32, _ processor: UnsafeMutablePointer<UInt64>?) -> UInt64
  {
    guard let place = threads.index(forKey: number), hasFiles(place) else {
      return interposer_thread_runs(number, nil, processor)
    }
    return interposer_thread_runs(number, &threads.values[place].files, processor)
  }

  private func hasFiles(_ place: Dictionary<Int32, Thread>.Index) -> Bool {
    threads.count <= mostWithFiles || threads.values[place].files.state >= 0
  }

  private mutating func forget(_ number: Int32) {
    guard let place = threads.index(forKey: number) else { return }
    interposer_thread_close(&threads.values[place].files)
    threads.remove(at: place)
  }

  private mutating func lookAt(_ number: Int32) -> Look {
    guard let thread = threads[number] else { return .quiet }
    var (processor, started): (UInt64, UInt64) = (0, 0)
    let runs = runs(of: number, &processor)
    let state = state(of: number, &started)
    // One that shows X is on the way to tell of its end.
    guard state != 0, started == thread.started, state != UInt8(ascii: "Z") else {
      let isAnother = state != 0 && started != thread.started
      forget(number)
      if isAnother { threads[number] = Thread(started: started) }
      if state == UInt8(ascii: "Z"), !isAnother { zombies[number] = started }
      isOneMissed = true
      bereaved.insert(thread.parent)
      return .quiet
    }
    threads[number]?.runs = runs
    threads[number]?.isSharing = false
    switch state {
    case UInt8(ascii: "T"):
      stopped.insert(number)
      hasOneRun = true
      return .quiet
    case UInt8(ascii: "S"), UInt8(ascii: "I"):
      threads[number]?.workSince = nil
      // It need not be asked again before it has run again.
      guard runs == 0 || runs != thread.restedAfter else { return .quiet }
      hasOneRun = true
      guard interposer_thread_rests(number) else { return .busy }
      threads[number]?.restedAfter = runs
      return .quiet
    case UInt8(ascii: "D") where thread.isForking && interposer_thread_forks(number):
      threads[number]?.isSharing = true
      hasOneRun = true
      return .quiet
    default: break
    }
    let now = HeldAnswers.now
    let silent = readings.silentReadings(number)
    guard let since = thread.workSince, since.readings == silent else {
      threads[number]?.workSince = (processor, now, silent)
      return .busy
    }
    let isComputing =
      processor &- since.processor > Self.computingAfter || now - since.moment > Self.givingUpAfter
    return isComputing ? .computing : .busy
  }

  // MARK: Finding threads

  private mutating func exploreAllIfDue() {
    let start = HeldAnswers.now
    guard start > nextLookAtAll else { return }
    unexplored.formUnion(order)
    unexplored.insert(getpid())
    explore()
    var started: UInt64 = 0
    zombies = zombies.filter {
      interposer_thread_state($0.key, nil, &started) != 0 && started == $0.value
    }
    let end = HeldAnswers.now
    nextLookAtAll = end + max(Self.lookAtAllEvery, (end - start) * Self.lookAtAllPart)
  }

  /// Finds the threads and processes that have been made since.
  private mutating func explore() {
    for thread in companions {
      let group = ThreadLists.threads(of: thread)
      for companion in group where threads[companion] == nil {
        add(companion, parent: threads[thread]?.parent ?? 0)
      }
      // Where the maker has ended, everything is looked through.
      if group.isEmpty { unexplored.insert(thread) }
    }
    companions.removeAll(keepingCapacity: true)
    guard !unexplored.isEmpty else { return }
    // The guard between this process and the program adopts orphans.
    let guards = ThreadLists.children(of: getpid())
    var processes = Array(unexplored) + guards + [getpid()]
    unexplored = []
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

  /// Remembers a thread.
  private mutating func add(_ number: Int32, parent: Int32) {
    var started: UInt64 = 0
    let state = UInt8(bitPattern: interposer_thread_state(number, nil, &started))
    guard state != 0 else { return }
    guard threads[number] == nil else {
      if parent != 0 { threads[number]?.parent = parent }
      return
    }
    if state == UInt8(ascii: "Z") {
      // Its end is news once: its parent may be on the way to hear of it.
      guard zombies.updateValue(started, forKey: number) != started else { return }
      isOneMissed = true
      bereaved.insert(parent)
      return
    }
    threads[number] = Thread(started: started, parent: parent)
    order.append(number)
  }
}
