import CInterposer
import Glibc

/// The seccomp listener: the descriptor through which the kernel delivers the calls of clients.
///
/// Thread-safe.
struct Listener: Sendable {
  let descriptor: Int32

  /// Receives the next call; `nil` if none is pending.
  func next() -> interposer_call? {
    var call = interposer_call()
    return interposer_receive(descriptor, &call) == 0 ? call : nil
  }

  /// Answers a call; the answer to a client that has ended is dropped.
  func answer(_ id: UInt64, _ answer: Answer) {
    switch answer {
    case .pass: _ = interposer_continue(descriptor, id)
    case .value(let value): _ = interposer_answer(descriptor, id, value, 0)
    case .failure(let errno): _ = interposer_answer(descriptor, id, 0, errno)
    case .elsewhere: break
    }
  }

  /// Returns `true` if the caller still waits for the answer.
  func waits(_ id: UInt64) -> Bool { interposer_is_waiting(descriptor, id) }

  /// Installs a copy of a descriptor in the caller, with a given or the lowest free number, and answers with that
  /// number.
  ///
  /// - Returns: the errno of a failure.
  func installAndAnswer(_ source: Int32, for id: UInt64, number: Int32?, closesOnExec: Bool)
    -> Int32?
  {
    let given = interposer_install_and_answer(descriptor, id, source, number ?? -1, closesOnExec)
    return given < 0 ? -given : nil
  }

  /// Installs a copy of a descriptor in the caller, with a given or the lowest free number, without answering the call.
  ///
  /// - Returns: the number, or -errno.
  func install(_ source: Int32, for id: UInt64, number: Int32?, closesOnExec: Bool) -> Int32 {
    interposer_install(descriptor, id, source, number ?? -1, closesOnExec)
  }
}

/// The event loop of the supervisor: waits for calls of clients and for other descriptors, which are identified by
/// tokens.
final class EventLoop {
  private let eventLoop: OpaquePointer
  private var events = interposer_events()

  /// Creates an event loop that watches no descriptors yet; returns `nil` and sets the errno if that fails.
  init?(_ errno: inout Int32) {
    guard let eventLoop = interposer_event_loop_create(&errno) else { return nil }
    self.eventLoop = eventLoop
  }

  deinit { interposer_event_loop_destroy(eventLoop) }

  /// Adds the seccomp listener, so that the loop also waits for calls of clients.
  func listen(to listener: Listener) {
    interposer_event_loop_listen(eventLoop, listener.descriptor)
  }

  func add(_ descriptor: Int32, _ token: UInt64) {
    _ = interposer_event_loop_add(eventLoop, descriptor, token)
  }

  /// Waits for events.
  ///
  /// - Parameters:
  ///   - nanoseconds: the timeout; -1 for none.
  ///   - prefilter: the filter that recognizes calls which cannot concern the interposer.
  ///   - takesCalls: `true` to receive calls here and pass those that the pre-filter recognizes to the kernel without
  ///     returning; used only if there is no timeout.
  func wait(nanoseconds: Int64, _ prefilter: inout interposer_prefilter, takesCalls: Bool) {
    withUnsafePointer(to: &prefilter) {
      interposer_event_loop_wait(eventLoop, takesCalls ? $0 : nil, nanoseconds, &events)
    }
  }

  /// `true` if the timeout elapsed without an event.
  var isQuiet: Bool { !events.is_called && events.others == 0 }

  /// `true` if no client is left.
  var isOver: Bool { events.is_over }

  /// `true` if a call is pending and has not been received.
  var isCalled: Bool { events.is_called && !events.is_over && !events.has_call }

  /// A call that was received and that may concern the interposer according to the pre-filter.
  var call: interposer_call? { events.has_call ? events.call : nil }

  /// The tokens of the ready descriptors other than the listener, each with whether its event is a hang-up.
  var others: [(token: UInt64, isHangup: Bool)] {
    guard events.others > 0 else { return [] }
    return withUnsafeBytes(of: events.tokens) { tokens in
      withUnsafeBytes(of: events.hangups) { hangups in
        Array(zip(tokens.bindMemory(to: UInt64.self), hangups.bindMemory(to: Bool.self)))
          .prefix(Int(events.others)).map { (token: $0, isHangup: $1) }
      }
    }
  }
}

/// Answers that are delayed until their simulated transfer has left the wire.
///
/// A call to real hardware blocks for the duration of the transfer. A simulated bus computes the result at once and
/// reports when the bus is free again.
struct DelayedAnswers {
  private struct Entry {
    let moment: UInt64
    let send: (Listener) -> Void
  }

  /// The delayed answers, sorted by time.
  private var entries: [Entry] = []

  /// `true` if no answer is pending.
  var isEmpty: Bool { entries.isEmpty }

  /// The time until the first answer is due, in nanoseconds, less the wake-up latency; `nil` if no answer is pending.
  var longestWaitNanoseconds: UInt64? {
    guard let first = entries.first else { return nil }
    let end = Self.now + Self.longestWakeUp
    return first.moment > end ? first.moment - end : 0
  }

  /// The longest wake-up latency of a sleeping thread in nanoseconds, even on a virtual machine.
  ///
  /// The last part of a delay is spent polling, because a transfer would otherwise take longer than its bits.
  private static let longestWakeUp: UInt64 = 50_000

  /// Delays an answer until a time of CLOCK_MONOTONIC, in nanoseconds.
  mutating func delay(_ answer: Answer, for id: UInt64, until moment: UInt64) {
    add(Entry(moment: moment) { $0.answer(id, answer) })
  }

  /// Delays an action until a time of CLOCK_MONOTONIC, in nanoseconds.
  mutating func delay(until moment: UInt64, _ send: @escaping () -> Void) {
    add(Entry(moment: moment) { _ in send() })
  }

  private mutating func add(_ entry: Entry) {
    let index = entries.lastIndex { $0.moment <= entry.moment }.map { $0 + 1 } ?? 0
    entries.insert(entry, at: index)
  }

  /// Sends the answers that are due.
  mutating func release(to listener: Listener) {
    guard !entries.isEmpty else { return }
    let now = Self.now
    let due = entries.prefix { $0.moment <= now }
    for entry in due { entry.send(listener) }
    entries.removeFirst(due.count)
  }

  /// The current time of CLOCK_MONOTONIC in nanoseconds.
  static var now: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
