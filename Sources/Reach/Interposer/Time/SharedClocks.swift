import CInterposer

/// The cost of clock readings in virtual time, and how far each thread is ahead of the global time because of its
/// readings.
///
/// A single reading costs as little as on real hardware. A thread that only reads a clock repeatedly, apart from
/// non-blocking polls, is waiting for the clock, so the cost of its readings rises until the loop ends.
///
/// The cost adds to the time of the reading thread, and the thread's waits start from that time. Other threads see that
/// time only when the reading thread uses a bus or waits for the clock. A thread therefore never waits for others to
/// read a clock, and its readings depend on its own calls only, not on the load of the machine.
///
/// If a program shares memory with this process (`interposer_clocks`), a reading requires no system call, because the
/// code in vdso_clocks.S reads the memory and counts in the same way. The first reading of a thread, and the readings
/// of a thread that waits for the clock, are system calls.
final class SharedClocks {
  /// The clocks in shared memory.
  let shared: OpaquePointer
  private let time: VirtualTime
  /// The number of steps of the wall clock that programs have seen.
  private var stepsSoFar = 0
  /// The threads that have no slot in shared memory because another thread has it, by thread ID.
  private var others: [Int32: interposer_reader] = [:]
  /// The number of threads in `others` that triggers the next removal of ended threads.
  private var nextSweep = 1024
  /// The threads that a process has created.
  private struct Creations {
    var process: Int32 = 0
    var count = 0
    /// The time of the thread that created the last one.
    var moment: UInt64 = 0
  }

  /// The created threads of a process; the index is the low 10 bits of the process ID.
  private var creations = [Creations](repeating: Creations(), count: 1024)

  /// The number of consecutive readings after which the only thread of a process counts as waiting for the clock.
  fileprivate static let most: UInt32 = 64
  /// The number of consecutive readings after which one of several threads of a process counts as waiting for the
  /// clock.
  fileprivate static let mostInSeveralThreads: UInt32 = 1024
  /// The number of readings, with no other advance of time, after which a thread counts as waiting for the clock
  /// whatever else it calls; also in vdso_clocks.S.
  private static let mostWithoutWait = UInt32(INTERPOSER_MOST_READINGS)
  /// The number of further readings, each at the normal cost, after a reading for which one of many threads counted as
  /// waiting for the clock, if it makes no call.
  ///
  /// A runtime that measures its own work, such as a JVM that compiles, reads clocks ten thousands of times without
  /// waiting for any. With few threads, time must advance in each turn of a loop, because Python's threads take turns by
  /// the clock.
  private static let furtherInManyThreads: UInt32 = 512
  /// The number of threads that a process with many threads has created.
  private static let manyThreads = 12
  /// The cost of a reading in nanoseconds in a process with one thread; `costInSeveralThreads` applies with several
  /// threads.
  fileprivate static let cost: UInt32 = 100
  fileprivate static let costInSeveralThreads: UInt32 = 1

  /// Creates the clocks of a virtual time.
  init(_ time: VirtualTime) {
    let origins = Self.clocks.map { time.origin(of: $0, at: 0) ?? 0 }
    shared = interposer_clocks_create(origins, Int32(origins.count))
    self.time = time
    show()
  }

  deinit { interposer_clocks_destroy(shared) }

  /// Publishes the current time to programs.
  func show() {
    let now = time.now
    while stepsSoFar < time.steps.count, time.steps[stepsSoFar].time <= now {
      stepsSoFar += 1
      for clock in Self.clocks {
        if let origin = time.origin(of: clock, at: now) {
          interposer_clocks_set_origin(shared, clock, origin)
        }
      }
    }
    interposer_clocks_publish(shared, now)
  }

  /// The clocks of `clock_gettime` in shared memory.
  private static let clocks: Range<Int32> = 0..<12

  /// The time that a thread last read, in nanoseconds since the start.
  func latest(of thread: Int32) -> UInt64 { min(reader(thread)?.now ?? 0, VirtualTime.end) }

  /// Resets a thread's count of consecutive readings unless the call is a reading or a non-blocking poll.
  func record(_ call: Call) {
    if !call.system.isReadingOrPoll { waits(call.thread) }
    // In a loop that also makes calls, time would otherwise advance only after `furtherInManyThreads` of them.
    if !call.system.isReading { change(call.thread) { $0.endFurtherReadings() } }
  }

  /// Returns the time at which a wait of a thread ends.
  ///
  /// If a process has several threads, they race for its locks, so the number of their readings and thus their times
  /// are not reproducible. The end is therefore rounded up to a whole microsecond, which hides the difference and is
  /// far less than the wake-up latency of Linux.
  ///
  /// - Parameters:
  ///   - moment: the deadline, in nanoseconds since the start.
  ///   - thread: the thread.
  /// - Returns: the time at which the wait ends.
  func end(of moment: UInt64, _ thread: Int32) -> UInt64 {
    guard reader(thread)?.hasSeveralThreads == true, moment < VirtualTime.end else { return moment }
    return (moment + 999) / 1000 * 1000
  }

  /// Resets the count of consecutive readings of a thread that waits for something other than the clock.
  func waits(_ thread: Int32) { change(thread) { $0.endStreak() } }

  /// Records that a thread creates a thread of its process, whose readings must not be earlier than its creator's.
  func createsThread(_ thread: Int32) {
    var reader = reader(thread) ?? newReader(thread)
    reader.hasSeveralThreads = true
    keep(reader)
    var creations = creations(in: reader.process)
    creations.count += 1
    creations.moment = reader.now
    self.creations[Self.slot(of: reader.process)] = creations
  }

  /// Returns the created threads of a process.
  private func creations(in process: Int32) -> Creations {
    let found = creations[Self.slot(of: process)]
    return found.process == process ? found : Creations(process: process)
  }

  /// The index of a process in `creations`.
  private static func slot(of process: Int32) -> Int { Int(process & 1023) }

  /// Records that a thread executes a program, which starts with one thread.
  func executes(_ thread: Int32) {
    guard var reader = reader(thread) else { return }
    reader.hasSeveralThreads = false
    creations[Self.slot(of: reader.process)] = Creations()
    keep(reader)
  }

  /// Returns `true` if a thread waits for the clock, so that its next reading is serialized with all calls.
  func isWaiting(_ thread: Int32) -> Bool { reader(thread)?.isWaiting ?? false }

  /// The number of clock readings that a thread made without a system call.
  func uncalledReadings(_ thread: Int32) -> UInt32 { slot(of: thread)?.pointee.silent ?? 0 }

  /// Reads the clock.
  ///
  /// - Parameters:
  ///   - thread: the reader.
  ///   - now: the global time, in nanoseconds since the start.
  /// - Returns: the reader's time, including the cost of the reading.
  func read(_ thread: Int32, at now: UInt64) -> UInt64 {
    var reader = reader(thread) ?? newReader(thread)
    if now > reader.now {
      reader.now = now
      (reader.readings, reader.most_readings) = (0, Self.mostWithoutWait)
    }
    reader.streak &+= 1
    reader.readings &+= 1
    reader.now = min(reader.now, VirtualTime.end) + Self.cost(reader)
    if reader.hasWaited, creations(in: reader.process).count >= Self.manyThreads {
      reader.most = max(reader.most, reader.streak + Self.furtherInManyThreads)
      reader.most_readings = max(
        reader.most_readings, reader.readings + Self.furtherInManyThreads)
    }
    keep(reader)
    return reader.now
  }

  // MARK: Readers

  /// The slot of a thread in shared memory; `nil` if it has none.
  private func slot(of thread: Int32) -> UnsafeMutablePointer<interposer_reader>? {
    let slot = interposer_clocks_reader(shared, thread)
    return slot?.pointee.thread == thread ? slot : nil
  }

  private func reader(_ thread: Int32) -> interposer_reader? {
    slot(of: thread)?.pointee ?? others[thread]
  }

  /// Changes the record of a thread that reads clocks, if it has one.
  private func change(_ thread: Int32, _ change: (inout interposer_reader) -> Void) {
    if let slot = slot(of: thread) {
      change(&slot.pointee)
    } else if let index = others.index(forKey: thread) {
      change(&others.values[index])
    }
  }

  private func keep(_ reader: interposer_reader) {
    if let slot = slot(of: reader.thread) {
      slot.pointee = reader
    } else {
      others[reader.thread] = reader
    }
  }

  /// Creates the record of a thread that reads clocks, and stores it in shared memory unless another live thread has
  /// the slot.
  private func newReader(_ thread: Int32) -> interposer_reader {
    var signals = interposer_thread_signals()
    if others.count >= nextSweep {
      others = others.filter { interposer_thread_signals($0.key, nil, &signals) }
      nextSweep = max(1024, 2 * others.count)
    }
    // The main thread's ID is the process ID.
    let isKnown = interposer_thread_signals(thread, nil, &signals)
    var reader = interposer_reader()
    reader.most_readings = Self.mostWithoutWait
    reader.thread = thread
    reader.process = isKnown ? signals.process : thread
    reader.hasSeveralThreads = reader.process != thread
    if reader.hasSeveralThreads { reader.now = creations(in: reader.process).moment }
    if let slot = interposer_clocks_reader(shared, thread) {
      let owner = slot.pointee.thread
      if owner == 0 || !interposer_thread_signals(owner, nil, &signals) { slot.pointee = reader }
    }
    return reader
  }

  /// The cost of a reading in nanoseconds, which rises with the number of readings while the thread waits for the clock.
  private static func cost(_ reader: interposer_reader) -> UInt64 {
    guard reader.hasWaited else { return UInt64(reader.cost) }
    let excess = max(
      Int(reader.streak) - Int(reader.normalMost), Int(reader.readings) - Int(mostWithoutWait))
    return switch excess {
    case ...960: 5000
    case ...4032: 20_000
    default: 100_000
    }
  }
}

extension interposer_reader {
  /// `true` if the process has several threads, which read clocks far more often than they wait for them.
  fileprivate var hasSeveralThreads: Bool {
    get { cost == SharedClocks.costInSeveralThreads }
    set {
      cost = newValue ? SharedClocks.costInSeveralThreads : SharedClocks.cost
      most = normalMost
    }
  }

  /// The value of `most` at the start of a streak.
  fileprivate var normalMost: UInt32 {
    hasSeveralThreads ? SharedClocks.mostInSeveralThreads : SharedClocks.most
  }

  /// `true` if the thread waits for the clock, so that its next reading is a system call.
  fileprivate var isWaiting: Bool { streak >= most || readings >= most_readings }

  /// `true` if the thread waited for the clock in its last reading.
  fileprivate var hasWaited: Bool { streak > most || readings > most_readings }

  /// Makes the next reading one for which the thread waits, if the last such reading allowed further ones.
  fileprivate mutating func endFurtherReadings() {
    most = max(normalMost, min(most, streak))
    most_readings = max(UInt32(INTERPOSER_MOST_READINGS), min(most_readings, readings))
  }

  /// Ends a series of consecutive readings.
  fileprivate mutating func endStreak() {
    streak = 0
    most = normalMost
  }
}
