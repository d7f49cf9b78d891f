import CInterposer
import Glibc

/// Finds out whom of those that wait a signal lets go, as the kernel would.
///
/// A call that has been heard can only be killed, so that nothing is done twice. All other signals stay pending until
/// the call is answered; what is pending, blocked and handled, /proc tells.
struct Interruptions {
  /// The errno by which the kernel handles what is pending and, where no handler ran, makes the call again
  /// (ERESTARTNOHAND); programs never see it.
  static let restart: Int32 = 514

  /// How long a new tracer is given to say what it wants, in nanoseconds of the machine.
  private static let tracerDelay: UInt64 = 2_000_000

  /// For whom signals may be pending.
  enum Suspicion: Equatable {
    case all
    /// For processes, by their numbers.
    case some(Set<Int32>)

    static let none = Suspicion.some([])

    mutating func formUnion(_ processes: Set<Int32>) {
      if case .some(let known) = self { self = .some(known.union(processes)) }
    }
  }

  /// Which thread of a process was let go for a signal to all of it that is still pending.
  private var tried: [Int32: Int32] = [:]

  /// Takes those out who are let go, with their answers.
  ///
  /// - Parameters:
  ///   - waits: who waits.
  ///   - suspicion: for whom signals may be pending; the others are not looked at.
  ///   - stopped: the threads that were found stopped.
  /// - Returns: who is let go, and the answer.
  mutating func find(
    in waits: inout [Int32: Wait], _ suspicion: Suspicion, stopped: Set<Int32>
  ) -> [(Wait, Answer)] {
    if suspicion == .none, stopped.isEmpty { return [] }
    var found: [(Wait, Answer)] = []
    var served: Set<Int32> = []
    let stoppedProcesses = Set(stopped.compactMap { signals(of: $0)?.process })
    // A signal for a process goes to its first thread, if that one takes it.
    let threads =
      switch suspicion {
      case .all: waits.keys.sorted()
      case .some(let processes): processes.filter { waits[$0] != nil }.sorted()
      }
    for thread in threads {
      guard var wait = waits[thread], wait.interruption != nil, let signals = signals(of: thread)
      else { continue }
      let isServed = served.contains(signals.process)
      // Where the process stops, this thread does when it is let go.
      let answer =
        stoppedProcesses.contains(signals.process)
        ? .failure(Self.restart) : answer(to: &wait, signals, isServed: isServed)
      waits[thread] = answer == nil ? wait : nil
      guard let answer else { continue }
      if signals.own & ~signals.blocked == 0 { served.insert(signals.process) }
      found.append((wait, answer))
    }
    return found
  }

  private mutating func answer(
    to wait: inout Wait, _ signals: interposer_thread_signals, isServed: Bool
  ) -> Answer? {
    let pending = signals.own | signals.shared
    if pending & wait.wanted != 0 { return .pass }
    // A signalfd is ready for whoever looks himself: the kernel does that for him.
    if pending & signals.blocked != 0, pending & takenSignals(wait) != 0 { return .pass }
    let blocked = wait.mask ?? signals.blocked
    let own = signals.own & ~blocked
    var shared = isServed ? 0 : signals.shared & ~blocked
    if signals.threads > 1, shared != 0 {
      // Another thread that was let go for it may have been the wrong one.
      if tried[signals.process] == wait.call.thread { shared = 0 }
      tried[signals.process] = shared == 0 ? nil : wait.call.thread
    }
    guard own | shared != 0 else { return tracing(&wait, signals) }
    // With a mask of its own the call is the kernel's: it finds the signal at once.
    if (own | shared) & signals.blocked != 0 { return .pass }
    if (own | shared) & signals.caught != 0 { return wait.interruption?() }
    return own != 0 || signals.threads == 1 ? .failure(Self.restart) : .failure(EINTR)
  }

  /// The signals that the descriptors of a wait take.
  private func takenSignals(_ wait: Wait) -> UInt64 {
    wait.descriptors.reduce(0) { $0 | interposer_taken_signals(wait.call.thread, $1) }
  }

  /// A tracer that has come while the call waits wants it to stop.
  private func tracing(_ wait: inout Wait, _ signals: interposer_thread_signals) -> Answer? {
    guard let tracer = wait.tracer else {
      wait.tracer = signals.tracer
      return nil
    }
    guard signals.tracer != tracer, signals.tracer != 0, signals.tracer != getpid() else {
      return nil
    }
    let now = HeldAnswers.now
    guard let since = wait.tracedSince else {
      wait.tracedSince = now
      return nil
    }
    return now - since > Self.tracerDelay ? .failure(Self.restart) : nil
  }

  private func signals(of thread: Int32) -> interposer_thread_signals? {
    var signals = interposer_thread_signals()
    return interposer_thread_signals(thread, &signals) ? signals : nil
  }
}
