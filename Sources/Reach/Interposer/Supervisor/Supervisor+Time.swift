import CInterposer
import Glibc

/// Clocks and sleeps, where time is virtual.
extension Supervisor {
  static let second: UInt64 = 1_000_000_000

  /// `execve`: the program must not find a way to the machine's clock other than system calls.
  func followExecution(_ call: Call) -> Answer {
    waitingRoom?.readings.executes(call.thread)
    // Timers of timer_create do not outlive it.
    if let room = waitingRoom, !room.timers.isEmpty, let process = process(of: call) {
      room.timers.executed(process)
    }
    if interposer_follow(call.thread) != 0 {
      tell(
        "a program is traced by another one when it is executed, so that the time it reads \(VirtualTime.leak); "
          + "sleeps until a moment of that clock last as long as there",
        .machineTime, about: -2)
    }
    return .pass
  }

  /// `clone`, `fork` and their kin: there will be a thread more to look at.
  func makeProcess(_ call: Call) -> Answer {
    // CLONE_VFORK: the caller waits until the new process has become another program.
    let flags =
      switch call.system {
      case .vfork: UInt64(0x4000)
      case .clone: call[0]
      case .clone3: ProcessMemory(of: call, listener).word(call[0]) ?? 0
      default: UInt64(0)
      }
    // CLONE_THREAD.
    if flags & 0x10000 != 0 {
      waitingRoom?.threads.makes(call.thread, .companion)
      waitingRoom?.readings.makesCompanion(call.thread)
    } else {
      waitingRoom?.threads.makes(call.thread, flags & 0x4000 != 0 ? .sharer : .process)
    }
    return .pass
  }

  /// `kill` and its kin: somebody who waits may have to be let go.
  func sendSignal() -> Answer {
    waitingRoom?.suspicion = .all
    return .pass
  }

  /// Tells that programs do not go on, and ends those that wait for each other.
  func tell(_ finding: Standstill.Finding) {
    guard let time = waitingRoom?.time else { return }
    let limit = "\(Double(time.patience ?? 0) / 1e9) s"
    switch finding {
    case .work(let thread):
      tell(
        "virtual time has not passed for \(limit): \(ProgramName.of(thread)) works, and neither waits nor reads a clock",
        .standstill)
    case .forEver(let sleeps):
      tell(
        "the programs are ended: for \(limit) each has waited for another, and nothing is due: "
          + sleeps.joined(separator: "; "), .standstill)
      lifetime.standsStill()
    }
  }

  // MARK: Clocks

  func tellTime(_ call: Call) -> Answer {
    guard let reading = waitingRoom?.reading(of: call.int(0), call) else { return .pass }
    return write([reading / Self.second, reading % Self.second], to: call[1], call)
  }

  func tellTimeOfDay(_ call: Call) -> Answer {
    guard call[0] != 0, call[1] == 0, let reading = waitingRoom?.reading(of: CLOCK_REALTIME, call)
    else { return .pass }
    return write([reading / Self.second, reading % Self.second / 1000], to: call[0], call)
  }

  /// `time`, which some C libraries still call.
  func tellSeconds(_ call: Call) -> Answer {
    guard let reading = waitingRoom?.reading(of: CLOCK_REALTIME, call)
    else { return .pass }
    let seconds = reading / Self.second
    guard call[0] == 0 || isWritten([seconds], to: call[0], call) else { return .failure(EFAULT) }
    return .value(Int64(seconds))
  }

  // MARK: Sleeps

  /// `nanosleep`: for a length of time.
  func sleep(_ call: Call) -> Answer {
    guard let room = waitingRoom, let length = nanoseconds(at: call[0], call) else {
      return .pass
    }
    return sleep(call, until: room.moment(after: length, call), rest: call[1])
  }

  /// `clock_nanosleep`: for a length of time, or until a clock shows one.
  func sleepOnClock(_ call: Call) -> Answer {
    // Nobody can sleep on the raw and the coarse clocks, as the kernel says itself.
    guard ![4, 5, 6].contains(call.int(0)), let room = waitingRoom,
      let length = nanoseconds(at: call[2], call),
      let absolute = room.time.moment(at: length, on: call.int(0))
    else { return .pass }
    return call.int(1) & TIMER_ABSTIME != 0
      ? sleep(call, until: absolute, rest: 0)
      : sleep(call, until: room.moment(after: length, call), rest: call[3])
  }

  /// How long the shortest sleep takes: the slack that Linux gives the timers of a thread (prctl(2), PR_SET_TIMERSLACK).
  private static let shortestSleep: UInt64 = 50_000

  /// Lets a thread sleep; one that a signal wakes learns how long it would have slept on.
  private func sleep(_ call: Call, until moment: UInt64, rest place: UInt64) -> Answer {
    guard let room = waitingRoom else { return .pass }
    // Sleeps of no length are what loops wait with.
    let deadline = max(moment, room.moment(after: Self.shortestSleep, call))
    let interruption = { [unowned self, unowned room] in
      if place != 0 {
        let now = room.now(of: call)
        let rest = deadline > now ? deadline - now : 0
        _ = isWritten([rest / Self.second, rest % Self.second], to: place, call)
      }
      return Answer.failure(EINTR)
    }
    return room.take(
      Wait(call: call, deadline: deadline, end: { .value(0) }, interruption: interruption))
  }

  // MARK: Structures

  /// The length of a `struct timespec`, or of a `struct timeval` with its microseconds; `nil` where
  /// the kernel would refuse it, or nobody lives to see its end.
  func nanoseconds(at place: UInt64, _ call: Call, unit: UInt64 = 1) -> UInt64? {
    let memory = ProcessMemory(of: call, listener)
    guard let seconds = memory.word(place), let rest = memory.word(place &+ 8) else { return nil }
    return Self.nanoseconds(seconds, rest, unit: unit)
  }

  /// The nanoseconds of some seconds and a rest, if the kernel would take them.
  static func nanoseconds(_ seconds: UInt64, _ rest: UInt64, unit: UInt64 = 1) -> UInt64? {
    guard seconds < VirtualTime.end / second, rest < second / unit else { return nil }
    return seconds * second + rest * unit
  }

  /// Writes words; the answer of a call that returns nothing else.
  func write(_ words: [UInt64], to place: UInt64, _ call: Call) -> Answer {
    isWritten(words, to: place, call) ? .value(0) : .failure(EFAULT)
  }

  /// Writes words; whether that was possible.
  func isWritten(_ words: [UInt64], to place: UInt64, _ call: Call) -> Bool {
    let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
    return ProcessMemory(of: call, listener).write(bytes, to: place)
  }
}
