import CInterposer
import Glibc

/// The timers that signal a process: one for `alarm` and `setitimer`, and those of `timer_create`.
struct ProcessTimers {
  /// The key of a timer in its process.
  enum Name: Hashable {
    /// The timer of `alarm` and `setitimer`.
    case real
    /// A timer of `timer_create`, by its ID.
    case posix(Int32)
  }

  /// The notification that is sent when a timer expires (`struct sigevent`).
  struct Notification {
    /// The signal; 0 for none.
    var signal: Int32 = SIGALRM
    /// The target thread; 0 for the process.
    var thread: Int32 = 0
    /// The value passed with the signal.
    var value: UInt64 = 0
  }

  /// The time until the next expiry and the interval of later ones, in nanoseconds.
  struct Setting: Equatable {
    var value: UInt64 = 0
    var interval: UInt64 = 0
  }

  struct Timer {
    /// The clock to which absolute times refer.
    var clock = CLOCK_REALTIME
    var notification = Notification()
    /// The time of the next expiry, in nanoseconds since the start; `nil` if disarmed.
    var deadline: UInt64?
    var interval: UInt64 = 0
    /// The number of expirations since the last signal was sent, while that signal is still pending.
    var overruns: Int32 = 0

    /// Returns the time until the next expiry.
    func setting(at now: UInt64) -> Setting {
      guard let deadline else { return Setting(interval: interval) }
      return Setting(value: deadline > now ? deadline - now : 1, interval: interval)
    }
  }

  private struct TimerProcess {
    /// The pidfd of the process, which identifies it even if its ID is reused.
    let descriptor: Int32
    var timers: [Name: Timer] = [:]
    var nextNumber: Int32 = 0
  }

  private var processesWithTimers: [Int32: TimerProcess] = [:]

  /// The first timer ID that the supervisor assigns for `timer_create`, above the kernel's own IDs.
  private static let firstNumber: Int32 = 0x4000_0000

  /// `true` if no process has a timer.
  var isEmpty: Bool { processesWithTimers.isEmpty }

  /// The time of the next expiry of any timer, in nanoseconds since the start; `nil` if no timer is armed.
  var next: UInt64? {
    processesWithTimers.isEmpty
      ? nil
      : processesWithTimers.values.lazy.flatMap { $0.timers.values.lazy.compactMap(\.deadline) }
        .min()
  }

  /// Returns a timer of a process.
  subscript(_ process: Int32, _ name: Name) -> Timer? { processesWithTimers[process]?.timers[name] }

  /// Sets an existing timer, or the timer of `alarm` and `setitimer`.
  ///
  /// - Returns: `false` if the process does not exist.
  mutating func set(_ timer: Timer, _ name: Name, of process: Int32) -> Bool {
    guard register(process) else { return false }
    processesWithTimers[process]?.timers[name] = timer
    return true
  }

  /// Creates a timer.
  ///
  /// - Returns: its ID; `nil` if the process does not exist.
  mutating func create(_ timer: Timer, for process: Int32) -> Int32? {
    guard register(process), let number = processesWithTimers[process]?.nextNumber else {
      return nil
    }
    processesWithTimers[process]?.nextNumber += 1
    var timer = timer
    let name = Self.firstNumber + number
    if timer.notification.value == .max { timer.notification.value = UInt64(name) }
    processesWithTimers[process]?.timers[.posix(name)] = timer
    return name
  }

  /// Deletes a timer.
  ///
  /// - Returns: `false` if it does not exist.
  mutating func delete(_ name: Name, of process: Int32) -> Bool {
    processesWithTimers[process]?.timers.removeValue(forKey: name) != nil
  }

  /// Deletes the timers of `timer_create` when a process executes a program.
  mutating func executed(_ process: Int32) {
    guard let kept = processesWithTimers[process]?.timers[.real] else { return forget(process) }
    processesWithTimers[process]?.timers = [.real: kept]
  }

  /// Expires the timer with the earliest deadline: sends its signal, or counts an overrun if the previous signal is
  /// still pending.
  ///
  /// - Returns: the ID of the timer's process; `nil` if no timer was set or the process has ended.
  mutating func expireFirst() -> Int32? {
    let all = processesWithTimers.flatMap { process, holder in
      holder.timers.compactMap { name, timer in timer.deadline.map { ($0, process, name) } }
    }
    guard let (deadline, process, name) = all.min(by: { ($0.0, $0.1) < ($1.0, $1.1) }),
      let holder = processesWithTimers[process], var timer = holder.timers[name]
    else { return nil }
    if interposer_process_has_ended(holder.descriptor) {
      forget(process)
      return nil
    }
    timer.deadline = timer.interval == 0 ? nil : deadline &+ timer.interval
    let notification = timer.notification
    if notification.signal != 0 {
      if isPending(notification, process) {
        timer.overruns &+= 1
      } else {
        timer.overruns = 0
        var number: Int32 = 0
        if case .posix(let found) = name { number = found }
        _ = interposer_expire(
          holder.descriptor, process, notification.thread, notification.signal, number, 0,
          notification.value)
      }
    }
    processesWithTimers[process]?.timers[name] = timer
    return process
  }

  private func isPending(_ notification: Notification, _ process: Int32) -> Bool {
    var signals = interposer_thread_signals()
    let thread = notification.thread > 0 ? notification.thread : process
    guard interposer_thread_signals(thread, nil, &signals) else { return false }
    let bit: UInt64 = 1 << UInt64(notification.signal - 1)
    return (notification.thread > 0 ? signals.own : signals.shared) & bit != 0
  }

  private mutating func register(_ process: Int32) -> Bool {
    if let holder = processesWithTimers[process] {
      guard interposer_process_has_ended(holder.descriptor) else { return true }
      forget(process)
    }
    let descriptor = interposer_process_open(process)
    guard descriptor >= 0 else { return false }
    processesWithTimers[process] = TimerProcess(descriptor: descriptor)
    return true
  }

  private mutating func forget(_ process: Int32) {
    if let holder = processesWithTimers.removeValue(forKey: process) { close(holder.descriptor) }
  }
}

/// The timerfds of clients in virtual time.
///
/// A client holds the kernel's own timerfd, so the kernel handles reads, polls and copies. Only `timerfd_settime` is
/// served: the kernel's timer is armed far in the future, with an interval that marks it, and the supervisor sets its
/// expirations through a copy of the descriptor.
struct TimerDescriptors {
  struct Timer {
    /// The supervisor's copy of the descriptor.
    let descriptor: Int32
    /// The clock to which absolute times refer.
    let clock: Int32
    /// The time of the next expiry, in nanoseconds since the start; `nil` if disarmed.
    var deadline: UInt64?
    var interval: UInt64 = 0
    /// The thread and descriptor number at which the timerfd was last found.
    var location: (thread: Int32, descriptor: Int32)
  }

  /// The timers by mark, which is the interval of the kernel's timer in seconds.
  private var timers: [UInt64: Timer] = [:]
  private var nextMark = Self.firstMark
  /// The number of timers that triggers the next removal of closed timerfds.
  private var nextSweep = Self.firstSweep

  /// The first mark: an interval in seconds that no program uses.
  private static let firstMark: UInt64 = 1_000_000_000
  private static let firstSweep = 64

  /// The time of the next expiry of any timerfd, in nanoseconds since the start; `nil` if none is armed.
  var next: UInt64? { timers.isEmpty ? nil : timers.values.lazy.compactMap(\.deadline).min() }

  /// Returns the mark of a timerfd of a client; `nil` if it has not been registered.
  func mark(of descriptor: Int32, _ thread: Int32) -> UInt64? {
    let mark = interposer_timer_mark(thread, descriptor)
    return timers[mark] == nil ? nil : mark
  }

  /// Returns the timer with a mark.
  subscript(_ mark: UInt64) -> Timer? { timers[mark] }

  /// Registers a timerfd of a client.
  ///
  /// - Returns: its mark; `nil` if the kernel does not permit a copy.
  mutating func take(_ descriptor: Int32, of thread: Int32, _ process: Int32) -> UInt64? {
    if let mark = mark(of: descriptor, thread) { return mark }
    forgetClosed()
    let copy = interposer_copy_process_descriptor(process, descriptor)
    guard copy >= 0 else { return nil }
    let clock = interposer_timer_clock(copy)
    guard clock >= 0 else {
      close(copy)
      return nil
    }
    let mark = nextMark
    nextMark += 1
    timers[mark] = Timer(descriptor: copy, clock: clock, location: (thread, descriptor))
    return mark
  }

  /// Sets a timerfd; unread expirations are discarded.
  mutating func set(_ mark: UInt64, deadline: UInt64?, interval: UInt64) {
    guard let timer = timers[mark] else { return }
    _ = interposer_timer_set_mark(timer.descriptor, mark)
    timers[mark]?.deadline = deadline
    timers[mark]?.interval = interval
  }

  /// Expires the timerfd with the earliest deadline, which makes it readable.
  mutating func expireFirst() {
    guard
      let (mark, timer) = timers.filter({ $0.value.deadline != nil })
        .min(by: { ($0.value.deadline ?? 0, $0.key) < ($1.value.deadline ?? 0, $1.key) }),
      let deadline = timer.deadline
    else { return }
    let ticks = max(interposer_timer_ticks(timer.descriptor), 0)
    // The last expiration is unread: check whether a client still has the timerfd open.
    if ticks > 0, !isOpen(mark, timer) {
      guard let location = Self.locations()[mark] else { return forget(mark) }
      timers[mark]?.location = location
    }
    timers[mark]?.deadline = timer.interval == 0 ? nil : deadline &+ timer.interval
    _ = interposer_timer_expire(timer.descriptor, mark, UInt64(ticks) + 1)
  }

  // MARK: Closed timerfds

  private mutating func forgetClosed() {
    guard timers.count >= nextSweep else { return }
    let locations = Self.locations()
    for (mark, timer) in timers where !isOpen(mark, timer) {
      if let location = locations[mark] { timers[mark]?.location = location } else { forget(mark) }
    }
    nextSweep = max(Self.firstSweep, 2 * timers.count)
  }

  private mutating func forget(_ mark: UInt64) {
    if let timer = timers.removeValue(forKey: mark) { close(timer.descriptor) }
  }

  /// Returns `true` if a timerfd is still open where it was last found.
  private func isOpen(_ mark: UInt64, _ timer: Timer) -> Bool {
    interposer_timer_mark(timer.location.thread, timer.location.descriptor) == mark
  }

  /// The descriptors of clients that are timerfds, by mark.
  ///
  /// Only descendants of this process are searched: no other program can have them, and there may be thousands.
  private static func locations() -> [UInt64: (thread: Int32, descriptor: Int32)] {
    var locations: [UInt64: (thread: Int32, descriptor: Int32)] = [:]
    for process in ClientProcesses.descendants(of: getpid()) {
      for descriptor in ClientProcesses.descriptors(of: process) {
        let mark = interposer_timer_mark(process, descriptor)
        if mark >= firstMark, mark < .max { locations[mark] = (process, descriptor) }
      }
    }
    return locations
  }
}
