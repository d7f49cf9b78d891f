import CInterposer
import Glibc

/// The timers of processes that send signals: `alarm` and `setitimer`, one a process, and those of `timer_create`.
struct ProcessTimers {
  /// Which timer of a process.
  enum Name: Hashable {
    /// That of `alarm` and `setitimer`.
    case real
    /// One of `timer_create`, by its number.
    case posix(Int32)
  }

  /// How the end of a timer is told (`struct sigevent`).
  struct Notification {
    /// The signal; 0 for none.
    var signal: Int32 = SIGALRM
    /// The thread that it is for; 0 for the process.
    var thread: Int32 = 0
    /// What goes with it.
    var value: UInt64 = 0
  }

  /// When a timer expires: how far ahead, and how often from then on; in nanoseconds.
  struct Setting: Equatable {
    var value: UInt64 = 0
    var interval: UInt64 = 0
  }

  struct Timer {
    /// The clock that its times are of.
    var clock = CLOCK_REALTIME
    var notification = Notification()
    /// When it expires, in nanoseconds since the start; `nil` while it stands still.
    var deadline: UInt64?
    var interval: UInt64 = 0
    /// Expirations since its signal was sent, which is still pending.
    var overruns: Int32 = 0

    /// How far ahead it expires.
    func setting(at now: UInt64) -> Setting {
      guard let deadline else { return Setting(interval: interval) }
      return Setting(value: deadline > now ? deadline - now : 1, interval: interval)
    }
  }

  /// A process that has timers.
  private struct Holder {
    /// Its pidfd, by which it is known when its number is another's.
    let descriptor: Int32
    var timers: [Name: Timer] = [:]
    var nextNumber: Int32 = 0
  }

  private var holders: [Int32: Holder] = [:]

  /// The numbers of `timer_create` here; those that the kernel gives are smaller.
  private static let firstNumber: Int32 = 0x4000_0000

  /// Whether no process has any.
  var isEmpty: Bool { holders.isEmpty }

  /// When the next one expires.
  var next: UInt64? {
    holders.isEmpty
      ? nil : holders.values.lazy.flatMap { $0.timers.values.lazy.compactMap(\.deadline) }.min()
  }

  /// A timer of a process.
  subscript(_ process: Int32, _ name: Name) -> Timer? { holders[process]?.timers[name] }

  /// Sets a timer that there is, or that of `alarm`; whether the process could be found.
  mutating func set(_ timer: Timer, _ name: Name, of process: Int32) -> Bool {
    guard hold(process) else { return false }
    holders[process]?.timers[name] = timer
    return true
  }

  /// Creates a timer; its number, or `nil` where the process could not be found.
  mutating func create(_ timer: Timer, for process: Int32) -> Int32? {
    guard hold(process), let number = holders[process]?.nextNumber else { return nil }
    holders[process]?.nextNumber += 1
    var timer = timer
    let name = Self.firstNumber + number
    if timer.notification.value == .max { timer.notification.value = UInt64(name) }
    holders[process]?.timers[.posix(name)] = timer
    return name
  }

  /// Deletes a timer; whether there was one.
  mutating func delete(_ name: Name, of process: Int32) -> Bool {
    holders[process]?.timers.removeValue(forKey: name) != nil
  }

  /// Forgets what does not outlive the execution of another program.
  mutating func executed(_ process: Int32) {
    guard let kept = holders[process]?.timers[.real] else { return forget(process) }
    holders[process]?.timers = [.real: kept]
  }

  /// Lets the first timer expire: its signal is sent, unless the one before is still pending.
  ///
  /// - Returns: the process whose timer it was.
  mutating func expireFirst() -> Int32? {
    let all = holders.flatMap { process, holder in
      holder.timers.compactMap { name, timer in timer.deadline.map { ($0, process, name) } }
    }
    guard let (deadline, process, name) = all.min(by: { ($0.0, $0.1) < ($1.0, $1.1) }),
      let holder = holders[process], var timer = holder.timers[name]
    else { return nil }
    if interposer_process_is_over(holder.descriptor) {
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
    holders[process]?.timers[name] = timer
    return process
  }

  private func isPending(_ notification: Notification, _ process: Int32) -> Bool {
    var signals = interposer_thread_signals()
    let thread = notification.thread > 0 ? notification.thread : process
    guard interposer_thread_signals(thread, &signals) else { return false }
    let bit: UInt64 = 1 << UInt64(notification.signal - 1)
    return (notification.thread > 0 ? signals.own : signals.shared) & bit != 0
  }

  private mutating func hold(_ process: Int32) -> Bool {
    if let holder = holders[process] {
      guard interposer_process_is_over(holder.descriptor) else { return true }
      forget(process)
    }
    let descriptor = interposer_process_open(process)
    guard descriptor >= 0 else { return false }
    holders[process] = Holder(descriptor: descriptor)
    return true
  }

  private mutating func forget(_ process: Int32) {
    if let holder = holders.removeValue(forKey: process) { close(holder.descriptor) }
  }
}
