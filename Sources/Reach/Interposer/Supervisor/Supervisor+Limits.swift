import CInterposer
import Glibc

/// Waits with a limit of which the kernel tells what they wait for: where it is there, the call is the kernel's again.
extension Supervisor {
  /// `futex` for a lock with priority inheritance: the kernel takes it as soon as nobody owns it.
  func waitForOwner(_ call: Call) -> Answer {
    let isOld = call.int(1) & 0x7F == 6
    let clock = isOld || call.int(1) & 0x100 != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC
    guard let time = waitingRoom?.time, let limit = nanoseconds(at: call[3], call) else {
      return .pass
    }
    func owner() -> UInt32? {
      ProcessMemory(of: call, listener).bytes(call[0], count: 4)
        .map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } & 0x3FFF_FFFF }
    }
    // Who has it already is told so by the kernel.
    if owner() == UInt32(bitPattern: call.thread) { return .pass }
    return waitingRoom?.take(
      Wait(
        call: call, deadline: time.moment(at: limit, on: clock) ?? time.now,
        end: { .failure(ETIMEDOUT) },
        look: { owner() ?? 0 == 0 ? .pass : nil },
        interruption: { .failure(Interruptions.restart) })) ?? .pass
  }

  /// `mq_timedsend` and `mq_timedreceive`, whose limits are moments of the time of day.
  func waitForQueue(_ call: Call) -> Answer {
    let flags = interposer_open_flags(call.thread, call.int(0))
    guard let time = waitingRoom?.time, let limit = nanoseconds(at: call[4], call), flags >= 0,
      flags & O_NONBLOCK == 0
    else { return .pass }
    let events = Int16(call.system == .mqTimedsend ? POLLOUT : POLLIN)
    return waitingRoom?.take(
      Wait(
        call: call, deadline: time.moment(at: limit, on: CLOCK_REALTIME) ?? time.now,
        end: { .failure(ETIMEDOUT) },
        look: {
          var item = pollfd(fd: call.int(0), events: events, revents: 0)
          return interposer_look(call.thread, &item, 1) > 0 ? .pass : nil
        }, interruption: { .failure(EINTR) })) ?? .pass
  }

  /// `semtimedop`: the kernel does all of its operations as soon as the values allow all of them.
  func waitForSemaphores(_ call: Call) -> Answer {
    let count = Int(min(call[2], 500))
    guard let room = waitingRoom, let limit = nanoseconds(at: call[3], call), count > 0,
      let bytes = ProcessMemory(of: call, listener).bytes(call[1], count: 6 * count)
    else { return .pass }
    // struct sembuf: number, change, flags; 16 bits each.
    let words = (0..<3 * count).map { UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8 }
    let changes = (0..<count).map {
      (index: words[3 * $0], by: Int16(bitPattern: words[3 * $0 + 1]))
    }
    if (0..<count).contains(where: { Int32(words[3 * $0 + 2]) & IPC_NOWAIT != 0 }) { return .pass }
    guard interposer_shares_semaphores(call.thread),
      changes.allSatisfy({ interposer_semaphore(call.int(0), Int32($0.index)) >= 0 })
    else { return waitByMachine(.semaphores) }
    return room.take(
      Wait(
        call: call, deadline: room.moment(after: limit, call), end: { .failure(EAGAIN) },
        look: { Self.isPossible(changes, in: call.int(0)) ? .pass : nil },
        interruption: { .failure(EINTR) }))
  }

  /// Whether the values of semaphores allow some changes, one after the other, or the kernel has to say why not.
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

  // MARK: Limits of the machine's clock

  /// Waits whose limits are not served.
  enum MachineWait: String, CaseIterable {
    case sockets = "limits its waits on a socket (SO_RCVTIMEO, SO_SNDTIMEO)"
    case words = "waits for one of several words (futex_waitv) with a limit"
    case conditions =
      "waits for a condition with priority inheritance (FUTEX_WAIT_REQUEUE_PI) with a limit"
    case semaphores = "waits for semaphores that cannot be looked at (semtimedop) with a limit"
  }

  /// Tells, once for each kind, of a wait whose limit is not served.
  func waitByMachine(_ wait: MachineWait) -> Answer {
    let kind = MachineWait.allCases.firstIndex(of: wait) ?? 0
    tell(
      "a program \(wait.rawValue): that limit \(VirtualTime.leak), not the virtual one",
      .machineTime, about: -20 - Int32(kind))
    return .pass
  }

  /// `setsockopt` with a limit of waits; a limit of 0 is none.
  func limitSocket(_ call: Call) -> Answer {
    guard let seconds = ProcessMemory(of: call, listener).word(call[3]),
      let rest = ProcessMemory(of: call, listener).word(call[3] &+ 8), seconds | rest != 0
    else { return .pass }
    return waitByMachine(.sockets)
  }
}
