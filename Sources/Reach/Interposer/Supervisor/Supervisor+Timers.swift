import CInterposer
import Glibc

/// Timers of programs, where time is virtual.
extension Supervisor {
  private typealias Setting = ProcessTimers.Setting

  // MARK: alarm and setitimer

  /// `alarm`: its answer is the seconds that were left, rounded.
  func alarm(_ call: Call) -> Answer {
    guard let room = waitingRoom, let process = process(of: call) else { return .pass }
    let old = room.timers[process, .real]?.setting(at: room.now(of: call)) ?? Setting()
    let length = UInt64(UInt32(truncatingIfNeeded: call[0])) * Self.second
    guard set(Setting(value: length), .real, of: process, call) else { return .pass }
    let seconds = (old.value + Self.second / 2) / Self.second
    return .value(Int64(old.value > 0 ? max(seconds, 1) : 0))
  }

  /// `setitimer`; timers of processor time are the kernel's.
  func setTimer(_ call: Call) -> Answer {
    guard call.int(0) == 0, let room = waitingRoom, let process = process(of: call) else {
      return .pass
    }
    var new = Setting()
    if call[1] != 0 {
      guard let found = setting(at: call[1], call, unit: 1000) else { return .failure(EINVAL) }
      new = found
    }
    let old = room.timers[process, .real]?.setting(at: room.now(of: call)) ?? Setting()
    guard set(new, .real, of: process, call) else { return .pass }
    return call[2] == 0 ? .value(0) : show(old, at: call[2], call, unit: 1000)
  }

  /// `getitimer`.
  func showTimer(_ call: Call) -> Answer {
    guard call.int(0) == 0, let room = waitingRoom, let process = process(of: call) else {
      return .pass
    }
    let setting = room.timers[process, .real]?.setting(at: room.now(of: call)) ?? Setting()
    return show(setting, at: call[1], call, unit: 1000)
  }

  private func set(
    _ new: ProcessTimers.Setting, _ name: ProcessTimers.Name, of process: Int32, _ call: Call
  ) -> Bool {
    guard let room = waitingRoom else { return false }
    var timer = room.timers[process, name] ?? ProcessTimers.Timer()
    timer.deadline = new.value == 0 ? nil : room.moment(after: new.value, call)
    timer.interval = new.interval
    return room.timers.set(timer, name, of: process)
  }

  // MARK: timer_create and what belongs to it

  /// `timer_create`; timers of processor time are the kernel's.
  func createTimer(_ call: Call) -> Answer {
    let clock = call.int(0)
    guard let room = waitingRoom, room.time.reading(of: clock) != nil,
      let process = process(of: call)
    else { return .pass }
    // Without a notification the value is the timer's number.
    var notification = ProcessTimers.Notification(value: .max)
    if call[1] != 0 {
      // struct sigevent: value, signal, kind, thread.
      let memory = ProcessMemory(of: call, listener)
      guard let value = memory.word(call[1]), let kinds = memory.word(call[1] &+ 8),
        let thread = memory.word(call[1] &+ 16)
      else { return .failure(EFAULT) }
      let (signal, kind) = (Int32(truncatingIfNeeded: kinds), Int32(kinds >> 32))
      notification = ProcessTimers.Notification(signal: signal, value: value)
      switch kind {
      case 0: break
      case 1: notification.signal = 0
      case 4: notification.thread = Int32(truncatingIfNeeded: thread)
      default: return .failure(EINVAL)
      }
      guard kind == 1 || (1...64).contains(signal) else { return .failure(EINVAL) }
    }
    let timer = ProcessTimers.Timer(clock: clock, notification: notification)
    guard let number = room.timers.create(timer, for: process) else { return .pass }
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    guard ProcessMemory(of: call, listener).write(bytes, to: call[2]) else {
      _ = room.timers.delete(.posix(number), of: process)
      return .failure(EFAULT)
    }
    return .value(0)
  }

  /// `timer_settime`.
  func setPOSIXTimer(_ call: Call) -> Answer {
    guard let room = waitingRoom, let (process, name, timer) = timer(of: call) else { return .pass }
    guard let new = setting(at: call[2], call, unit: 1) else { return .failure(EINVAL) }
    let old = timer.setting(at: room.now(of: call))
    var changed = timer
    changed.interval = new.interval
    changed.overruns = 0
    changed.deadline = deadline(new.value, call.int(1) & TIMER_ABSTIME != 0, timer.clock, call)
    guard room.timers.set(changed, name, of: process) else { return .pass }
    return call[3] == 0 ? .value(0) : show(old, at: call[3], call, unit: 1)
  }

  /// `timer_gettime`.
  func showPOSIXTimer(_ call: Call) -> Answer {
    guard let room = waitingRoom, let (_, _, timer) = timer(of: call) else { return .pass }
    return show(timer.setting(at: room.now(of: call)), at: call[1], call, unit: 1)
  }

  /// `timer_getoverrun`.
  func overruns(_ call: Call) -> Answer {
    guard let (_, _, timer) = timer(of: call) else { return .pass }
    return .value(Int64(timer.overruns))
  }

  /// `timer_delete`.
  func deleteTimer(_ call: Call) -> Answer {
    guard let room = waitingRoom, let (process, name, _) = timer(of: call) else { return .pass }
    _ = room.timers.delete(name, of: process)
    return .value(0)
  }

  private func timer(
    of call: Call
  ) -> (process: Int32, name: ProcessTimers.Name, timer: ProcessTimers.Timer)? {
    guard let process = process(of: call) else { return nil }
    let name = ProcessTimers.Name.posix(call.int(0))
    return waitingRoom?.timers[process, name].map { (process, name, $0) }
  }

  // MARK: timerfd

  /// `timerfd_settime`.
  func setTimerDescriptor(_ call: Call) -> Answer {
    guard let room = waitingRoom, let process = process(of: call),
      interposer_timer_mark(call.thread, call.int(0)) != .max
    else { return .pass }
    guard let new = setting(at: call[2], call, unit: 1) else { return .failure(EINVAL) }
    guard let mark = room.descriptors.take(call.int(0), of: call.thread, process),
      let timer = room.descriptors[mark]
    else {
      tell(
        "a timerfd \(VirtualTime.leak): the kernel does not let it be shared (pidfd_getfd)",
        .machineTime, about: -11)
      return .pass
    }
    let old = setting(of: timer, call)
    room.descriptors.set(
      mark, deadline: deadline(new.value, call.int(1) & 1 != 0, timer.clock, call),
      interval: new.interval)
    return call[3] == 0 ? .value(0) : show(old, at: call[3], call, unit: 1)
  }

  /// `timerfd_gettime`.
  func showTimerDescriptor(_ call: Call) -> Answer {
    guard let room = waitingRoom, let mark = room.descriptors.mark(of: call.int(0), call.thread),
      let timer = room.descriptors[mark]
    else { return .pass }
    return show(setting(of: timer, call), at: call[1], call, unit: 1)
  }

  private func setting(
    of timer: TimerDescriptors.Timer, _ call: Call
  ) -> ProcessTimers.Setting {
    let now = waitingRoom?.now(of: call) ?? 0
    return ProcessTimers.Timer(deadline: timer.deadline, interval: timer.interval).setting(at: now)
  }

  // MARK: Parts

  /// When a timer expires that is set to a value: 0 stops it.
  private func deadline(
    _ value: UInt64, _ isAbsolute: Bool, _ clock: Int32, _ call: Call
  ) -> UInt64? {
    guard value > 0, let room = waitingRoom else { return nil }
    return isAbsolute ? room.time.moment(at: value, on: clock) : room.moment(after: value, call)
  }

  /// The process of a thread that calls.
  func process(of call: Call) -> Int32? {
    var signals = interposer_thread_signals()
    return interposer_thread_signals(call.thread, &signals) ? signals.process : nil
  }

  /// A `struct itimerspec` or, with microseconds, `itimerval`: interval, then value.
  private func setting(at place: UInt64, _ call: Call, unit: UInt64) -> ProcessTimers.Setting? {
    guard let interval = nanoseconds(at: place, call, unit: unit),
      let value = nanoseconds(at: place &+ 16, call, unit: unit)
    else { return nil }
    return ProcessTimers.Setting(value: value, interval: interval)
  }

  private func show(
    _ setting: ProcessTimers.Setting, at place: UInt64, _ call: Call, unit: UInt64
  ) -> Answer {
    let words = [setting.interval, setting.value].flatMap {
      [$0 / Self.second, $0 % Self.second / unit]
    }
    return write(words, to: place, call)
  }
}
