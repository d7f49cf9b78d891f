import CInterposer
import Glibc

/// The blocked calls of clients in virtual time, and the rule by which time advances.
///
/// While a thread of any client runs, time does not advance. When all threads wait, the earliest event is handled, one
/// at a time: a wait ends, a timer expires, or a serialized call is performed. All its effects come to rest before the
/// next event is handled. The order of events therefore depends on the programs only, not on the speed of the machine.
final class VirtualTimeScheduler {
  let time: VirtualTime
  var threads: ThreadTable
  var timers = ProcessTimers()
  var descriptors = TimerDescriptors()
  let readings: SharedClocks
  private let listener: Listener
  /// Returns `true` if no read or write of a FUSE file is pending; such requests do not arrive through the seccomp
  /// listener.
  var isIdle: () -> Bool = { true }
  /// The blocked calls by thread ID; a thread makes one call at a time.
  private var waits: [Int32: Wait] = [:]
  /// Calls interrupted by a stop or a tracer, by thread ID; they resume when the call is restarted.
  private var suspended: [Int32: Wait] = [:]
  /// The number of consecutive checks without progress.
  private var busyChecks = 0
  /// The total number of checks.
  private var checks = 0
  /// `true` if a call arrived since the last check and its thread now runs.
  private var isFresh = false
  private var nextSignals: UInt64 = 0
  /// The machine time in nanoseconds since which every check has found a running thread; `nil` if the last check found
  /// none.
  private var busySince: UInt64?
  /// The threads that may have pending signals since the last check.
  var signalScope = Interruptions.SignalScope.all
  private var interruptions = Interruptions()
  /// The virtual time at which the time limit is reached; waits with later deadlines do not end.
  private let end: UInt64
  /// The virtual time after the limit that a program which handles SIGTERM has to exit, in nanoseconds.
  private let grace: UInt64
  /// `true` after SIGTERM was sent at the limit: time advances again, for programs that handle the signal.
  var isExiting = false
  /// Returns `true` if a signal for the program has arrived and was not yet sent to it; until then, time does not advance.
  var isSignalUnderWay: () -> Bool = { false }
  /// Returns `true` if a signal has requested the end of all programs.
  var isEndRequested: () -> Bool = { false }
  /// The machine time of the next check whether all programs sleep without a deadline, and whether the last one found that.
  private var limitCheck = (next: UInt64(0), isSuspected: false)
  private var stallDetector: StallDetector

  /// The minimum interval of checks in nanoseconds of the machine.
  ///
  /// The maximum is `longestCheck`. Between them, the interval is the time for which programs have been running,
  /// divided by `checkFraction`.
  private static let shortestCheck: Int64 = 10_000
  private static let longestCheck: Int64 = 2_000_000
  private static let checkFraction: Int64 = 16
  /// The maximum number of threads with which calls are serialized; with more threads, a call is performed without a
  /// check that all others wait.
  private static let mostSerialized = 64
  /// The minimum interval of checks for signals sent without a call of a client, in nanoseconds of the machine; the
  /// interval is also at least `signalsPart` times the duration of a check.
  private static let signalsEvery: UInt64 = 5_000_000
  private static let signalsPart: UInt64 = 20
  /// The time for which a thread must have been running before signals interrupt the waiting threads, in nanoseconds of
  /// the machine.
  ///
  /// Earlier signals are handled when all threads wait, at a time that does not depend on the speed of the machine.
  private static let signalsWait: UInt64 = 500_000_000

  init(
    _ time: VirtualTime, _ listener: Listener, guardian: Int32, end: UInt64 = .max,
    graceSeconds: Double = 0
  ) {
    self.time = time
    self.end = end
    grace = UInt64(min(max(graceSeconds, 0), 1e9) * 1e9)
    self.listener = listener
    let readings = SharedClocks(time)
    self.readings = readings
    threads = ThreadTable(guardian: guardian, readings: readings)
    stallDetector = StallDetector(limit: time.stallTimeout)
  }

  deinit { threads.close() }

  /// The time until the next check, in nanoseconds.
  ///
  /// It grows while programs run, so the delay in detecting that they are at rest stays a small fraction of their
  /// running time.
  var longestWaitNanoseconds: Int64? {
    guard !waits.isEmpty || nextTimer != nil else {
      return lastMoment < .max
        ? Int64(Self.limitCheckInterval) : stallDetector.longestWaitNanoseconds
    }
    guard busyChecks > 0 else { return Self.shortestCheck }
    guard let busySince else {
      return min(Self.shortestCheck << Int64(min(busyChecks / 4, 8)), Self.longestCheck)
    }
    let work = Int64(clamping: DelayedAnswers.now - busySince)
    return min(max(work / Self.checkFraction, Self.shortestCheck), Self.longestCheck)
  }

  func record(_ call: Call) {
    isFresh = true
    threads.record(call)
    readings.record(call)
    if let wait = suspended[call.thread], !wait.call.isAgain(call) {
      suspended[call.thread] = nil
    }
  }

  // MARK: Blocking calls

  /// Blocks a call unless the event it waits for has already occurred.
  func block(_ wait: Wait) -> Answer {
    var wait = wait
    // A call restarted after a stop or a tracer keeps its earlier deadline.
    if let earlier = suspended.removeValue(forKey: wait.call.thread) {
      wait.deadline = min(wait.deadline, earlier.deadline)
    }
    if let answer = wait.check?() { return answer }
    if wait.deadline <= time.now, wait.wanted == 0 { return wait.end() }
    readings.waits(wait.call.thread)
    wait.deadline = readings.end(of: wait.deadline, wait.call.thread)
    return enqueue(wait)
  }

  /// Performs a call that reads or changes time or uses a bus: at once if no other thread runs, otherwise in order.
  ///
  /// A clock reading is not serialized unless its thread waits for the clock.
  func serialize(_ call: Call, _ body: @escaping () -> Answer) -> Answer {
    if call.system.isReading, !readings.isWaiting(call.thread) { return body() }
    if threads.count > Self.mostSerialized {
      if !call.system.concernsTime { catchUp(call) }
      return body()
    }
    // An action that advances the global time starts at the caller's own time.
    let body = {
      [self] in
      if !call.system.concernsTime { catchUp(call) }
      return body()
    }
    if isOnlyRunnable(call) { return body() }
    return enqueue(Wait(call: call, deadline: time.now, end: body))
  }

  private func isOnlyRunnable(_ call: Call) -> Bool {
    guard !isAnyDue(at: time.now) else { return false }
    let activity = threads.activity { $0 == call.thread || waits[$0] != nil }
    guard activity == .quiet, !interposer_is_readable(listener.descriptor) else { return false }
    return call.system.concernsTime || !isAnyDue(at: now(of: call))
  }

  private func isAnyDue(at moment: UInt64) -> Bool {
    waits.values.contains { $0.deadline <= moment }
  }

  /// The time of a caller, which may be ahead of the global time because of its clock readings.
  func now(of call: Call) -> UInt64 { max(time.now, readings.latest(of: call.thread)) }

  /// Returns the caller's time plus a duration, at most the end of time.
  func moment(after length: UInt64, _ call: Call) -> UInt64 {
    let now = now(of: call)
    return min(now + min(length, VirtualTime.end), max(VirtualTime.end, now))
  }

  /// Advances the global time to that of a caller.
  private func catchUp(_ call: Call) { advance(to: now(of: call)) }

  /// Advances the time and publishes it to programs.
  private func advance(to moment: UInt64) {
    time.advance(to: min(moment, lastMoment))
    readings.show()
  }

  /// The latest time that is reached.
  private var lastMoment: UInt64 { isExiting ? end + min(grace, .max - end) : end }

  /// `true` if a program that handles SIGTERM has not exited within its grace period in virtual time.
  var isGraceOver: Bool { isExiting && time.now >= lastMoment }

  /// Reads a clock for a caller, at a small cost in time.
  ///
  /// - Parameters:
  ///   - clock: the clock ID of `clock_gettime`.
  ///   - call: the reading.
  /// - Returns: the value in nanoseconds; `nil` for clocks that measure CPU time.
  func reading(of clock: Int32, _ call: Call) -> UInt64? {
    guard time.reading(of: clock) != nil else { return nil }
    let isSerialized = readings.isWaiting(call.thread)
    let moment = readings.read(call.thread, at: time.now)
    if isSerialized { catchUp(call) }
    return time.reading(of: clock, at: moment)
  }

  private func enqueue(_ wait: Wait) -> Answer {
    waits[wait.call.thread] = wait
    isFresh = false
    return .elsewhere
  }

  // MARK: Advancing time

  /// Answers the calls that are due or ready.
  ///
  /// If there are none and every thread waits, time advances to the next event.
  ///
  /// - Parameter isIdle: `true` if no call arrived recently; a thread that was just answered is running.
  func wakeDue(isIdle: Bool) {
    guard !waits.isEmpty || nextTimer != nil else { return }
    guard isIdle || !isFresh else {
      // A thread that makes calls without a pause must not prevent the end of all programs.
      return isEndRequested() ? interruptIfDue() : ()
    }
    checks &+= 1
    if checks & 15 == 0 { waits = waits.filter { listener.waits($1.call.id) } }
    // First the threads, then the pending calls: a thread that was seen asleep has either made a call before, which is
    // now visible, or still sleeps.
    let activity = threads.activity { waits[$0] != nil }
    guard activity != .busy, !interposer_is_readable(listener.descriptor), self.isIdle() else {
      return interruptIfDue()
    }
    if activity == .quiet {
      busySince = nil
      if interrupt() { return }
    }
    if handleDue(at: time.now) || answerFirstReady() { return }
    guard activity == .quiet else { return interruptIfDue() }
    let first = waits.values.lazy.map(\.deadline).min() ?? .max
    let next = min(first, nextTimer ?? .max)
    guard next < .max, time.mayAdvance(time.now) else {
      busyChecks += 1
      return
    }
    guard !isSignalUnderWay() else { return }
    advance(to: next)
    _ = handleDue(at: time.now)
  }

  /// Advances to the time limit if all programs sleep without a deadline and nothing from outside can wake them.
  ///
  /// Two checks are needed, because a process may have woken a thread a moment before.
  func advanceToLimitIfAsleep() {
    guard lastMoment < .max, waits.isEmpty, nextTimer == nil, time.now < lastMoment else { return }
    let now = DelayedAnswers.now
    guard now >= limitCheck.next else { return }
    limitCheck.next = now + Self.limitCheckInterval
    let wasSuspected = limitCheck.isSuspected
    limitCheck.isSuspected = false
    guard threads.activity(isWaiting: { _ in false }) == .quiet, threads.stopped.isEmpty,
      !interposer_is_readable(listener.descriptor), isIdle(), threads.count > 0,
      !threads.numbers.map(ThreadSleep.init).contains(where: \.mayBeWokenFromOutside)
    else { return }
    limitCheck.isSuspected = true
    if wasSuspected, !isSignalUnderWay() { advance(to: lastMoment) }
  }

  /// The interval of checks whether all programs sleep, with a time limit, in nanoseconds of the machine.
  private static let limitCheckInterval: UInt64 = 100_000_000

  /// Checks at intervals whether programs make progress.
  func checkForStall() -> StallDetector.Finding? {
    stallDetector.check(at: time.now) {
      guard waits.isEmpty, nextTimer == nil else {
        // A wait with a deadline ends unless a running thread keeps time from advancing.
        return busySince == nil ? .due : .work(threads.lastBusy)
      }
      // A thread whose call has not been received yet also sleeps.
      let activity = threads.activity { _ in false }
      guard activity == .quiet, !interposer_is_readable(listener.descriptor) else {
        return .work(threads.lastBusy)
      }
      return threads.stopped.isEmpty && isIdle() ? .asleep(threads.numbers) : .due
    }
  }

  /// The time of the next timer expiry.
  private var nextTimer: UInt64? {
    [timers.next, descriptors.next].compactMap(\.self).min()
  }

  /// Handles the first event that is due.
  ///
  /// - Returns: `false` if there was none.
  private func handleDue(at moment: UInt64) -> Bool {
    let first = waits.values.min(by: Wait.isEarlier)
    let deadline = first?.deadline ?? .max
    if let timer = nextTimer, timer <= moment, timer <= deadline {
      busyChecks = 0
      if timers.next == timer {
        signalScope.formUnion(timers.expireFirst().map { [$0] } ?? [])
      } else {
        descriptors.expireFirst()
      }
      return true
    }
    guard let first, deadline <= moment else { return false }
    waits[first.call.thread] = nil
    answer(first, first.end())
    return true
  }

  /// Answers the first call whose event has occurred.
  ///
  /// - Returns: `false` if there was none.
  private func answerFirstReady() -> Bool {
    for wait in waits.values.filter({ $0.check != nil }).sorted(by: Wait.isEarlier) {
      guard let answer = wait.check?() else { continue }
      waits[wait.call.thread] = nil
      self.answer(wait, answer)
      return true
    }
    return false
  }

  private func answer(_ wait: Wait, _ answer: Answer) {
    busyChecks = 0
    readings.show()
    listener.answer(wait.call.id, answer)
  }

  // MARK: Signals

  /// Lets signals interrupt the waiting threads if another thread has been running for a long time.
  ///
  /// If the end of all programs was requested, due calls no longer wait for that thread either: the process that
  /// would end it, such as timeout(1), may be making one.
  private func interruptIfDue() {
    busyChecks += 1
    let now = DelayedAnswers.now
    let since = busySince ?? now
    busySince = since
    guard now - since > Self.signalsWait else { return }
    if now > nextSignals, interrupt() { return }
    if isEndRequested() { _ = handleDue(at: time.now) }
  }

  /// Answers the calls whose threads have pending signals.
  ///
  /// - Returns: `false` if there were none.
  private func interrupt() -> Bool {
    let start = DelayedAnswers.now
    // With few threads all are checked; with many, only those for which a call may have sent a signal.
    signalScope.formUnion(threads.takeProcessesWithEndedChildren())
    if waits.count <= Self.mostSerialized || start > nextSignals { signalScope = .all }
    let found = interruptions.find(in: &waits, signalScope, &threads)
    if signalScope == .all {
      let end = DelayedAnswers.now
      nextSignals = end + max(Self.signalsEvery, (end - start) * Self.signalsPart)
    }
    signalScope = .none
    for (wait, answer) in found {
      if case .failure(Interruptions.restart) = answer { suspended[wait.call.thread] = wait }
      self.answer(wait, answer)
    }
    return !found.isEmpty
  }
}

/// Detects that programs in virtual time make no progress.
///
/// Either all threads sleep, no deadline is due and no outside event can wake one, so they wait for each other forever;
/// or time does not advance because a thread keeps running.
struct StallDetector {
  /// The result of a check.
  enum Finding {
    /// All threads wait for each other forever; the strings describe what each thread waits for.
    case forEver([String])
    /// Time does not advance because the thread with this ID keeps running.
    case work(Int32)
  }

  /// The state of the programs.
  enum State {
    /// The threads with these IDs sleep, and no event is due.
    case asleep([Int32])
    /// The thread with this ID runs.
    case work(Int32)
    /// An event is due.
    case due
  }

  /// The timeout in nanoseconds of the machine; `nil` for none.
  let limit: UInt64?
  /// Two machine times in nanoseconds: `asleepSince`, since which all threads have slept, and `since`, since which
  /// virtual time has not advanced.
  private var (asleepSince, since): (UInt64?, UInt64?) = (nil, nil)
  private var (time, nextCheck): (UInt64, UInt64) = (0, 0)
  private var hasReportedWork = false
  /// `true` if the previous check found that nothing can wake the threads.
  ///
  /// One check is not enough: a process may have woken a thread and exited a moment before, while the thread has not
  /// run yet.
  private var isSuspected = false

  /// The interval of checks in nanoseconds of the machine.
  private static let every: UInt64 = 1_000_000_000

  /// Creates a detector.
  ///
  /// - Parameter limit: the timeout in nanoseconds of the machine; `nil` for none.
  init(limit: UInt64?) { self.limit = limit }

  /// The time until the next check in nanoseconds; `nil` for none.
  var longestWaitNanoseconds: Int64? { limit.map { Int64(min($0, Self.every)) } }

  /// Checks whether programs make progress.
  ///
  /// - Parameters:
  ///   - time: the virtual time, in nanoseconds since the start.
  ///   - state: returns the state of the programs.
  /// - Returns: a stall to report; a stall of kind `work` is returned only once. `nil` if programs make progress.
  mutating func check(at time: UInt64, _ state: () -> State) -> Finding? {
    let now = DelayedAnswers.now
    guard let limit, now >= nextCheck else { return nil }
    nextCheck = now + min(limit, Self.every)
    if time != self.time || since == nil { (self.time, since) = (time, now) }
    switch state() {
    case .due:
      (asleepSince, since, isSuspected) = (nil, now, false)
    case .work(let thread):
      (asleepSince, isSuspected) = (nil, false)
      guard !hasReportedWork, now - (since ?? now) >= limit else { return nil }
      hasReportedWork = true
      return .work(thread)
    case .asleep(let threads):
      let start = asleepSince ?? now
      (asleepSince, since) = (start, now)
      guard now - start >= limit else { return nil }
      let sleeps = threads.map(ThreadSleep.init)
      let isForEver = !sleeps.contains { $0.mayBeWokenFromOutside }
      defer { isSuspected = isForEver }
      return isForEver && isSuspected ? .forEver(sleeps.map(\.description)) : nil
    }
    return nil
  }
}
