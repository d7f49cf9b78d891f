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
  var readingCost = ReadingCost()
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
  /// For whom signals may be pending since they were last looked for.
  var suspicion = Interruptions.Suspicion.all
  private var interruptions = Interruptions()
  /// The moment that time does not pass: whoever waits for a later one waits on.
  private let end: UInt64

  /// With more threads than these it is not made sure that nobody else is at work before a call has its turn.
  private static let mostInTurn = 64
  /// How often signals that nobody announced are looked for, in nanoseconds of the machine, and at the most for which
  /// part of the time.
  private static let signalsEvery: UInt64 = 5_000_000
  private static let signalsPart: UInt64 = 20

  init(_ time: VirtualTime, _ listener: Listener, guardian: Int32, end: UInt64 = .max) {
    self.time = time
    self.end = end
    self.listener = listener
    threads = ThreadTable(guardian: guardian)
  }

  /// How long to wait for events before looking again, in nanoseconds: longer while programs work.
  var longestWaitNanoseconds: Int64? {
    guard !waits.isEmpty || nextTimer != nil else { return nil }
    return min(10_000 << Int64(min(busyLooks / 4, 8)), 2_000_000)
  }

  /// Takes notice of a call.
  func heard(_ call: Call) {
    busyLooks = 0
    isFresh = true
    threads.heard(call)
    readingCost.heard(call.system)
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
    readingCost.interrupt()
    return park(wait)
  }

  /// Does what touches time or a bus when it is this call's turn: at once if nobody else is at work.
  func inTurn(_ call: Call, _ body: @escaping () -> Answer) -> Answer {
    if threads.count > Self.mostInTurn || isAlone(call) { return body() }
    return park(Wait(call: call, deadline: time.now, end: body))
  }

  private func isAlone(_ call: Call) -> Bool {
    guard !waits.values.contains(where: { $0.deadline <= time.now }) else { return false }
    let look = threads.look { $0 == call.thread || waits[$0] != nil }
    return look == .quiet && !interposer_is_readable(listener.descriptor)
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
    guard isHeard, look != .busy else {
      busyLooks += 1
      return interruptIfDue()
    }
    if look == .quiet, interrupt() { return }
    if happens(at: time.now) || answerReady() { return }
    guard look == .quiet else {
      busyLooks += 1
      return interruptIfDue()
    }
    let first = waits.values.lazy.map(\.deadline).min() ?? .max
    let next = min(first, nextTimer ?? .max)
    guard next < .max, time.mayPass(time.now) else {
      busyLooks += 1
      return
    }
    time.advance(to: min(next, end))
    _ = happens(at: time.now)
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

  private func interruptIfDue() {
    if HeldAnswers.now > nextSignals { _ = interrupt() }
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
