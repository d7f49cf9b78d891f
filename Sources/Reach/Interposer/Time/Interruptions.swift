import CInterposer
import Glibc

/// Finds the blocked calls that a signal interrupts, as the kernel would.
///
/// Once a call has been received, only a fatal signal can end it, so no call is performed twice. All other signals stay
/// pending until the call is answered; /proc shows the pending, blocked and handled signals.
struct Interruptions {
  /// ERESTARTNOHAND: the kernel handles the pending signals and restarts the call if no handler ran; programs never see
  /// this errno.
  static let restart: Int32 = 514

  /// The time between the detection of a new tracer and the interruption of the blocked call, in nanoseconds of the
  /// machine; the tracer can issue a request in this time.
  private static let tracerDelay: UInt64 = 2_000_000

  /// The threads that may have pending signals.
  enum SignalScope: Equatable {
    case all
    /// The threads with these IDs.
    case some(Set<Int32>)

    static let none = SignalScope.some([])

    mutating func formUnion(_ processes: Set<Int32>) {
      if case .some(let known) = self { self = .some(known.union(processes)) }
    }
  }

  /// For each process, the thread that was last interrupted because of a process-directed signal that is still pending.
  private var lastInterrupted: [Int32: Int32] = [:]

  /// Removes the calls that a signal interrupts from `waits`.
  ///
  /// - Parameters:
  ///   - waits: the blocked calls by thread ID.
  ///   - signalScope: the threads that may have pending signals; others are not checked.
  ///   - table: the table of threads, which reads their signals.
  /// - Returns: the interrupted calls and their answers.
  mutating func find(
    in waits: inout [Int32: Wait], _ signalScope: SignalScope, _ table: inout ThreadTable
  ) -> [(Wait, Answer)] {
    if signalScope == .none, table.stopped.isEmpty { return [] }
    var found: [(Wait, Answer)] = []
    var served: Set<Int32> = []
    let stoppedProcesses = Set(table.stopped.compactMap { table.signals(of: $0)?.process })
    // A process-directed signal goes to the main thread unless that thread blocks the signal.
    let threads =
      switch signalScope {
      case .all: waits.keys.sorted()
      case .some(let processes): processes.filter { waits[$0] != nil }.sorted()
      }
    for thread in threads {
      guard var wait = waits[thread], wait.interruption != nil,
        let signals = table.signals(of: thread)
      else { continue }
      let isServed = served.contains(signals.process)
      // If the process is stopped, this thread stops once its call is answered.
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
    // A signalfd among the descriptors is ready; the kernel reports it.
    if pending & signals.blocked != 0, pending & takenSignals(wait) != 0 { return .pass }
    let blocked = wait.mask ?? signals.blocked
    let own = signals.own & ~blocked
    var shared = isServed ? 0 : signals.shared & ~blocked
    if signals.threads > 1, shared != 0 {
      // The thread that was interrupted before may not be the one that handles the signal, so another one is tried.
      if lastInterrupted[signals.process] == wait.call.thread { shared = 0 }
      lastInterrupted[signals.process] = shared == 0 ? nil : wait.call.thread
    }
    guard own | shared != 0 else { return tracing(&wait, signals) }
    // If the call sets its own mask it is passed to the kernel, which delivers the signal at once.
    if (own | shared) & signals.blocked != 0 { return .pass }
    if (own | shared) & signals.caught != 0 { return wait.interruption?() }
    return own != 0 || signals.threads == 1 ? .failure(Self.restart) : .failure(EINTR)
  }

  /// The signals that are accepted by the signalfds among the descriptors of a wait, one bit each.
  private func takenSignals(_ wait: Wait) -> UInt64 {
    wait.descriptors.reduce(0) { $0 | interposer_accepted_signals(wait.call.thread, $1) }
  }

  /// Interrupts the call if a tracer attached during the wait, because the tracer needs the thread to stop.
  private func tracing(_ wait: inout Wait, _ signals: interposer_thread_signals) -> Answer? {
    guard let tracer = wait.tracer else {
      wait.tracer = signals.tracer
      return nil
    }
    guard signals.tracer != tracer, signals.tracer != 0, signals.tracer != getpid() else {
      return nil
    }
    let now = DelayedAnswers.now
    guard let since = wait.tracedSince else {
      wait.tracedSince = now
      return nil
    }
    return now - since > Self.tracerDelay ? .failure(Self.restart) : nil
  }
}
