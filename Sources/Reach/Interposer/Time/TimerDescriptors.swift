import CInterposer
import Glibc

/// The timerfds of clients, which expire when virtual time says so.
///
/// A client has the kernel's own timerfd, so that reads, polls and copies are the kernel's too. Only setting it is
/// served: the kernel's timer is armed for a time that never comes, with an interval that marks it, and the supervisor,
/// which holds a copy, sets its expirations.
struct TimerDescriptors {
  struct Timer {
    /// The supervisor's copy.
    let descriptor: Int32
    /// The clock that its times are of.
    let clock: Int32
    /// When it expires, in nanoseconds since the start; `nil` while it stands still.
    var deadline: UInt64?
    var interval: UInt64 = 0
    /// Where it was set last: a thread and its descriptor.
    var place: (thread: Int32, descriptor: Int32)
  }

  /// By their marks.
  private var timers: [UInt64: Timer] = [:]
  private var nextMark = Self.firstMark
  /// With how many it is looked next which of them somebody still has.
  private var nextSweep = Self.firstSweep

  /// The first mark: an interval of seconds that nobody waits for.
  private static let firstMark: UInt64 = 1_000_000_000
  private static let firstSweep = 64

  /// When the next one expires.
  var next: UInt64? { timers.isEmpty ? nil : timers.values.lazy.compactMap(\.deadline).min() }

  /// The mark of a timerfd that has been set before.
  func mark(of descriptor: Int32, _ thread: Int32) -> UInt64? {
    let mark = interposer_timer_mark(thread, descriptor)
    return timers[mark] == nil ? nil : mark
  }

  /// What is known of a timerfd.
  subscript(_ mark: UInt64) -> Timer? { timers[mark] }

  /// Takes a timerfd of a client over; its mark, or `nil` where the kernel does not give a copy.
  mutating func take(_ descriptor: Int32, of thread: Int32, _ process: Int32) -> UInt64? {
    if let mark = mark(of: descriptor, thread) { return mark }
    forgetClosed()
    let copy = interposer_descriptor_of(process, descriptor)
    guard copy >= 0 else { return nil }
    let clock = interposer_timer_clock(copy)
    guard clock >= 0 else {
      close(copy)
      return nil
    }
    let mark = nextMark
    nextMark += 1
    timers[mark] = Timer(descriptor: copy, clock: clock, place: (thread, descriptor))
    return mark
  }

  /// Sets a timerfd; expirations that nobody has read are gone.
  mutating func set(_ mark: UInt64, deadline: UInt64?, interval: UInt64) {
    guard let timer = timers[mark] else { return }
    _ = interposer_timer_set_mark(timer.descriptor, mark)
    timers[mark]?.deadline = deadline
    timers[mark]?.interval = interval
  }

  /// Lets the first timerfd expire: it becomes readable.
  mutating func expireFirst() {
    guard
      let (mark, timer) = timers.filter({ $0.value.deadline != nil })
        .min(by: { ($0.value.deadline ?? 0, $0.key) < ($1.value.deadline ?? 0, $1.key) }),
      let deadline = timer.deadline
    else { return }
    let ticks = max(interposer_timer_ticks(timer.descriptor), 0)
    // Nobody has read the last one: does anybody still have it?
    if ticks > 0, !isOpen(mark, timer) {
      guard let place = Self.places()[mark] else { return forget(mark) }
      timers[mark]?.place = place
    }
    timers[mark]?.deadline = timer.interval == 0 ? nil : deadline &+ timer.interval
    _ = interposer_timer_expire(timer.descriptor, mark, UInt64(ticks) + 1)
  }

  // MARK: Those that nobody has any more

  private mutating func forgetClosed() {
    guard timers.count >= nextSweep else { return }
    let places = Self.places()
    for (mark, timer) in timers where !isOpen(mark, timer) {
      if let place = places[mark] { timers[mark]?.place = place } else { forget(mark) }
    }
    nextSweep = max(Self.firstSweep, 2 * timers.count)
  }

  private mutating func forget(_ mark: UInt64) {
    if let timer = timers.removeValue(forKey: mark) { close(timer.descriptor) }
  }

  /// Whether a timerfd is still where it was set last.
  private func isOpen(_ mark: UInt64, _ timer: Timer) -> Bool {
    interposer_timer_mark(timer.place.thread, timer.place.descriptor) == mark
  }

  /// Where clients have timerfds open, by their marks.
  ///
  /// Other programs of this machine cannot have any of them, and there may be thousands of these.
  private static func places() -> [UInt64: (thread: Int32, descriptor: Int32)] {
    var places: [UInt64: (thread: Int32, descriptor: Int32)] = [:]
    for process in ClientProcesses.descendants(of: getpid()) {
      for descriptor in ClientProcesses.descriptors(of: process) {
        let mark = interposer_timer_mark(process, descriptor)
        if mark >= firstMark, mark < .max { places[mark] = (process, descriptor) }
      }
    }
    return places
  }
}
