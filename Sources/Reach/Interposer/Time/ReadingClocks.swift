import CInterposer

/// What readings of a clock cost in virtual time, and how far each thread is ahead of the others by them.
///
/// A reading alone costs as little as on a machine. A thread that reads again and again, and at most looks whether
/// something has happened, waits for the clock: for that the cost rises, so that such loops end.
///
/// The cost is the reader's own until all threads rest: so no thread waits for the others to read a clock, and what it
/// reads depends on its own calls alone.
struct ReadingClocks {
  private struct Reader {
    /// Readings in a row.
    var streak = 0
    /// Readings since other things than its readings have moved time.
    var readings = 0
    /// What it has read last, in nanoseconds since the start.
    var now: UInt64 = 0
    /// Whether its process has several threads, which read clocks far more often than they wait for them.
    var isAmongMany = false
  }

  private var readers: [Int32: Reader] = [:]
  /// With how many readers it is looked next which of them have ended.
  private var nextSweep = 1024
  /// What the reader that is furthest ahead has read.
  private(set) var latest: UInt64 = 0

  /// After so many readings in a row a thread waits for the clock.
  private static let most = 64
  /// The same where a process has several threads.
  private static let mostAmongMany = 1024
  /// After so many readings by which alone time has passed a thread waits for the clock, whatever else it calls.
  private static let mostAtOnce = 8192

  /// What is called in loops that wait for the clock, apart from its readings: looks that do not wait.
  private static let neutral: Set<SystemCall> = [
    .clockGettime, .gettimeofday, .time, .poll, .ppoll, .select, .pselect6, .epollWait, .epollPwait,
    .epollPwait2,
  ]

  /// Takes notice of a call.
  mutating func heard(_ call: Call) {
    if !Self.neutral.contains(call.system) { readers[call.thread]?.streak = 0 }
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
    guard readers[thread]?.isAmongMany == true, moment < VirtualTime.end else { return moment }
    return (moment + 999) / 1000 * 1000
  }

  /// Takes notice that a thread waits, for anything but the clock.
  mutating func waits(_ thread: Int32) { readers[thread]?.streak = 0 }

  /// Takes notice that a thread makes another one of its process.
  mutating func makesCompanion(_ thread: Int32) {
    readers[thread, default: Reader()].isAmongMany = true
  }

  /// Takes notice that a thread becomes another program, and is alone in it.
  mutating func executes(_ thread: Int32) { readers[thread]?.isAmongMany = false }

  /// Whether a thread waits for the clock, so that its next reading has its turn among all calls.
  func isWaiting(_ thread: Int32) -> Bool { readers[thread].map { Self.excess($0) >= 0 } ?? false }

  /// Reads.
  ///
  /// - Parameters:
  ///   - thread: the reader.
  ///   - now: the time of all, in nanoseconds since the start.
  /// - Returns: the reader's time, after what the reading costs.
  mutating func read(_ thread: Int32, at now: UInt64) -> UInt64 {
    var reader = readers[thread] ?? newReader(thread)
    if now > reader.now {
      reader.now = now
      reader.readings = 0
    }
    reader.streak += 1
    reader.readings += 1
    reader.now += Self.cost(reader)
    readers[thread] = reader
    latest = max(latest, reader.now)
    return reader.now
  }

  private mutating func newReader(_ thread: Int32) -> Reader {
    var signals = interposer_thread_signals()
    if readers.count >= nextSweep {
      readers = readers.filter { interposer_thread_signals($0.key, &signals) }
      nextSweep = max(1024, 2 * readers.count)
    }
    // Its first thread gives a process its number.
    let isKnown = interposer_thread_signals(thread, &signals)
    return Reader(isAmongMany: isKnown && signals.process != thread)
  }

  /// How many readings more a reader has made than those that do not wait for the clock; below 0 while there are fewer.
  private static func excess(_ reader: Reader) -> Int {
    max(reader.streak - (reader.isAmongMany ? mostAmongMany : most), reader.readings - mostAtOnce)
  }

  private static func cost(_ reader: Reader) -> UInt64 {
    switch excess(reader) {
    case ...0: reader.isAmongMany ? 1 : 100
    case ...960: 5000
    case ...4032: 20_000
    default: 100_000
    }
  }
}
