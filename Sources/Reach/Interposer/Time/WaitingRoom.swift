import CInterposer
import Glibc

/// The calls that wait where time is virtual, and the rule by which it passes.
///
/// While a thread of any program is at work, time stands still. When all wait, the first thing that is due happens,
/// one at a time: a wait ends, a timer expires, somebody has its turn. What it sets going comes to rest before the
/// next. So what programs see depends on them and not on how fast the machine is.
final class WaitingRoom {
  let time: VirtualTime
  var threads: ThreadTable
  var timers = ProcessTimers()
  var descriptors = TimerDescriptors()
  let readings: ReadingClocks
  private let listener: Listener
  /// Whether nobody waits for an answer that is not a call's: for a read of a file that is served.
  var isIdle: () -> Bool = { true }
  /// By their threads: a thread makes one call at a time.
  private var waits: [Int32: Wait] = [:]
  /// Waits that a stop or a tracer has interrupted, by their threads: they go on when the call is made again.
  private var suspended: [Int32: Wait] = [:]
  /// How often in a row nothing could happen.
  private var busyLooks = 0
  /// How often it has been looked.
  private var looks = 0
  /// Whether a call has been heard since the last look whose thread now runs on.
  private var isFresh = false
  private var nextSignals: UInt64 = 0
  /// Since when a thread has been found at work at each look, in nanoseconds of the machine.
  private var busySince: UInt64?
  /// For whom signals may be pending since they were last looked for.
  var suspicion = Interruptions.Suspicion.all
  private var interruptions = Interruptions()
  /// The moment that time does not pass: whoever waits for a later one waits on.
  private let end: UInt64
  private var standstill: Standstill

  /// How long to wait before looking again, in nanoseconds of the machine, at least, at the most, and as a part of the
  /// time for which programs have worked.
  private static let shortestLook: Int64 = 10_000
  private static let longestLook: Int64 = 2_000_000
  private static let lookPart: Int64 = 8
  /// With more threads than these it is not made sure that nobody else is at work before a call has its turn.
  private static let mostInTurn = 64
  /// How often signals that nobody announced are looked for, in nanoseconds of the machine, and at the most for which
  /// part of the time.
  private static let signalsEvery: UInt64 = 5_000_000
  private static let signalsPart: UInt64 = 20
  /// How long programs may be at work before signals interrupt those that wait meanwhile, in nanoseconds of the machine:
  /// before, they are taken when all rest, at a moment that does not depend on how fast the machine is.
  private static let signalsWait: UInt64 = 500_000_000

  init(_ time: VirtualTime, _ listener: Listener, guardian: Int32, end: UInt64 = .max) {
    self.time = time
    self.end = end
    self.listener = listener
    let readings = ReadingClocks(time)
    self.readings = readings
    threads = ThreadTable(guardian: guardian, readings: readings)
    standstill = Standstill(limit: time.patience)
  }

  deinit { threads.close() }

  /// How long to wait for events before looking again, in nanoseconds: longer while programs work, so that their rest is
  /// seen late by a small part of that work.
  var longestWaitNanoseconds: Int64? {
    guard !waits.isEmpty || nextTimer != nil else { return standstill.longestWaitNanoseconds }
    guard busyLooks > 0 else { return Self.shortestLook }
    guard let busySince else {
      return min(Self.shortestLook << Int64(min(busyLooks / 4, 8)), Self.longestLook)
    }
    let work = Int64(clamping: HeldAnswers.now - busySince)
    return min(max(work / Self.lookPart, Self.shortestLook), Self.longestLook)
  }

  /// Takes notice of a call.
  func heard(_ call: Call) {
    isFresh = true
    threads.heard(call)
    readings.heard(call)
    if let wait = suspended[call.thread], !wait.call.isAgain(call) {
      suspended[call.thread] = nil
    }
  }

  // MARK: Beginning to wait

  /// Lets a call wait, unless what it waits for has happened.
  func take(_ wait: Wait) -> Answer {
    var wait = wait
    // It goes on where a stop or a tracer interrupted it.
    if let earlier = suspended.removeValue(forKey: wait.call.thread) {
      wait.deadline = min(wait.deadline, earlier.deadline)
    }
    if let answer = wait.look?() { return answer }
    if wait.deadline <= time.now, wait.wanted == 0 { return wait.end() }
    readings.waits(wait.call.thread)
    wait.deadline = readings.end(of: wait.deadline, wait.call.thread)
    return park(wait)
  }

  /// Does what touches time or a bus when it is this call's turn: at once if nobody else is at work.
  ///
  /// A reading of a clock has no turn, unless its thread waits for the clock by it.
  func inTurn(_ call: Call, _ body: @escaping () -> Answer) -> Answer {
    if call.system.isReading, !readings.isWaiting(call.thread) { return body() }
    if threads.count > Self.mostInTurn {
      if !call.system.concernsTime { catchUp(call) }
      return body()
    }
    // What moves the time of all begins where the caller has come to by its readings.
    let body = {
      [self] in
      if !call.system.concernsTime { catchUp(call) }
      return body()
    }
    if isAlone(call) { return body() }
    return park(Wait(call: call, deadline: time.now, end: body))
  }

  private func isAlone(_ call: Call) -> Bool {
    guard !isAnyDue(at: time.now) else { return false }
    let look = threads.look { $0 == call.thread || waits[$0] != nil }
    guard look == .quiet, !interposer_is_readable(listener.descriptor) else { return false }
    return call.system.concernsTime || !isAnyDue(at: now(of: call))
  }

  private func isAnyDue(at moment: UInt64) -> Bool {
    waits.values.contains { $0.deadline <= moment }
  }

  /// What time it is for a caller, who is ahead of the others by its readings.
  func now(of call: Call) -> UInt64 { max(time.now, readings.latest(of: call.thread)) }

  /// The moment after a length of time that begins now for a caller; at the end of time it is now.
  func moment(after length: UInt64, _ call: Call) -> UInt64 {
    let now = now(of: call)
    return min(now + min(length, VirtualTime.end), max(VirtualTime.end, now))
  }

  /// Lets time come to what a caller has read.
  private func catchUp(_ call: Call) { advance(to: now(of: call)) }

  /// Lets time come to a moment, which programs see.
  private func advance(to moment: UInt64) {
    time.advance(to: min(moment, end))
    readings.show()
  }

  /// What a clock shows to the caller, whom the reading costs a little time.
  ///
  /// - Parameters:
  ///   - clock: the clock, by its number for `clock_gettime`.
  ///   - call: the reading.
  /// - Returns: the reading in nanoseconds; `nil` for clocks of processor time.
  func reading(of clock: Int32, _ call: Call) -> UInt64? {
    guard time.reading(of: clock) != nil else { return nil }
    let isInTurn = readings.isWaiting(call.thread)
    let moment = readings.read(call.thread, at: time.now)
    if isInTurn { catchUp(call) }
    return time.reading(of: clock, at: moment)
  }

  private func park(_ wait: Wait) -> Answer {
    waits[wait.call.thread] = wait
    isFresh = false
    return .elsewhere
  }

  // MARK: Passing time

  /// Answers whoever is due or has got what it waits for; where there is nobody and every thread waits, time jumps to
  /// what is next.
  ///
  /// - Parameter isIdle: whether nobody has called for a while; a thread that was just answered is at work.
  func letOut(isIdle: Bool) {
    guard isIdle || !isFresh, !waits.isEmpty || nextTimer != nil else { return }
    looks &+= 1
    if looks & 15 == 0 { waits = waits.filter { listener.waits($1.call.id) } }
    // First the threads, then the calls that nobody has heard yet: a thread that was seen asleep has either called
    // before, which shows now, or sleeps on.
    let look = threads.look { waits[$0] != nil }
    guard look != .busy, !interposer_is_readable(listener.descriptor), self.isIdle() else {
      return interruptIfDue()
    }
    if look == .quiet {
      busySince = nil
      if interrupt() { return }
    }
    if happens(at: time.now) || answerReady() { return }
    guard look == .quiet else { return interruptIfDue() }
    let first = waits.values.lazy.map(\.deadline).min() ?? .max
    let next = min(first, nextTimer ?? .max)
    guard next < .max, time.mayPass(time.now) else {
      busyLooks += 1
      return
    }
    advance(to: next)
    _ = happens(at: time.now)
  }

  /// Looks whether programs go on, now and then.
  func lookForStandstill() -> Standstill.Finding? {
    standstill.look(at: time.now) {
      guard waits.isEmpty, nextTimer == nil else {
        // What waits for a moment is due, unless a thread works and so keeps time from coming to it.
        return busySince == nil ? .due : .work(threads.lastBusy)
      }
      // A thread whose call has not been heard yet sleeps too.
      let look = threads.look { _ in false }
      guard look == .quiet, !interposer_is_readable(listener.descriptor) else {
        return .work(threads.lastBusy)
      }
      return threads.stopped.isEmpty && isIdle() ? .asleep(threads.numbers) : .due
    }
  }

  /// When the next timer expires.
  private var nextTimer: UInt64? {
    [timers.next, descriptors.next].compactMap(\.self).min()
  }

  /// Lets the first of what is due happen; whether there was anything.
  private func happens(at moment: UInt64) -> Bool {
    let first = waits.values.min(by: Wait.isEarlier)
    let deadline = first?.deadline ?? .max
    if let timer = nextTimer, timer <= moment, timer <= deadline {
      busyLooks = 0
      if timers.next == timer {
        suspicion.formUnion(timers.expireFirst().map { [$0] } ?? [])
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

  /// Answers the first for whom something has happened; whether there was anybody.
  private func answerReady() -> Bool {
    for wait in waits.values.filter({ $0.look != nil }).sorted(by: Wait.isEarlier) {
      guard let answer = wait.look?() else { continue }
      waits[wait.call.thread] = nil
      self.answer(wait, answer)
      return true
    }
    return false
  }

  private func answer(_ wait: Wait, _ answer: Answer) {
    busyLooks = 0
    readings.show()
    listener.answer(wait.call.id, answer)
  }

  // MARK: Signals

  /// Somebody is at work: signals for those that wait meanwhile are taken only where that lasts.
  private func interruptIfDue() {
    busyLooks += 1
    let now = HeldAnswers.now
    let since = busySince ?? now
    busySince = since
    if now - since > Self.signalsWait, now > nextSignals { _ = interrupt() }
  }

  /// Lets the calls go for whose threads signals are pending; whether there were any.
  private func interrupt() -> Bool {
    let start = HeldAnswers.now
    // Among few all are looked at; among many those for whom somebody has done something that sends signals.
    suspicion.formUnion(threads.takeBereaved())
    if waits.count <= Self.mostInTurn || start > nextSignals { suspicion = .all }
    let found = interruptions.find(in: &waits, suspicion, stopped: threads.stopped)
    if suspicion == .all {
      let end = HeldAnswers.now
      nextSignals = end + max(Self.signalsEvery, (end - start) * Self.signalsPart)
    }
    suspicion = .none
    for (wait, answer) in found {
      if case .failure(Interruptions.restart) = answer { suspended[wait.call.thread] = wait }
      self.answer(wait, answer)
    }
    return !found.isEmpty
  }
}
