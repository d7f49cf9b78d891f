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
  var readings = ReadingClocks()
  private let listener: Listener
  /// Whether nobody waits for an answer that is not a call's: for a read of a file that is served.
  var isIdle: () -> Bool = { true }
  /// By their threads: a thread makes one call at a time.
  private var waits: [Int32: Wait] = [:]
  /// Waits that a stop or a tracer has interrupted, by their threads: they go on when the call is made again.
  private var suspended: [Int32: Wait] = [:]
  /// How often in a row somebody was found at work.
  private var busyLooks = 0
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
    threads = ThreadTable(guardian: guardian)
    standstill = Standstill(limit: time.patience)
  }

  /// How long to wait for events before looking again, in nanoseconds: longer while programs work.
  var longestWaitNanoseconds: Int64? {
    guard !waits.isEmpty || nextTimer != nil else { return standstill.longestWaitNanoseconds }
    return min(10_000 << Int64(min(busyLooks / 4, 8)), 2_000_000)
  }

  /// Takes notice of a call.
  func heard(_ call: Call) {
    busyLooks = 0
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
      catchUp()
      return body()
    }
    if isAlone(call) { return body() }
    return park(Wait(call: call, deadline: time.now, end: body))
  }

  private func isAlone(_ call: Call) -> Bool {
    guard !isAnyDue else { return false }
    let look = threads.look { $0 == call.thread || waits[$0] != nil }
    guard look == .quiet, !interposer_is_readable(listener.descriptor) else { return false }
    catchUp()
    return !isAnyDue
  }

  private var isAnyDue: Bool { waits.values.contains { $0.deadline <= time.now } }

  /// Lets time come to what threads have read, now that all rest.
  private func catchUp() { time.advance(to: min(readings.latest, end)) }

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
    if isInTurn { catchUp() }
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
    if busyLooks & 15 == 0 { waits = waits.filter { listener.waits($1.call.id) } }
    // First the threads, then the calls that nobody has heard yet: a thread that was seen asleep has either called
    // before, which shows now, or sleeps on.
    let look = threads.look { waits[$0] != nil }
    let isHeard = !interposer_is_readable(listener.descriptor) && self.isIdle()
    guard isHeard, look != .busy else { return interruptIfDue() }
    if look == .quiet {
      busySince = nil
      if interrupt() { return }
      catchUp()
    }
    if happens(at: time.now) || answerReady() { return }
    guard look == .quiet else { return interruptIfDue() }
    let first = waits.values.lazy.map(\.deadline).min() ?? .max
    let next = min(first, nextTimer ?? .max)
    guard next < .max, time.mayPass(time.now) else {
      busyLooks += 1
      return
    }
    time.advance(to: min(next, end))
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
