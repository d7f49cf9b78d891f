import CInterposer
import Glibc

/// Timers in virtual time: `alarm`, `setitimer`, `timer_create` and timerfd.
extension Supervisor {
  private typealias Setting = ProcessTimers.Setting

  // MARK: alarm and setitimer

  /// Answers `alarm` with the seconds that remained of the previous alarm, rounded.
  func alarm(_ call: Call) -> Answer {
    guard let scheduler, let process = process(of: call) else { return .pass }
    let old = scheduler.timers[process, .real]?.setting(at: scheduler.now(of: call)) ?? Setting()
    let length = UInt64(UInt32(truncatingIfNeeded: call[0])) * Self.second
    guard set(Setting(value: length), .real, of: process, call) else { return .pass }
    let seconds = (old.value + Self.second / 2) / Self.second
    return .value(Int64(old.value > 0 ? max(seconds, 1) : 0))
  }

  /// Answers `setitimer`; timers that measure CPU time stay with the kernel.
  func setTimer(_ call: Call) -> Answer {
    guard call.int(0) == 0, let scheduler, let process = process(of: call) else {
      return .pass
    }
    var new = Setting()
    if call[1] != 0 {
      guard let found = setting(at: call[1], call, unit: 1000) else { return .failure(EINVAL) }
      new = found
    }
    let old = scheduler.timers[process, .real]?.setting(at: scheduler.now(of: call)) ?? Setting()
    guard set(new, .real, of: process, call) else { return .pass }
    return call[2] == 0 ? .value(0) : show(old, at: call[2], call, unit: 1000)
  }

  /// Answers `getitimer`.
  func getTimer(_ call: Call) -> Answer {
    guard call.int(0) == 0, let scheduler, let process = process(of: call) else {
      return .pass
    }
    let setting =
      scheduler.timers[process, .real]?.setting(at: scheduler.now(of: call)) ?? Setting()
    return show(setting, at: call[1], call, unit: 1000)
  }

  private func set(
    _ new: ProcessTimers.Setting, _ name: ProcessTimers.Name, of process: Int32, _ call: Call
  ) -> Bool {
    guard let scheduler else { return false }
    var timer = scheduler.timers[process, name] ?? ProcessTimers.Timer()
    timer.deadline = new.value == 0 ? nil : scheduler.moment(after: new.value, call)
    timer.interval = new.interval
    return scheduler.timers.set(timer, name, of: process)
  }

  // MARK: timer_create

  /// Answers `timer_create`; timers that measure CPU time stay with the kernel.
  func createTimer(_ call: Call) -> Answer {
    let clock = call.int(0)
    guard let scheduler, scheduler.time.reading(of: clock) != nil,
      let process = process(of: call)
    else { return .pass }
    // Without a sigevent the signal value is the timer's ID.
    var notification = ProcessTimers.Notification(value: .max)
    if call[1] != 0 {
      // struct sigevent: value, signal, notification type, thread.
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
    guard let number = scheduler.timers.create(timer, for: process) else { return .pass }
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    guard ProcessMemory(of: call, listener).write(bytes, to: call[2]) else {
      _ = scheduler.timers.delete(.posix(number), of: process)
      return .failure(EFAULT)
    }
    return .value(0)
  }

  /// Answers `timer_settime`.
  func setPOSIXTimer(_ call: Call) -> Answer {
    guard let scheduler, let (process, name, timer) = timer(of: call) else { return .pass }
    guard let new = setting(at: call[2], call, unit: 1) else { return .failure(EINVAL) }
    let old = timer.setting(at: scheduler.now(of: call))
    var changed = timer
    changed.interval = new.interval
    changed.overruns = 0
    changed.deadline = deadline(new.value, call.int(1) & TIMER_ABSTIME != 0, timer.clock, call)
    guard scheduler.timers.set(changed, name, of: process) else { return .pass }
    return call[3] == 0 ? .value(0) : show(old, at: call[3], call, unit: 1)
  }

  /// Answers `timer_gettime`.
  func getPOSIXTimer(_ call: Call) -> Answer {
    guard let scheduler, let (_, _, timer) = timer(of: call) else { return .pass }
    return show(timer.setting(at: scheduler.now(of: call)), at: call[1], call, unit: 1)
  }

  /// Answers `timer_getoverrun`.
  func overruns(_ call: Call) -> Answer {
    guard let (_, _, timer) = timer(of: call) else { return .pass }
    return .value(Int64(timer.overruns))
  }

  /// Answers `timer_delete`.
  func deleteTimer(_ call: Call) -> Answer {
    guard let scheduler, let (process, name, _) = timer(of: call) else { return .pass }
    _ = scheduler.timers.delete(name, of: process)
    return .value(0)
  }

  private func timer(
    of call: Call
  ) -> (process: Int32, name: ProcessTimers.Name, timer: ProcessTimers.Timer)? {
    guard let process = process(of: call) else { return nil }
    let name = ProcessTimers.Name.posix(call.int(0))
    return scheduler?.timers[process, name].map { (process, name, $0) }
  }

  // MARK: timerfd

  /// Answers `timerfd_settime`.
  func setTimerDescriptor(_ call: Call) -> Answer {
    guard let scheduler, let process = process(of: call),
      interposer_timer_mark(call.thread, call.int(0)) != .max
    else { return .pass }
    guard let new = setting(at: call[2], call, unit: 1) else { return .failure(EINVAL) }
    guard let mark = scheduler.descriptors.take(call.int(0), of: call.thread, process),
      let timer = scheduler.descriptors[mark]
    else {
      report(
        "a timerfd \(VirtualTime.leak) because the kernel does not permit copying it (pidfd_getfd)",
        .machineTime, about: -11)
      return .pass
    }
    let old = setting(of: timer, call)
    scheduler.descriptors.set(
      mark, deadline: deadline(new.value, call.int(1) & 1 != 0, timer.clock, call),
      interval: new.interval)
    return call[3] == 0 ? .value(0) : show(old, at: call[3], call, unit: 1)
  }

  /// Answers `timerfd_gettime`.
  func getTimerDescriptor(_ call: Call) -> Answer {
    guard let scheduler, let mark = scheduler.descriptors.mark(of: call.int(0), call.thread),
      let timer = scheduler.descriptors[mark]
    else { return .pass }
    return show(setting(of: timer, call), at: call[1], call, unit: 1)
  }

  private func setting(
    of timer: TimerDescriptors.Timer, _ call: Call
  ) -> ProcessTimers.Setting {
    let now = scheduler?.now(of: call) ?? 0
    return ProcessTimers.Timer(deadline: timer.deadline, interval: timer.interval).setting(at: now)
  }

  // MARK: Common parts

  /// The expiry of a timer, in nanoseconds since the start; `nil` for a value of 0, which disarms it.
  private func deadline(
    _ value: UInt64, _ isAbsolute: Bool, _ clock: Int32, _ call: Call
  ) -> UInt64? {
    guard value > 0, let scheduler else { return nil }
    return isAbsolute
      ? scheduler.time.moment(at: value, on: clock) : scheduler.moment(after: value, call)
  }

  /// The process ID of the calling thread.
  func process(of call: Call) -> Int32? {
    var signals = interposer_thread_signals()
    return interposer_thread_signals(call.thread, nil, &signals) ? signals.process : nil
  }

  /// Reads a `struct itimerspec`, or an `itimerval` with a `unit` of 1000 ns: interval, then value.
  private func setting(at address: UInt64, _ call: Call, unit: UInt64) -> ProcessTimers.Setting? {
    guard let interval = nanoseconds(at: address, call, unit: unit),
      let value = nanoseconds(at: address &+ 16, call, unit: unit)
    else { return nil }
    return ProcessTimers.Setting(value: value, interval: interval)
  }

  private func show(
    _ setting: ProcessTimers.Setting, at address: UInt64, _ call: Call, unit: UInt64
  ) -> Answer {
    let words = [setting.interval, setting.value].flatMap {
      [$0 / Self.second, $0 % Self.second / unit]
    }
    return write(words, to: address, call)
  }
}
