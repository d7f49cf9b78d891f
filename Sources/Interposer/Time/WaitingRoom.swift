import CInterposer
import Glibc

/// The calls that wait for virtual time, and the rule by which it passes.
struct WaitingRoom {
  /// One call that waits.
  struct Wait {
    let call: Call
    /// When it waits no longer, in nanoseconds since the start.
    let deadline: UInt64
    /// Its answer then.
    let end: Answer
    /// Looks whether what it waits for has happened before.
    var look: () -> Answer? = { nil }
  }

  let time: VirtualTime
  private let listener: Listener
  /// Whether nobody waits for an answer that is not a call's: for a read of a file that is served.
  var isIdle: () -> Bool = { true }
  private var waits: [Wait] = []
  /// How often in a row somebody was found at work.
  private var busyLooks: Int32 = 0

  init(_ time: VirtualTime, _ listener: Listener) {
    self.time = time
    self.listener = listener
  }

  var isEmpty: Bool { waits.isEmpty }

  /// How long to wait for events before looking again, in nanoseconds: longer while programs work.
  var patience: Int64? { isEmpty ? nil : Int64(min(busyLooks / 20, 5)) * 1_000_000 }

  /// Lets a call wait, unless what it waits for has happened.
  mutating func take(_ wait: Wait) -> Answer {
    if let answer = wait.look() { return answer }
    if wait.deadline <= time.now { return wait.end }
    waits.append(wait)
    busyLooks = 0
    return .elsewhere
  }

  /// Answers those whose time has come or for whom something has happened; if there are none and every
  /// thread waits, time jumps to the next moment.
  mutating func letOut() {
    guard !waits.isEmpty else { return }
    if answerSome() { return }
    // First the threads, then the calls that nobody has heard yet: a thread that was seen asleep has
    // either called before, which shows now, or sleeps on.
    guard interposer_all_wait(getpid()), !interposer_is_readable(listener.descriptor), isIdle()
    else {
      busyLooks += 1
      return
    }
    // What they did before they slept may have been what others wait for.
    if answerSome() { return }
    guard let next = waits.map(\.deadline).min() else { return }
    time.advance(to: next)
    _ = answerSome()
  }

  /// Answers whoever can be answered; whether there was anybody.
  private mutating func answerSome() -> Bool {
    var stay: [Wait] = []
    for wait in waits {
      guard listener.waits(wait.call.id) else { continue }
      if let answer = wait.look() {
        listener.answer(wait.call.id, answer)
      } else if wait.deadline <= time.now {
        listener.answer(wait.call.id, wait.end)
      } else {
        stay.append(wait)
      }
    }
    let hasAnswered = stay.count < waits.count
    waits = stay
    if hasAnswered { busyLooks = 0 }
    return hasAnswered
  }
}
