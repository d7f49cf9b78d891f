import CInterposer
import Glibc

/// `futex`, `rt_sigtimedwait`, message queues and semaphores with a timeout in virtual time.
///
/// The supervisor polls the condition; once it holds, the kernel performs the call.
extension Supervisor {
  /// Answers `futex` when the word has changed, which is sufficient because callers check the word again in any case.
  func futexWait(_ call: Call) -> Answer {
    switch call.int(1) & 0x7F {
    case 6, 13: return futexLockPI(call)
    case 11: return reportMachineWait(.conditions)
    default: break
    }
    guard let scheduler, let limit = nanoseconds(at: call[3], call) else { return .pass }
    let (isAbsolute, expected) = (call.int(1) & 0x7F == 9, UInt32(truncatingIfNeeded: call[2]))
    let clock = call.int(1) & 0x100 != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC
    let deadline =
      isAbsolute
      ? scheduler.time.moment(at: limit, on: clock) ?? scheduler.time.now
      : scheduler.moment(after: limit, call)
    func word() -> UInt32? {
      ProcessMemory(of: call, listener).bytes(call[0], count: 4)
        .map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
    guard let now = word() else { return .pass }
    guard now == expected else { return .failure(EAGAIN) }
    let wait = Wait(
      call: call, deadline: deadline, end: { .failure(ETIMEDOUT) },
      check: { word() == expected ? nil : .value(0) }, interruption: { .failure(EINTR) })
    return scheduler.block(wait)
  }

  /// Answers `rt_sigtimedwait` by passing the call to the kernel as soon as the signal is pending.
  func sigtimedwait(_ call: Call) -> Answer {
    guard let scheduler, let limit = nanoseconds(at: call[2], call),
      let wanted = ProcessMemory(of: call, listener).word(call[0]), limit > 0
    else { return .pass }
    var wait = Wait(
      call: call, deadline: scheduler.moment(after: limit, call), end: { .failure(EAGAIN) },
      interruption: { .failure(EINTR) })
    wait.wanted = wanted
    return scheduler.block(wait)
  }

  /// Answers `futex` for a priority-inheritance lock by passing the call to the kernel as soon as the lock has no
  /// owner.
  func futexLockPI(_ call: Call) -> Answer {
    let isOld = call.int(1) & 0x7F == 6
    let clock = isOld || call.int(1) & 0x100 != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC
    guard let time = scheduler?.time, let limit = nanoseconds(at: call[3], call) else {
      return .pass
    }
    func owner() -> UInt32? {
      ProcessMemory(of: call, listener).bytes(call[0], count: 4)
        .map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } & 0x3FFF_FFFF }
    }
    // The kernel reports EDEADLK to a thread that owns the lock.
    if owner() == UInt32(bitPattern: call.thread) { return .pass }
    return scheduler?.block(
      Wait(
        call: call, deadline: time.moment(at: limit, on: clock) ?? time.now,
        end: { .failure(ETIMEDOUT) },
        check: { owner() ?? 0 == 0 ? .pass : nil },
        interruption: { .failure(Interruptions.restart) })) ?? .pass
  }

  /// Answers `mq_timedsend` and `mq_timedreceive`, whose timeouts are absolute times of CLOCK_REALTIME.
  func mqTimed(_ call: Call) -> Answer {
    let flags = interposer_open_flags(call.thread, call.int(0))
    guard let time = scheduler?.time, let limit = nanoseconds(at: call[4], call), flags >= 0,
      flags & O_NONBLOCK == 0
    else { return .pass }
    let events = Int16(call.system == .mqTimedsend ? POLLOUT : POLLIN)
    return scheduler?.block(
      Wait(
        call: call, deadline: time.moment(at: limit, on: CLOCK_REALTIME) ?? time.now,
        end: { .failure(ETIMEDOUT) },
        check: {
          var item = pollfd(fd: call.int(0), events: events, revents: 0)
          return interposer_poll(call.thread, &item, 1) > 0 ? .pass : nil
        }, interruption: { .failure(EINTR) })) ?? .pass
  }

  /// Answers `semtimedop` by passing the call to the kernel as soon as the semaphore values permit all its operations.
  func semtimedop(_ call: Call) -> Answer {
    let count = Int(min(call[2], 500))
    guard let scheduler, let limit = nanoseconds(at: call[3], call), count > 0,
      let bytes = ProcessMemory(of: call, listener).bytes(call[1], count: 6 * count)
    else { return .pass }
    // struct sembuf: number, change, flags; 16 bits each.
    let words: [UInt16] = stride(from: 0, to: 6 * count, by: 2).map { offset in
      UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
    }
    let changes = stride(from: 0, to: words.count, by: 3).map { first in
      (index: words[first], by: Int16(bitPattern: words[first + 1]))
    }
    let flags = stride(from: 2, to: words.count, by: 3).map { Int32(words[$0]) }
    if flags.contains(where: { $0 & IPC_NOWAIT != 0 }) { return .pass }
    guard interposer_shares_ipc_namespace(call.thread),
      changes.allSatisfy({ interposer_semaphore(call.int(0), Int32($0.index)) >= 0 })
    else { return reportMachineWait(.semaphores) }
    return scheduler.block(
      Wait(
        call: call, deadline: scheduler.moment(after: limit, call), end: { .failure(EAGAIN) },
        check: { Self.isPossible(changes, in: call.int(0)) ? .pass : nil },
        interruption: { .failure(EINTR) }))
  }

  /// Returns `true` if the semaphore values permit the changes in sequence, or if a value cannot be read, so that the
  /// kernel reports the error.
  private static func isPossible(_ changes: [(index: UInt16, by: Int16)], in set: Int32) -> Bool {
    var values: [UInt16: Int] = [:]
    for (index, change) in changes {
      let value = values[index] ?? Int(interposer_semaphore(set, Int32(index)))
      if value < 0 { return true }
      if change == 0 ? value != 0 : value + Int(change) < 0 { return false }
      values[index] = value + Int(change)
    }
    return true
  }

  // MARK: Timeouts that follow the machine's clock

  /// Waits whose timeouts follow the machine's clock.
  enum MachineWait: String, CaseIterable {
    case sockets = "sets a socket timeout (SO_RCVTIMEO, SO_SNDTIMEO)"
    case words = "waits for several futexes (futex_waitv) with a timeout"
    case conditions =
      "waits for a priority-inheritance condition (FUTEX_WAIT_REQUEUE_PI) with a timeout"
    case semaphores = "waits for unreadable semaphores (semtimedop) with a timeout"
  }

  /// Reports a wait whose timeout follows the machine's clock, once for each kind.
  func reportMachineWait(_ wait: MachineWait) -> Answer {
    let kind = MachineWait.allCases.firstIndex(of: wait) ?? 0
    report(
      "a program \(wait.rawValue), which \(VirtualTime.leak) instead of virtual time",
      .machineTime, about: -20 - Int32(kind))
    return .pass
  }

  /// Handles `setsockopt` with a receive or send timeout; 0 means no timeout.
  func setSocketTimeout(_ call: Call) -> Answer {
    guard let seconds = ProcessMemory(of: call, listener).word(call[3]),
      let rest = ProcessMemory(of: call, listener).word(call[3] &+ 8), seconds | rest != 0
    else { return .pass }
    return reportMachineWait(.sockets)
  }
}
