import CInterposer

/// What readings of a clock cost in virtual time, and how far each thread is ahead of the others by them.
///
/// A reading alone costs as little as on a machine. A thread that reads again and again, and at most looks whether
/// something has happened, waits for the clock: for that the cost rises, so that such loops end.
///
/// The cost is the reader's own, and its waits begin where it has come to by it; the others meet that time only where it
/// uses a bus or waits for the clock. So no thread waits for the others to read a clock, and what it reads depends on its
/// own calls alone, not on how far the others have come on a busy machine.
///
/// A reading needs no system call where a program shares memory with this process (`interposer_clocks`). It looks there
/// what it reads, and counts as it is counted here; the first reading of a thread, and those of one that waits for the
/// clock, come here.
final class ReadingClocks {
  /// The clocks that programs share.
  let shared: OpaquePointer
  private let now: () -> UInt64
  /// What threads have read that have no place among those that are shared, as another one has it.
  private var others: [Int32: interposer_reader] = [:]
  /// With how many of these it is looked next which of them have ended.
  private var nextSweep = 1024
  /// What those that made a thread last had read then, by the last bits of the numbers of their processes.
  private var births = [(process: Int32, moment: UInt64)](repeating: (0, 0), count: 1024)

  /// After so many readings in a row a thread waits for the clock.
  fileprivate static let most: UInt32 = 64
  /// The same where a process has several threads.
  fileprivate static let mostAmongMany: UInt32 = 1024
  /// After so many readings by which alone time has passed a thread waits for the clock, whatever else it calls;
  /// reading.S knows it too.
  private static let mostAtOnce: UInt32 = 8192
  /// What a reading takes, in nanoseconds; the same where a process has several threads.
  fileprivate static let cost: UInt32 = 100
  fileprivate static let costAmongMany: UInt32 = 1

  /// Creates the clocks of a time.
  init(_ time: VirtualTime) {
    let origins = (0..<12 as Range<Int32>).map { time.origin(of: $0) ?? 0 }
    shared = interposer_clocks_create(origins, Int32(origins.count))
    now = { time.now }
    show()
  }

  deinit { interposer_clocks_destroy(shared) }

  /// Lets programs see what time it is.
  func show() { interposer_clocks_show(shared, now()) }

  /// What a thread has read last, in nanoseconds since the start.
  func latest(of thread: Int32) -> UInt64 { min(reader(thread)?.now ?? 0, VirtualTime.end) }

  /// What is called in loops that wait for the clock, apart from its readings: looks that do not wait.
  private static let neutral: Set<SystemCall> = [
    .clockGettime, .gettimeofday, .time, .poll, .ppoll, .select, .pselect6, .epollWait, .epollPwait,
    .epollPwait2,
  ]

  /// Takes notice of a call.
  func heard(_ call: Call) {
    if !Self.neutral.contains(call.system) { waits(call.thread) }
  }

  /// When a thread that waits for a moment goes on.
  ///
  /// Threads of one process race for its locks, so how many readings they have made is no property of the program.
  /// A whole microsecond hides that: it is far less than what Linux makes sleepers wait beyond their time.
  ///
  /// - Parameters:
  ///   - moment: what it waits for, in nanoseconds since the start.
  ///   - thread: the thread.
  /// - Returns: the moment at which it goes on.
  func end(of moment: UInt64, _ thread: Int32) -> UInt64 {
    guard reader(thread)?.isAmongMany == true, moment < VirtualTime.end else { return moment }
    return (moment + 999) / 1000 * 1000
  }

  /// Takes notice that a thread waits, for anything but the clock.
  func waits(_ thread: Int32) {
    if let place = place(of: thread) {
      place.pointee.streak = 0
    } else {
      others[thread]?.streak = 0
    }
  }

  /// Takes notice that a thread makes another one of its process, which reads no earlier moment than its maker has read:
  /// neither when it reads before all have rested, nor after.
  func makesCompanion(_ thread: Int32) {
    var reader = reader(thread) ?? newReader(thread)
    reader.isAmongMany = true
    keep(reader)
    births[Self.place(of: reader.process)] = (reader.process, reader.now)
  }

  /// Where it stands what the maker of a process's last thread had read.
  private static func place(of process: Int32) -> Int { Int(process & 1023) }

  /// Takes notice that a thread becomes another program, and is alone in it.
  func executes(_ thread: Int32) {
    guard var reader = reader(thread) else { return }
    reader.isAmongMany = false
    keep(reader)
  }

  /// Whether a thread waits for the clock, so that its next reading has its turn among all calls.
  func isWaiting(_ thread: Int32) -> Bool { reader(thread).map { Self.excess($0) >= 0 } ?? false }

  /// How often a thread has read a clock without a call.
  func silentReadings(_ thread: Int32) -> UInt32 { place(of: thread)?.pointee.silent ?? 0 }

  /// Reads.
  ///
  /// - Parameters:
  ///   - thread: the reader.
  ///   - now: the time of all, in nanoseconds since the start.
  /// - Returns: the reader's time, after what the reading costs.
  func read(_ thread: Int32, at now: UInt64) -> UInt64 {
    var reader = reader(thread) ?? newReader(thread)
    if now > reader.now {
      reader.now = now
      reader.readings = 0
    }
    reader.streak &+= 1
    reader.readings &+= 1
    reader.now = min(reader.now, VirtualTime.end) + Self.cost(reader)
    keep(reader)
    return reader.now
  }

  // MARK: Readers

  /// The place of a thread among the readers that are shared, where it has that.
  private func place(of thread: Int32) -> UnsafeMutablePointer<interposer_reader>? {
    let place = interposer_clocks_reader(shared, thread)
    return place?.pointee.thread == thread ? place : nil
  }

  private func reader(_ thread: Int32) -> interposer_reader? {
    place(of: thread)?.pointee ?? others[thread]
  }

  private func keep(_ reader: interposer_reader) {
    if let place = place(of: reader.thread) {
      place.pointee = reader
    } else {
      others[reader.thread] = reader
    }
  }

  /// A reader, with a place among those that are shared unless a thread that still lives has it.
  private func newReader(_ thread: Int32) -> interposer_reader {
    var signals = interposer_thread_signals()
    if others.count >= nextSweep {
      others = others.filter { interposer_thread_signals($0.key, &signals) }
      nextSweep = max(1024, 2 * others.count)
    }
    // Its first thread gives a process its number.
    let isKnown = interposer_thread_signals(thread, &signals)
    var reader = interposer_reader()
    reader.thread = thread
    reader.process = isKnown ? signals.process : thread
    reader.isAmongMany = reader.process != thread
    let birth = births[Self.place(of: reader.process)]
    if reader.isAmongMany, birth.process == reader.process { reader.now = birth.moment }
    if let place = interposer_clocks_reader(shared, thread) {
      let owner = place.pointee.thread
      if owner == 0 || !interposer_thread_signals(owner, &signals) { place.pointee = reader }
    }
    return reader
  }

  /// How many readings more a reader has made than those that do not wait for the clock; below 0 while there are fewer.
  private static func excess(_ reader: interposer_reader) -> Int {
    max(Int(reader.streak) - Int(reader.most), Int(reader.readings) - Int(mostAtOnce))
  }

  private static func cost(_ reader: interposer_reader) -> UInt64 {
    switch excess(reader) {
    case ...0: UInt64(reader.isAmongMany ? costAmongMany : cost)
    case ...960: 5000
    case ...4032: 20_000
    default: 100_000
    }
  }
}

extension interposer_reader {
  /// Whether its process has several threads, which read clocks far more often than they wait for them.
  fileprivate var isAmongMany: Bool {
    get { cost == ReadingClocks.costAmongMany }
    set {
      cost = newValue ? ReadingClocks.costAmongMany : ReadingClocks.cost
      most = newValue ? ReadingClocks.mostAmongMany : ReadingClocks.most
    }
  }
}
